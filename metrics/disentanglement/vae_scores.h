// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// Which rows a score is computed from: drawn once, so that it can be repeated.
struct FactorVaeDraws {
  IndexVector variance_rows;         ///< rows that the codes' variances are estimated on
  IndexVector fixed_factor;          ///< one per batch
  std::vector<IndexVector> batches;  ///< rows that share the value of the fixed factor
  Index train = 0;                   ///< batches that vote; the others are judged
};

struct FactorVaeScore {
  double value = 0.0;  ///< accuracy on the batches that did not vote
  double train = 0.0;  ///< accuracy on those that did
  Vector variance;     ///< of every code, ddof 1
  std::vector<bool> active;
  IndexVector least;  ///< per batch: the code that varies least, counted among the active ones
  Matrix votes;  ///< K x K': how often code j (counted likewise) varied least as factor k stood
};

/// Is there a code that stands still exactly when a factor does?
///
///   per batch: vote = argmin over active codes of (variance in the batch / variance overall),
///              both with ddof 1
///   each code stands for the factor that it voted for most often
///   score = accuracy of that rule on fresh batches
///
/// codes    n x K'.   factors  K.   draws  see factor_vae_draws.
/// least_deviation  codes whose standard deviation is below it take no part; 0 keeps all but
///          constants.
/// returns  [0, 1]; no active code: 0. Ties go to the lowest factor and code.
/// throws   std::invalid_argument: no rows, an entry not finite, fewer than 2 variance rows, a batch
///          of fewer than 2, rows or factors out of range, nothing to vote or to judge
///
/// Source: Kim and Mnih, ICML 2018; pruning as in disentanglement_lib, which reports all codes as
/// active ones.
FactorVaeScore factor_vae_score(const MatrixRef& codes, Index factors, const FactorVaeDraws& draws,
                                double least_deviation = 0.05);

struct VaeScoreOptions {
  Index train = 10000, test = 5000, batch = 64;
  Index variance_rows = 10000;
};

/// Batches of rows that share a factor's value with a random row, drawn with replacement.
/// throws  std::invalid_argument: as factor_levels, options < 1, batch or variance_rows < 2
FactorVaeDraws factor_vae_draws(const MatrixRef& factors, std::uint64_t seed,
                                const VaeScoreOptions& options = {});

struct BetaVaeDraws {
  IndexVector label;                       ///< one per batch: the shared factor
  std::vector<IndexVector> first, second;  ///< row pairs that share its value
  Index train = 0;
};

struct BetaVaeScore {
  double value = 0.0;  ///< accuracy on the batches not trained on
  double train = 0.0;
  Matrix features;  ///< batches x K'
};

/// Can a linear classifier tell which factor pairs of samples have in common?
///
///   feature of a batch = mean over its pairs of |z_1 - z_2|; logistic_regression (C = 1) from
///   features to factors; score = accuracy on fresh batches
///
/// codes    n x K'.   factors  K, >= 2.   draws  see beta_vae_draws.
/// returns  [0, 1]; 1/K: chance. Features are not standardised, so a small scale acts as a penalty.
/// throws   std::invalid_argument: no rows, an entry not finite, factors < 2, lists of differing
///          lengths, rows or labels out of range, nothing to train on or to judge
///
/// Source: Higgins et al., ICLR 2017, as in disentanglement_lib.
BetaVaeScore beta_vae_score(const MatrixRef& codes, Index factors, const BetaVaeDraws& draws);

/// Pairs of rows: the first at random, the second at random among those with the same value.
/// throws  std::invalid_argument: as factor_levels, options < 1
BetaVaeDraws beta_vae_draws(const MatrixRef& factors, std::uint64_t seed,
                            const VaeScoreOptions& options = {});

namespace declare {
/// factor_vae_score, beta_vae_score
std::vector<Metric> vae_scores();
}  // namespace declare

}  // namespace conoscope::metrics
