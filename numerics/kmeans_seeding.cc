// SPDX-License-Identifier: Apache-2.0
#include "numerics/kmeans_seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace conoscope::numerics {
namespace {

/// <row, p> of kCount points, in one look at the row.
template <int kCount, typename T>
void dots_with(const T* row, const T* points, Index width, double* out) {
  constexpr int kLanes = 8;
  using Lanes = Eigen::Array<T, kLanes, 1, Eigen::DontAlign>;
  // A processor does not look beyond the page by itself, and a row may be half of one.
  constexpr Index kAhead = 16384 / static_cast<Index>(sizeof(T));
  Lanes sum[kCount];
  for (Lanes& lanes : sum) lanes.setZero();
  Index d = 0;
  for (; d + kLanes <= width; d += kLanes) {
    __builtin_prefetch(row + d + kAhead);
    const Lanes entries = Eigen::Map<const Lanes>(row + d);
    for (int c = 0; c < kCount; ++c)
      sum[c] += entries * Eigen::Map<const Lanes>(points + c * width + d);
  }
  for (int c = 0; c < kCount; ++c) {
    T total = sum[c].sum();
    for (Index rest = d; rest < width; ++rest) total += row[rest] * points[c * width + rest];
    out[c] = static_cast<double>(total);
  }
}

template <typename T>
void dots_with_all(const T* row, const RowMajor<T>& points, double* out) {
  constexpr Index kMost = 6;
  constexpr decltype(&dots_with<1, T>) kBySize[kMost] = {&dots_with<1, T>, &dots_with<2, T>,
                                                         &dots_with<3, T>, &dots_with<4, T>,
                                                         &dots_with<5, T>, &dots_with<6, T>};
  for (Index done = 0, count; done < points.rows(); done += count) {
    count = std::min(kMost, points.rows() - done);
    kBySize[count - 1](row, points.row(done).data(), points.cols(), out + done);
  }
}

/// Draws the seeds one after the other, and remembers how far each row is from the nearest.
template <typename T>
class Seeding {
 public:
  Seeding(const KMeansRows<T>& rows, Index k, Seed seed)
      : rows_(rows),
        random_(seed),
        trials_(2 + static_cast<Index>(std::log(static_cast<double>(k)))),
        seeds_(k, rows.x.cols()),
        nearest_(Vector::Constant(rows.x.rows(), std::numeric_limits<double>::infinity())),
        root_(nearest_),
        seed_of_(static_cast<std::size_t>(rows.x.rows()), 0) {}

  /// Draws the candidates of the next seed.
  void begin_step() {
    const std::vector<Index> drawn = draw();
    candidates_.resize(static_cast<Index>(drawn.size()), rows_.x.cols());
    for (std::size_t t = 0; t < drawn.size(); ++t)
      candidates_.row(static_cast<Index>(t)) = rows_.x.row(drawn[t]).template cast<double>();
    points_ = KMeansPoints<T>(rows_, candidates_);
    norms_ = points_.squares.cwiseSqrt();
    apart_.resize(chosen_, candidates_.rows());
    for (Index s = 0; s < chosen_; ++s)
      apart_.row(s) = (candidates_.rowwise() - seeds_.row(s)).rowwise().norm().transpose();
    distance_.resize(candidates_.rows(), rows_.x.rows());
  }

  /// For rows first ... end-1: how far each is from the nearest seed, were a candidate one of them.
  void measure(Index first, Index end) {
    const Index count = candidates_.rows();
    std::vector<double> dot(static_cast<std::size_t>(count));
    Eigen::Matrix<T, Eigen::Dynamic, 1> shifted;
    for (Index i = first; i < end; ++i) {
      const double nearest = nearest_[i], norm = rows_.norms[i];
      if (out_of_reach(i)) {
        for (Index t = 0; t < count; ++t) distance_(t, i) = nearest;
        continue;
      }
      const T* row = rows_.x.row(i).data();
      if (rows_.far) {
        shifted = rows_.x.row(i).transpose() - rows_.shift;
        row = shifted.data();
      }
      dots_with_all(row, points_.shifted, dot.data());
      const double error = points_.error(norm);
      for (Index t = 0; t < count; ++t) {
        double value = norm * norm + points_.squares[t] - 2.0 * dot[static_cast<std::size_t>(t)];
        // Measured directly where rounding would show.
        if (!(value > 1e3 * error) && !(value - 2.0 * error > nearest))
          value =
              squared_difference(rows_.x.row(i).data(), candidates_.row(t).data(), rows_.x.cols());
        distance_(t, i) = std::min(nearest, value);
      }
    }
  }

  /// The best candidate, once all rows are measured, is the next seed.
  void end_step() {
    Index best = 0;
    distance_.rowwise().sum().minCoeff(&best);
    seeds_.row(chosen_) = candidates_.row(best);
    for (Index i = 0; i < nearest_.size(); ++i) {
      if (!(distance_(best, i) < nearest_[i])) continue;
      nearest_[i] = distance_(best, i);
      root_[i] = std::sqrt(nearest_[i]);
      seed_of_[static_cast<std::size_t>(i)] = chosen_;
    }
    ++chosen_;
  }

  Matrix& seeds() { return seeds_; }

