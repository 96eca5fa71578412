// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/near_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace conoscope::metrics::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the target's registers hold; wider vectors are taken apart badly.
#ifdef __AVX2__
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif
template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes), may_alias));
};

// Samples whose distances to all others are taken at once: each coordinate loaded serves them all.
constexpr Index kBatch = 4;
// Samples looked at together for one that is near.
constexpr Index kRun = 32;

// Coordinates as integers within +-kLargest, so that a difference fits 16 bits. Rounding moves
// each end by half a step; 1/1000 covers the rounding of the doubles.
struct MaxNorm {
  using Coarse = std::int16_t;
  using Vector = VectorOf<Coarse>::type;
  static constexpr double kLargest = 16383.0, kSlack = 1.001;
  static constexpr Coarse kFar = std::numeric_limits<Coarse>::max();

  MaxNorm(double largest, Index) : scale(largest > 0.0 ? std::min(kLargest / largest, 1e300) : 1) {}

  Coarse coarse(double centred) const {
    return static_cast<Coarse>(std::nearbyint(centred * scale));
  }
  static void add(Vector& sum, const Vector& apart) {
    const Vector other = -apart;
    const Vector size = apart > other ? apart : other;
    sum = sum > size ? sum : size;
  }
  static double distance(const double* u, const double* v, Index d) {
    using Row = Eigen::Map<const Eigen::ArrayXd>;
    return (Row(u, d) - Row(v, d)).abs().maxCoeff();
  }
  /// Pairs above it in coarse terms are certainly not nearer than `distance`.
  Coarse outside(double distance) const {
    return static_cast<Coarse>(std::min(std::floor(distance * scale + kSlack), kFar - 1.0));
  }
  /// Pairs up to it certainly are.
  Coarse inside(double distance) const {
    return static_cast<Coarse>(std::min(std::floor(distance * scale - kSlack), kFar - 1.0));
  }

  double scale;
};

// Floats of the coordinates scaled to at most 1. Two coordinates and their difference are rounded,
// then the sum is, relative to itself; a factor 2 covers the rounding of the doubles.
struct EuclideanNorm {
  using Coarse = float;
  using Vector = VectorOf<Coarse>::type;
  static constexpr double kUnit = 0x1.0p-24;  // float's unit roundoff
  static constexpr Coarse kFar = std::numeric_limits<Coarse>::infinity();

  EuclideanNorm(double largest, Index d)
      : slack(8.0 * kUnit * std::sqrt(static_cast<double>(d))),
        relative(2.0 * static_cast<double>(d + 4) * kUnit) {
    int exponent = 0;
    if (largest > 0.0) std::frexp(largest, &exponent);
    scale = std::ldexp(1.0, -std::max(exponent, -1000));
  }

  Coarse coarse(double centred) const { return static_cast<Coarse>(centred * scale); }
  static void add(Vector& sum, const Vector& apart) { sum += apart * apart; }
  static double distance(const double* u, const double* v, Index d) {
    double out = 0.0;
    for (Index c = 0; c < d; ++c) out += (u[c] - v[c]) * (u[c] - v[c]);
    return out;
  }
  Coarse outside(double squared) const {
    if (!std::isfinite(squared)) return std::numeric_limits<Coarse>::max();
    const double bound = std::sqrt(squared) * scale + slack;
    return std::nextafter(static_cast<Coarse>(bound * bound * (1.0 + relative)), kFar);
  }
  Coarse inside(double squared) const {
    const double bound = std::sqrt(squared) * scale - slack;
    if (bound <= 0.0) return -1.0F;
    return std::nextafter(static_cast<Coarse>(bound * bound * (1.0 - relative)), -1.0F);
  }

  double scale = 1.0, slack, relative;
};

Index padded(Index n) { return (n + kRun - 1) / kRun * kRun; }

// One side's coordinates: the doubles, and coarse with kLanes samples to a block, coordinate after
// coordinate.
template <typename Norm>
class Side {
 public:
  using Coarse = typename Norm::Coarse;

