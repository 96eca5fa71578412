// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/split.h"
#include "datasets/formats/array.h"

namespace conoscope::datasets {

// What the `precomputed` plugins hold against their files. Every message names the files and the
// numbers that do not agree.

/// Activations as n x P x D: n x h x w x D has its positions flattened, n x D gets P = 1.
/// throws  std::invalid_argument: not 2 to 4 dimensions, no row, no position, no width, or a value
///         that is not finite
formats::Array as_positions(formats::Array activations);

/// The pooling that the parameter asks for, `auto` resolved: mean if P > 1, else none.
/// throws  std::invalid_argument: none although P > 1
std::string resolve_pooling(const std::string& asked, const formats::Array& activations);

/// given   the activations' shape in their file, for messages
/// throws  std::invalid_argument: weight is not C x D (flatten: C x P*D), bias is not C, one of
///         them is not finite, or a softmax over one output
void check_head(const formats::Array& weight, const formats::Array& bias,
                const formats::Array& activations, std::span<const std::int64_t> given,
                const std::string& pooling, const std::string& output);

/// As n x columns: a vector becomes one column.
/// throws  std::invalid_argument: another number of rows than `like` has samples, more than two
///         dimensions, or a value that is not finite
formats::Array as_columns(formats::Array array, const std::string& name, std::int64_t samples,
                          const std::string& like);

/// throws  std::invalid_argument: targets (n x columns) has not one column per output, or
///         attributes that are not 0 or 1
void check_targets(const formats::Array& targets, const formats::Array& weight, bool attributes);

/// Class numbers. Softmax: each below `classes`.
/// throws  std::invalid_argument: not a vector, not whole, negative, or too large
std::vector<std::int64_t> read_labels(const formats::Array& labels, bool softmax,
                                      std::int64_t classes, const std::string& head);

/// throws  std::invalid_argument: an index that is out of range, comes twice or is in both parts,
///         or an empty part
sdk::Split read_split(const formats::Array& train, const formats::Array& test,
                      std::int64_t samples);

/// throws  std::invalid_argument: not n x height x width x 1 or 3 channels, or a value that is not finite
std::optional<formats::Array> read_images(std::optional<formats::Array> images,
                                          std::int64_t samples, const std::string& like);

/// The sample of each segment; nothing where neither array is given.
/// throws  std::invalid_argument: one without the other, embeddings not m x width or not finite, or
///         samples not m row numbers below `samples`
std::vector<std::int64_t> read_segments(const std::optional<formats::Array>& embeddings,
                                        const std::optional<formats::Array>& sample,
                                        std::int64_t samples, std::int64_t width,
                                        const std::string& like);

/// The group of each concept; nothing where the array is not given.
/// throws  std::invalid_argument: no concepts, or not one number below `concepts` for each
std::vector<std::int64_t> read_groups(const std::optional<formats::Array>& groups,
                                      std::int64_t concepts);

/// Does a head reproduce the outputs (n x C) that were saved? Compares the first rows:
///
///   |made_ic - saved_ic| <= 1e-3 max |saved|      relative to the largest output of these rows
///
/// made    what the head makes of these rows, rows x C
/// head    which head that is, for the message
/// throws  std::invalid_argument: the first row and output that differ or are not finite, with both
///         numbers
void check_agreement(const formats::Array& saved, std::span<const double> made,
                     const std::string& head);

/// check_agreement() of saved logits with the head on the first 100 rows.
/// throws  std::invalid_argument: logits is not n x C; see check_agreement()
void check_logits(const formats::Array& logits, std::int64_t samples,
                  const formats::Array& activations, const formats::Array& weight,
                  const formats::Array& bias, const std::string& pooling);

/// What an explanation of the head claims: cavs, and their importances either by row of them (class-
/// specific, with the number of rows of each output in counts) or outputs x rows (class-agnostic).
/// Returns the scope: class_specific or class_agnostic.
/// throws  std::invalid_argument: shapes that do not agree with each other or with the head, counts
///         that do not add up, a value that is not finite, or an array without the others
std::string check_explanation(const std::optional<formats::Array>& cavs,
                              const std::optional<formats::Array>& importance,
                              const std::optional<formats::Array>& counts,
                              const formats::Array& weight, std::int64_t width);

/// codes (n x m), codes_log_variance (n x m) and reconstruction_loss (n), those that are there.
/// find    the array of a name, or nothing
/// throws  std::invalid_argument: other numbers of samples than `samples`, shapes that do not agree
///         with codes, or one of the others without codes
std::map<std::string, formats::Array> read_codes(
    const std::function<std::optional<formats::Array>(const std::string&)>& find,
    std::int64_t samples, const std::string& like);

/// concept_scores as n x k x width (n x k: width 1), and what comes with them.
struct ConceptArrays {
  formats::Array scores;
  /// n x k; where none are given, scalar scores that lie in [0, 1].
  std::optional<formats::Array> probabilities;
  std::optional<formats::Array> outputs;                 ///< n x C
  std::optional<formats::Array> active, inactive;        ///< as scores
  std::optional<formats::Array> reference;               ///< n x C, with outputs
  std::optional<formats::Array> head_weight, head_bias;  ///< C x (k * width) and C, with outputs
};

/// find  the array of a name, or nothing
/// throws  std::invalid_argument: other numbers of samples than `samples`, shapes that do not agree
///         with concept_scores, probabilities outside [0, 1], vectors without probabilities, one of
///         concept_active and concept_inactive alone, or one of these without concept_scores
std::optional<ConceptArrays> read_concepts(
    const std::function<std::optional<formats::Array>(const std::string&)>& find,
    std::int64_t samples, const std::string& like);

}  // namespace conoscope::datasets
