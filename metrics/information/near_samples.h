#pragma once

#include <span>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

enum class Norm { kMax, kEuclidean };

/// Neighbours among vectors by comparing all pairs, exact in double.
///
/// Most pairs are settled in float, coordinate by coordinate, with a bound on what float can be
/// wrong by; the rest are compared as doubles. The k-th distance and the counts rest on one and
/// the same double for each pair, so that a sample at exactly the k-th distance is told from a
/// nearer one. (Distances by |a|^2 - 2ab + |b|^2 are not: rounding then moves about every second
/// k-th neighbour inside its own radius.)
class NearSamples {
 public:
  /// rows   n x d, finite, d >= 1. Copied.
  NearSamples(const MatrixRef& rows, Norm norm);

  /// For each sample the distance to its k-th nearest other one, k <= n - 1; squared for the
  /// Euclidean norm.
  std::vector<double> kth_distances(Index k) const;

  /// For each sample how many lie nearer than `radius` (squared for the Euclidean norm), itself
  /// included; of radius 0, how many are equal to it.
  std::vector<Index> counts_within(std::span<const double> radius) const;

 private:
  static constexpr Index kLanes = 16;

  double distance(Index a, Index b) const;
  /// Bounds, in float's terms, below which a pair is certainly nearer than a double distance and
  /// above which it certainly is not.
  float surely_within(double distance) const;
  float surely_outside(double distance) const;
  template <Norm norm, typename Visit>
  void for_each_near(const std::vector<float>& bound, const Visit& visit) const;
  template <typename Visit>
  void for_each_near(const std::vector<float>& bound, const Visit& visit) const;

  Norm norm_;
  Index n_, d_, blocks_;
  Matrix rows_;
  double scale_ = 1.0;         // of the float copy, a power of two
  double slack_ = 0.0;         // what a float distance may be off by, in scaled units
  double relative_ = 0.0;      // and relative to itself
  Eigen::ArrayXf lanes_;       // blocks x d x kLanes, the last block filled up with infinities
  std::vector<float> floats_;  // n x d
};

}  // namespace conoscope::metrics::detail
