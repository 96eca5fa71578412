// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a stochastic bottleneck makes of concepts that it is told: the logits eta of a row's concepts are
// normal, eta ~ N(mean, L L^T), and what is known of some of them moves the others.
//
// Source: Vandenhirtz, Laguna, Marcinkevics & Vogt, Stochastic Concept Bottleneck Models, NeurIPS 2024, and
// their code.

#include <vector>

#include "numerics/types.h"

namespace conoscope::models {

using numerics::Index;
using numerics::Matrix;
using numerics::Vector;

/// The lower triangular L of a row: its K (K + 1) / 2 raw numbers row by row, of the diagonal
/// softplus + 1e-6.
/// throws  std::invalid_argument: not so many numbers
Matrix covariance_factor(const numerics::VectorRef& raw, Index concepts);

/// Where a covariance that all rows share begins: that of logit(0.05 + 0.9 c) over rows of annotated
/// concepts, divided by n - 1, and the raw numbers of its Cholesky factor.
///
/// concepts  n x K of 0 and 1, n >= 2
/// throws    std::domain_error: the covariance is singular, as of two equal concepts
struct EmpiricalCovariance {
  Matrix covariance;
  Vector raw;
};
EmpiricalCovariance empirical_covariance(const numerics::MatrixRef& concepts);

/// exp(ln(end / start) e / E) start, but not below end: the temperature of epoch e of E.
double gumbel_temperature(double epoch, double epochs, double start = 1.0, double end = 0.5);

/// Of the concepts that were not told, in ascending order.
struct Conditional {
  Vector mean;
  Matrix covariance;
};

/// The normal distribution of the rest, given the logits of those told.
///
/// told  indices, ascending, at least one.   logits  of these.
/// throws  std::invalid_argument: shapes or indices that do not fit
Conditional condition(const numerics::VectorRef& mean, const numerics::MatrixRef& covariance,
                      const std::vector<Index>& told, const numerics::VectorRef& logits);

/// The logits that are written for told concepts: those of least cross entropy with the truth within
/// the region that holds the told logits with probability `level`, each at least 1e-4 beyond its mean on
/// the side of its truth.
///
///   minimise sum_j softplus(-s_j eta_j)   (eta - mean)^T S^-1 (eta - mean) <= chi^2_level,
///                                         s_j (eta_j - mean_j) >= 1e-4,   s_j = 1 or -1
///
/// A convex problem: the multiplier of the region by bisection, projected Newton steps inside.
///
/// truth   of those told: above 0.5 it is there.
/// throws  std::invalid_argument: shapes that do not fit, level outside (0, 1)
struct RegionPoint {
  Vector start;    ///< where equal steps along s leave the region
  Vector optimum;  ///< the answer
  double objective = 0.0;
};
RegionPoint region_point(const numerics::VectorRef& mean, const numerics::MatrixRef& covariance,
                         const numerics::VectorRef& truth, double level);

/// From a Monte Carlo sample of concepts to the task: a linear head on concepts of 0 and 1.
struct SampledHead {
  enum class Output { kSoftmax, kSigmoid, kIdentity };

  Matrix noise;   ///< M x K, standard normal: of eta
  Matrix chance;  ///< M x K in [0, 1): a concept is there where it is below its probability
  Matrix weight;  ///< C x K
  Vector bias;    ///< C
  Output output = Output::kSoftmax;

  /// Mean probabilities of the concepts, each sample's sigmoid(eta).
  Vector probabilities(const numerics::VectorRef& mean, const numerics::MatrixRef& factor) const;

  /// Softmax: log(mean softmax + 1e-6). Sigmoid: the logit of the mean. Identity: the mean. Told concepts
  /// enter the head as 0 and 1, the others as drawn from what they are given those logits.
  ///
  /// told, truth, logits  of those told; none: empty
  Vector answer(const numerics::VectorRef& mean, const numerics::MatrixRef& factor,
                const std::vector<Index>& told = {}, const Vector& truth = {},
                const Vector& logits = {}) const;
};

}  // namespace conoscope::models
