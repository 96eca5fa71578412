// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/variance_shares.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/statistics/moments.h"

namespace conoscope::results {

namespace {

/// Divided by the number of values.
double variance(const std::vector<double>& values) {
  return numerics::squared_deviations(values) / static_cast<double>(values.size());
}

}  // namespace

OneWayComponents one_way_components(std::span<const Scores> things) {
  constexpr const char* kName = "one_way_components";
  numerics::require_at_least(kName, "things", static_cast<numerics::Index>(things.size()), 2);
  double all = 0.0, squares = 0.0, sum = 0.0;
  for (const Scores& one : things) {
    numerics::require_at_least(kName, "n", one.n, 1);
    const auto n = static_cast<double>(one.n);
    all += n;
    squares += n * n;
    sum += n * (one.mean - things[0].mean);
  }
  const Noise noise = pooled_noise(things);
  if (noise.dof == 0) numerics::refuse(kName, "nothing has two scores");
  const double mean = things[0].mean + sum / all;
  double between = 0.0;
  for (const Scores& one : things)
    between += static_cast<double>(one.n) * (one.mean - mean) * (one.mean - mean);
  const double others = static_cast<double>(things.size()) - 1.0;
  OneWayComponents out;
  out.ms_within = out.var_within = noise.sd * noise.sd;
  out.ms_between = between / others;
  out.var_between =
      std::max(0.0, (out.ms_between - out.ms_within) / ((all - squares / all) / others));
  const double total = out.var_within + out.var_between;
  if (total == 0.0) throw std::domain_error(std::string(kName) + ": all scores are equal");
  out.share_between = out.var_between / total;
  return out;
}

VarianceShares variance_shares(const std::vector<numerics::Matrix>& scores) {
  constexpr const char* kName = "variance_shares";
  if (scores.empty()) numerics::refuse(kName, "no variant");
  std::vector<double> variants;
  double seed = 0.0, snapshot = 0.0;
  for (const numerics::Matrix& one : scores) {
    numerics::require_filled(kName, "scores", one);
    if (one.rows() != scores[0].rows() || one.cols() != scores[0].cols())
      numerics::refuse(kName, "a variant has " + numerics::shape_of(one) +
                                  " scores, the first one " + numerics::shape_of(scores[0]));
    std::vector<double> seeds;
    for (numerics::Index s = 0; s < one.rows(); ++s) {
      const std::vector<double> row(one.row(s).begin(), one.row(s).end());
      seeds.push_back(numerics::mean(row));
      snapshot += variance(row) / static_cast<double>(one.rows());
    }
    variants.push_back(numerics::mean(seeds));
    seed += variance(seeds);
  }
  const auto count = static_cast<double>(scores.size());
  VarianceShares out{variance(variants), seed / count, snapshot / count};
  const double total = out.variant + out.seed + out.snapshot;
  if (total == 0.0) throw std::domain_error(std::string(kName) + ": all scores are equal");
  out.variant /= total;
  out.seed /= total;
  out.snapshot /= total;
  return out;
}

}  // namespace conoscope::results