  Side(const MatrixRef& rows, const Eigen::RowVectorXd& centre, const Norm& norm)
      : rows_(rows), n_(rows.rows()), d_(rows.cols()) {
    lanes_.setZero(padded(n_) * d_);
    for (Index i = 0; i < n_; ++i)
      for (Index c = 0; c < d_; ++c)
        lanes_(at(i) + c * kLanes) = norm.coarse(rows(i, c) - centre(c));
  }

  double distance(Index a, Index b) const {
    return Norm::distance(rows_.data() + a * rows_.outerStride(),
                          rows_.data() + b * rows_.outerStride(), d_);
  }

  /// Coarse distances of samples first ... first + kBatch - 1 to all, padded(n) each. Those of
  /// places that hold no sample are kFar.
  void distances(Index first, Coarse* out) const {
    const Coarse* query[kBatch];
    for (Index q = 0; q < kBatch; ++q) query[q] = lanes_.data() + at(std::min(first + q, n_ - 1));
    const Index length = padded(n_);
    for (Index begin = 0; begin < length; begin += kLanes) {
      const auto* lane = reinterpret_cast<const Vector*>(lanes_.data() + begin * d_);
      Vector sum[kBatch][kVectors] = {};
      for (Index c = 0; c < d_; ++c, lane += kVectors)
        for (Index q = 0; q < kBatch; ++q)
          for (Index v = 0; v < kVectors; ++v) Norm::add(sum[q][v], lane[v] - query[q][c * kLanes]);
      for (Index q = 0; q < kBatch; ++q)
        for (Index v = 0; v < kVectors; ++v)
          reinterpret_cast<Vector*>(out + q * length + begin)[v] = sum[q][v];
    }
    for (Index q = 0; q < kBatch; ++q)
      std::fill(out + q * length + n_, out + (q + 1) * length, Norm::kFar);
  }

 private:
  using Vector = typename Norm::Vector;
  static constexpr Index kVectors = 2;  // to a block: sums and coordinates fit the registers
  static constexpr Index kLanes = kVectors * static_cast<Index>(kVectorBytes / sizeof(Coarse));
  static_assert(kRun % kLanes == 0);

  Index at(Index sample) const { return sample / kLanes * kLanes * d_ + sample % kLanes; }

  const MatrixRef& rows_;
  Index n_, d_;
  Eigen::Array<Coarse, Eigen::Dynamic, 1> lanes_;
};

template <typename Norm>
class Search {
 public:
  using Coarse = typename Norm::Coarse;

  Search(const std::vector<Side<Norm>>& sides, const Norm& norm, Index n)
      : sides_(sides), norm_(norm), n_(n), length_(padded(n)) {
    rows_.resize(sides.size());
    for (auto& rows : rows_) rows.resize(kBatch * length_);
    largest_.resize(length_);
  }

  NearSamples run(std::span<const PeerRows> groups) {
    NearSamples out;
    out.radius.resize(static_cast<size_t>(n_));
    out.within.assign(sides_.size(), std::vector<Index>(static_cast<size_t>(n_)));
    Index begin = 0, end = 0;
    auto group = groups.begin();
    for (Index i = 0; i < n_; ++i) {
      while (i >= end) {
        nearest_.resize(static_cast<size_t>(group->neighbours));
        begin = end;
        end += (group++)->size;
      }
      const Index q = i % kBatch;
      if (q == 0)
        for (size_t s = 0; s < sides_.size(); ++s) sides_[s].distances(i, rows_[s].data());
      const double radius = kth_distance(i, q, begin, end);
      out.radius[static_cast<size_t>(i)] = radius;
      for (size_t s = 0; s < sides_.size(); ++s)
        out.within[s][static_cast<size_t>(i)] = count_within(s, i, q, radius);
    }
    return out;
  }

 private:
  const Coarse* row(size_t side, Index q) const { return rows_[side].data() + q * length_; }

