// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "datasets/superposition/forest.h"
#include "datasets/superposition/rows.h"
#include "numerics/random.h"

namespace conoscope::datasets::superposition {

using numerics::Seed;

struct WorldOptions {
  Index features = 1024;  ///< N
  Index width = 128;      ///< D
  Index roots = 8, branching = 4, depth = 3;
  double exponent = 0.5, rate_max = 0.4, rate_min = 5e-4;
  Index rank = 25;  ///< R of the copula's factor
  double scale = 0.1;
  double mean_first = 5.0, mean_last = 4.0;
  double sd_mean = 0.5, sd_spread = 0.5;
  double bias_norm = 0.5;
  Index orthogonal_steps = 100;
  double orthogonal_rate = 3e-4;
  Gating gating;
};

/// Features of known rates, trees, magnitudes and directions, from which rows are made.
struct World {
  Vector target;       ///< N: how often each shall be active
  DrawingRates drawn;  ///< how often each fires before the trees
  Forest forest;
  Matrix factor;  ///< N x R
  Vector own;     ///< N
  Vector mean, sd;
  Gating gating;
  Matrix directions;  ///< N x D, unit rows
  Vector bias;        ///< D

  Index features() const { return target.size(); }
};

/// What SynthSAEBench's section on its model says, each part from a stream of its own:
///
///   target      zipf_rates;  trees  grow_forest;  drawn  compensate
///   factor      scale N(0, 1), as bound_factor() leaves it
///   mean        from mean_first to mean_last in equal steps;  sd_i = |N(sd_mean, sd_spread)|
///   directions  normal, of unit length, orthogonalised()
///   bias        a direction drawn like these, of length bias_norm
///
/// after_step   of the orthogonalisation: how many are done; nearly all of the time is spent there
/// throws       std::invalid_argument: as the functions named; width or rank < 1; a mean not above 0;
///              sd_spread, scale or bias_norm negative
///
/// Source: SynthSAEBench, arXiv 2602.14687.
World make_world(const WorldOptions& options, Seed seed,
                 const std::function<void(Index)>& after_step = nullptr);

/// Rows first ... first + count - 1 of the stream, count x N: how much of each feature is in each. Row i
/// is drawn from the stream's child i, so neither blocks nor the number of rows change it.
///
/// throws   std::invalid_argument: count < 1, or first < 0
Matrix draw_activations(const World& world, Index first, Index count, Seed stream);

/// x = sum_i a_i d_i + b, rows x D. Few of a row's features are active: sums over these, in the order of
/// the features.
///
/// throws   std::invalid_argument: a does not have a column for each direction
Matrix compose(const MatrixRef& a, const MatrixRef& directions, const VectorRef& bias);

/// The share of rows in which each feature is active, of so many rows of the stream.
Vector realised_rates(const World& world, Index rows, Seed stream);

/// sum of the rates over sum of the targets, of features outside the trees and of each level in turn.
/// Nobody at a level: left out.
std::vector<double> rates_over_targets(const VectorRef& rates, const World& world);

}  // namespace conoscope::datasets::superposition
