// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct Calibration {
  double ece = 0.0;    ///< expected calibration error
  double rms = 0.0;    ///< root of the mean square in place of the mean distance
  double max = 0.0;    ///< of a bin
  IndexVector counts;  ///< of each bin
};

/// Does a confidence say how often it is right?
///
///   ECE = sum_b n_b/n |acc_b - conf_b|,   b over bins of equal width, [a, b) and the last one closed
///
/// confidence  n values in 0 ... 1
/// right       n, 0 or 1: of a probability of presence, whether it is there; of a class that was chosen,
///             whether it is the label
/// returns     0 ... 1. Above 0 by chance, the more the fewer samples a bin has.
/// throws      std::invalid_argument: n < 1, lengths that differ, values outside, bins < 1
///
/// Source: Naeini et al., AAAI 2015; Guo et al., ICML 2017. Libraries differ in where a value on a border
/// belongs; torchmetrics gives exactly 1 a bin of its own.
Calibration calibration(const VectorRef& confidence, const VectorRef& right, Index bins = 10);

/// n x C of what a head answers: softmax of two or more outputs; one is the probability of the second of
/// two classes.
Matrix class_probabilities(const MatrixRef& outputs);

/// The calibration of the predicted class, the first of the most probable.
///
/// probabilities  n x C, in 0 ... 1
/// throws         std::invalid_argument: as calibration; a label of no class
Calibration class_calibration(const MatrixRef& probabilities, const IndexVector& labels,
                              Index bins = 10);

/// How far are probabilities from what happened?
///
///   classes   mean over samples of sum_c (p_c - [y = c])^2, so of two classes twice
///   presence  mean (p - y)^2
///
/// returns  0 ... 2, and 0 ... 1
/// throws   std::invalid_argument: n < 1, lengths that differ, a label of no class
///
/// Source: Brier, Monthly Weather Review 78, 1950.
double brier(const MatrixRef& probabilities, const IndexVector& labels);
double brier(const VectorRef& probability, const VectorRef& present);

namespace declare {
/// concept_ece and concept_brier, means over concepts (parts: each concept's), task_ece and task_brier.
/// Beside an ECE its null, concept_ece_null and task_ece_null: the mean over twenty draws of what happened
/// from the probabilities themselves, which are calibrated then.
std::vector<Metric> calibration();
}  // namespace declare

}  // namespace conoscope::metrics