 private:
  std::vector<Index> draw() {
    const Index n = rows_.x.rows();
    const double total = chosen_ > 0 ? nearest_.sum() : 0.0;
    if (!(total > 0.0)) return {static_cast<Index>(random_.below(static_cast<std::uint64_t>(n)))};
    cumulated_.resize(static_cast<std::size_t>(n));
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) cumulated_[static_cast<std::size_t>(i)] = sum += nearest_[i];
    std::vector<Index> drawn;
    for (Index t = 0; t < trials_; ++t) {
      const double target = random_.uniform() * total;
      Index row =
          std::upper_bound(cumulated_.begin(), cumulated_.end(), target) - cumulated_.begin();
      if (row == n)  // rounding: the last row that could be drawn
        for (--row; !(nearest_[row] > 0.0);) --row;
      drawn.push_back(row);
    }
    return drawn;
  }

  /// Whether no candidate can be nearer than the seed that row i has, by the triangle inequality
  /// through that seed and through the origin.
  bool out_of_reach(Index i) const {
    if (chosen_ == 0) return false;
    const double own = root_[i] * (1.0 + 1e-6), norm = rows_.norms[i];
    const double* from_seed = apart_.row(seed_of_[static_cast<std::size_t>(i)]).data();
    for (Index t = 0; t < norms_.size(); ++t)
      if (from_seed[t] < 2.0 * own && std::abs(norm - norms_[t]) < own) return false;
    return true;
  }

  const KMeansRows<T>& rows_;
  Random random_;
  Index trials_, chosen_ = 0;
  Matrix seeds_;                // K x D
  Vector nearest_;              // N: squared distance to the nearest seed
  Vector root_;                 // N: its root
  std::vector<Index> seed_of_;  // N: which seed that is
  Matrix candidates_;           // of the next seed
  KMeansPoints<T> points_;      // the same
  Vector norms_;                // their norms, less the shift
  Matrix apart_;                // chosen x candidates: |seed - candidate|
  Matrix distance_;             // candidates x N, squared: see measure()
  std::vector<double> cumulated_;
};

// A look at all rows from memory costs more than what is done with them, so all starts take their
// steps together.
template <typename T>
std::vector<Matrix> seed_centres(const KMeansRows<T>& rows, Index k,
                                 const std::vector<Seed>& seeds) {
  std::vector<Seeding<T>> starts;
  for (const Seed& seed : seeds) starts.emplace_back(rows, k, seed);
  const Index n = rows.x.rows(), block = rows_per_block<T>(rows.x.cols());
  for (Index chosen = 0; chosen < k; ++chosen) {
    for (Seeding<T>& start : starts) start.begin_step();
    for (Index first = 0; first < n; first += block)
      for (Seeding<T>& start : starts) start.measure(first, std::min(first + block, n));
    for (Seeding<T>& start : starts) start.end_step();
  }
  std::vector<Matrix> out;
  for (Seeding<T>& start : starts) out.push_back(std::move(start.seeds()));
  return out;
}

template <typename T>
std::vector<Matrix> plus_plus(const RowMajorRef<T>& x, Index k, const std::vector<Seed>& seeds) {
  const KMeansRows<T> rows(x);
  require_kmeans_k(k, x.rows());
  return seed_centres(rows, k, seeds);
}

/// `count` of the numbers 0 ... n-1, ascending, each set of them equally likely.
std::vector<Index> drawn(Index count, Index n, Random random) {
  std::vector<Index> out;
  for (Index i = 0; static_cast<Index>(out.size()) < count; ++i)
    if (random.below(static_cast<std::uint64_t>(n - i)) <
        static_cast<std::uint64_t>(count) - out.size())
      out.push_back(i);
  return out;
}

}  // namespace

template <typename T>
std::vector<Matrix> kmeans_starts(const KMeansRows<T>& rows, Index k, Seed seed, int n_init) {
  constexpr Index kMostRows = 16384, kRowsOfSeed = 100;
  require_kmeans_k(k, rows.x.rows());
  require_at_least("kmeans", "n_init", n_init, 1);
  std::vector<Seed> seeds;
  for (int start = 0; start < n_init; ++start)
    seeds.push_back(seed.child("start").child(static_cast<std::uint64_t>(start)));
  const Index n = rows.x.rows(), count = std::max(kMostRows, kRowsOfSeed * k);
  if (n <= count) return seed_centres(rows, k, seeds);
  // Each start from rows of its own: a few that lie far off are in some of the samples.
  std::vector<Matrix> out;
  for (const Seed& start : seeds) {
    const RowMajor<T> some = rows.x(drawn(count, n, Random(start.child("rows"))), Eigen::all);
    out.push_back(std::move(seed_centres(KMeansRows<T>(some), k, {start}).front()));
  }
  return out;
}

template std::vector<Matrix> kmeans_starts(const KMeansRows<float>&, Index, Seed, int);
template std::vector<Matrix> kmeans_starts(const KMeansRows<double>&, Index, Seed, int);

std::vector<Matrix> kmeans_starts(const MatrixRef& x, Index k, Seed seed, int n_init) {
  return kmeans_starts(KMeansRows<double>(x), k, seed, n_init);
}

std::vector<Matrix> kmeans_starts(const MatrixRefF& x, Index k, Seed seed, int n_init) {
  return kmeans_starts(KMeansRows<float>(x), k, seed, n_init);
}

std::vector<Matrix> kmeans_plus_plus(const MatrixRef& x, Index k, const std::vector<Seed>& seeds) {
  return plus_plus<double>(x, k, seeds);
}

std::vector<Matrix> kmeans_plus_plus(const MatrixRefF& x, Index k, const std::vector<Seed>& seeds) {
  return plus_plus<float>(x, k, seeds);
}

}  // namespace conoscope::numerics