  // Of the largest of the sides' distances, among samples begin ... end - 1.
  double kth_distance(Index i, Index q, Index begin, Index end) {
    const Coarse* coarse = row(0, q);
    if (sides_.size() > 1) {
      const Coarse *const a = row(0, q), *const b = row(1, q);
      for (Index j = 0; j < length_; ++j) largest_(j) = std::max(a[j], b[j]);
      coarse = largest_.data();
    }
    std::fill(nearest_.begin(), nearest_.end(), kInfinity);
    Coarse limit = norm_.outside(kInfinity);
    for (Index run = begin / kRun * kRun; run < end; run += kRun) {
      Index near = 0;
      for (Index l = 0; l < kRun; ++l) near += coarse[run + l] <= limit;
      if (near == 0) continue;
      for (Index j = std::max(run, begin); j < std::min(run + kRun, end); ++j) {
        if (coarse[j] > limit || j == i) continue;
        double found = 0.0;
        for (const auto& side : sides_) found = std::max(found, side.distance(i, j));
        if (found >= nearest_.back()) continue;
        size_t at = nearest_.size() - 1;
        for (; at > 0 && nearest_[at - 1] > found; --at) nearest_[at] = nearest_[at - 1];
        nearest_[at] = found;
        limit = norm_.outside(nearest_.back());
      }
    }
    return nearest_.back();
  }

  Index count_within(size_t side, Index i, Index q, double radius) const {
    const Coarse inside = norm_.inside(radius), outside = norm_.outside(radius);
    const Coarse* const coarse = row(side, q);
    Index out = 0;
    for (Index run = 0; run < length_; run += kRun) {
      int sure = 0, near = 0;
      for (Index l = 0; l < kRun; ++l) {
        sure += coarse[run + l] <= inside;
        near += coarse[run + l] <= outside;
      }
      out += sure;
      if (near == sure) continue;
      for (Index j = run; j < run + kRun; ++j) {
        if (coarse[j] <= inside || coarse[j] > outside) continue;
        const double found = sides_[side].distance(i, j);
        out += radius > 0.0 ? found < radius : found == 0.0;
      }
    }
    return out;
  }

  const std::vector<Side<Norm>>& sides_;
  const Norm norm_;
  Index n_, length_;
  std::vector<Eigen::Array<Coarse, Eigen::Dynamic, 1>>
      rows_;  // by side: coarse distances of a batch
  Eigen::Array<Coarse, Eigen::Dynamic, 1> largest_;
  std::vector<double> nearest_;  // the k smallest distances seen, ascending
};

template <typename Norm>
NearSamples search(const std::vector<const MatrixRef*>& matrices,
                   std::span<const PeerRows> groups) {
  std::vector<Eigen::RowVectorXd> centres;
  double largest = 0.0;
  Index d = 0;
  for (const MatrixRef* rows : matrices) {
    const Eigen::RowVectorXd low = rows->colwise().minCoeff(), high = rows->colwise().maxCoeff();
    centres.emplace_back(0.5 * low + 0.5 * high);
    largest =
        std::max({largest, (high - centres.back()).maxCoeff(), (centres.back() - low).maxCoeff()});
    d = std::max(d, rows->cols());
  }
  const Norm norm(largest, d);
  std::vector<Side<Norm>> sides;
  for (size_t s = 0; s < matrices.size(); ++s) sides.emplace_back(*matrices[s], centres[s], norm);
  return Search<Norm>(sides, norm, matrices.front()->rows()).run(groups);
}

}  // namespace

NearSamples near_by_max_norm(const MatrixRef& x, const MatrixRef& y, Index k) {
  const PeerRows all{.size = x.rows(), .neighbours = k};
  return search<MaxNorm>({&x, &y}, {&all, 1});
}

NearSamples near_by_euclidean_norm(const MatrixRef& rows, std::span<const PeerRows> groups) {
  return search<EuclideanNorm>({&rows}, groups);
}

}  // namespace conoscope::metrics::detail
