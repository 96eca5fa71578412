// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the dataset's task asks of a model, and how well a model answers.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"

namespace conoscope::models {

enum class Task { kClassification, kAttributes, kRegression };

/// The right answers for all samples of a dataset.
struct TaskAnswers {
  Task task = Task::kClassification;
  std::int64_t outputs = 0;           ///< how many a head must have: classes, or columns of targets
  std::vector<std::int64_t> classes;  ///< n; classification
  std::vector<float> targets;         ///< n x outputs; attributes (0 or 1) and regression

  const char* output() const;      ///< softmax, sigmoid or regression
  const char* score_name() const;  ///< test_accuracy or test_r2

  /// Accuracy (attributes: over all samples and attributes, at 0; of equal outputs the first class
  /// counts), or R^2 (mean over outputs; not finite where a target has one value in these rows).
  ///
  /// rows   at least one
  /// given  rows.size() x C, of a linear head; classification: C >= outputs, else C = outputs
  double score(std::span<const double> given, std::span<const std::int64_t> rows) const;
};

/// From the arrays `labels` or `targets`, as the dataset's `task` says.
/// throws  sdk::NotApplicable: another task than the three
///         std::invalid_argument: labels or targets are bad, or of another number than the samples
TaskAnswers read_answers(const sdk::Arrays& dataset, std::int64_t samples);

/// Rows of the dataset, as train_index or test_index; every one in [0, samples), at least one.
std::span<const std::int64_t> row_index(const sdk::Arrays& dataset, const std::string& name,
                                        std::int64_t samples);

/// throws  std::invalid_argument when the array has another number of rows than the inputs
void check_rows(const sdk::Tensor& array, std::int64_t samples);

/// Models hold columns in float32, and centre them after that: does it tell apart what a column holds?
///
/// array   n x ...; a column is a place along the last axis, as a channel of images
/// throws  std::invalid_argument, naming the column: float64 or integers that lie less than a hundred
///         steps of float32 apart, as times in milliseconds since 1970 do within two hours. A column
///         that is constant but for float64's own rounding (10^-12 of its size) passes
void check_fits_float32(const sdk::Tensor& array);

/// Logs a score of a model and writes it as a text, with six decimals.
void report_score(const std::string& model, const std::string& score, double value,
                  const sdk::Context& context, sdk::Sink& out);

/// Every number as float32, row-major, whatever dtype and strides.
///
/// first_position  of array[0] within the array that it is a part of: for the message
/// throws          std::invalid_argument naming the array and the first value that is not finite
void copy_finite(const sdk::Tensor& array, float* to, std::int64_t first_position = 0);

}  // namespace conoscope::models
