// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_ksg.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "metrics/information/near_samples.h"
#include "numerics/checks.h"
#include "numerics/digamma.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "mi_ksg";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_neighbours(Index n, Index k) {
  if (k < 1) numerics::refuse(kName, "neighbours is " + std::to_string(k) + "; it must be >= 1");
  if (n < k + 1)
    numerics::refuse(kName, "x has " + std::to_string(n) + " samples; neighbours = " +
                                std::to_string(k) + " need at least " + std::to_string(k + 1));
}

MiEstimate estimate(const std::vector<double>& psi, Index n, Index k, double sum_psi, Index tied) {
  MiEstimate out;
  out.raw = psi[static_cast<size_t>(n - 1)] + psi[static_cast<size_t>(k - 1)] -
            sum_psi / static_cast<double>(n);
  out.value = std::max(0.0, out.raw);
  out.tied = tied;
  return out;
}

// The k smallest distances seen, ascending.
class Nearest {
 public:
  explicit Nearest(Index k) : distance_(static_cast<size_t>(k), kInfinity) {}
  void clear() { std::fill(distance_.begin(), distance_.end(), kInfinity); }
  double kth() const { return distance_.back(); }
  void add(double distance) {
    size_t at = distance_.size() - 1;
    for (; at > 0 && distance_[at - 1] > distance; --at) distance_[at] = distance_[at - 1];
    distance_[at] = distance;
  }

 private:
  std::vector<double> distance_;
};

}  // namespace

KsgScalar::KsgScalar(const SortedValues& x, const KsgOptions& options)
    : x_(x), k_(options.neighbours) {
  const Index n = x.size();
  require_neighbours(n, k_);
  psi_ = numerics::digamma_table(n);
  // A neighbourhood of independent scalars spans about sqrt(n k) places of either.
  const auto length = static_cast<Index>(std::sqrt(static_cast<double>(n * k_))) / 2 + 8;
  run_of_.resize(static_cast<size_t>(n));
  run_begin_.push_back(0);
  const auto sorted = x.sorted();
  for (Index place = 0; place < n; ++place) {
    const auto p = static_cast<size_t>(place);
    if (place - run_begin_.back() >= length && sorted[p] != sorted[p - 1])
      run_begin_.push_back(static_cast<std::int32_t>(place));
    run_of_[static_cast<size_t>(x.order()[p])] = static_cast<std::int32_t>(run_begin_.size() - 1);
  }
  run_begin_.push_back(static_cast<std::int32_t>(n));
}

MiEstimate KsgScalar::with(const SortedValues& y, std::span<const std::int32_t> order) const {
  const Index n = x_.size(), runs = static_cast<Index>(run_begin_.size()) - 1;
  if (y.size() != n || static_cast<Index>(order.size()) != n)
    numerics::refuse(kName, "x has " + std::to_string(n) + " samples and y " +
                                std::to_string(y.size()) + "; they must be as many");
  // Each run's samples by ascending y: y's order, dealt out to the runs.
  std::vector<double> xs(static_cast<size_t>(n)), ys(static_cast<size_t>(n));
  std::vector<std::int32_t> next(run_begin_.begin(), run_begin_.end() - 1);
  for (Index place = 0; place < n; ++place) {
    const auto sample = static_cast<size_t>(order[static_cast<size_t>(place)]);
    const auto at = static_cast<size_t>(next[static_cast<size_t>(run_of_[sample])]++);
    xs[at] = x_.values()[sample];
    ys[at] = y.sorted()[static_cast<size_t>(place)];
  }
  const auto begin_of = [this](Index run) {
    return static_cast<Index>(run_begin_[static_cast<size_t>(run)]);
  };
  const double* const sorted = x_.sorted().data();

  Nearest nearest(k_);
  double sum = 0.0;
  Index tied = 0;
  // Where to start looking in each run: queries of one run come by ascending y.
  std::vector<Index> start(static_cast<size_t>(runs));
  for (Index home = 0; home < runs; ++home) {
    for (Index run = 0; run < runs; ++run) start[static_cast<size_t>(run)] = begin_of(run);
    for (Index query = begin_of(home); query < begin_of(home + 1); ++query) {
      const double x0 = xs[static_cast<size_t>(query)], y0 = ys[static_cast<size_t>(query)];
      nearest.clear();
      const auto scan = [&](Index low, Index high, Index first, Index end) {
        for (; high < end; ++high) {
          const double dy = ys[static_cast<size_t>(high)] - y0;
          if (dy >= nearest.kth()) break;
          const double d = std::max(dy, std::abs(xs[static_cast<size_t>(high)] - x0));
          if (d < nearest.kth()) nearest.add(d);
        }
        for (; low >= first; --low) {
          const double dy = y0 - ys[static_cast<size_t>(low)];
          if (dy >= nearest.kth()) break;
          const double d = std::max(dy, std::abs(xs[static_cast<size_t>(low)] - x0));
          if (d < nearest.kth()) nearest.add(d);
        }
      };
      const auto visit = [&](Index run) {
        Index& from = start[static_cast<size_t>(run)];
        const Index end = begin_of(run + 1);
        while (from < end && ys[static_cast<size_t>(from)] < y0) ++from;
        scan(from - 1, from, begin_of(run), end);
      };
      scan(query - 1, query + 1, begin_of(home), begin_of(home + 1));
      for (Index run = home - 1; run >= 0 && x0 - sorted[begin_of(run + 1) - 1] < nearest.kth();
           --run)
        visit(run);
      for (Index run = home + 1; run < runs && sorted[begin_of(run)] - x0 < nearest.kth(); ++run)
        visit(run);

      const double radius = nearest.kth();
      tied += radius == 0.0;
      // count_within counts the sample itself, so its count is n_x + 1.
      sum += psi_[static_cast<size_t>(x_.count_within(x0, radius) - 1)] +
             psi_[static_cast<size_t>(y.count_within(y0, radius) - 1)];
    }
  }
  return estimate(psi_, n, k_, sum, tied);
}

MiEstimate KsgScalar::with_itself() const {
  double sum = 0.0;
  Index tied = 0;
  const std::vector<double> radius = neighbour_distances(x_.sorted(), k_);
  for (size_t p = 0; p < radius.size(); ++p) {
    tied += radius[p] == 0.0;
    sum += 2.0 * psi_[static_cast<size_t>(x_.count_within(x_.sorted()[p], radius[p]) - 1)];
  }
  return estimate(psi_, x_.size(), k_, sum, tied);
}

MiEstimate mi_ksg(const SortedValues& x, const SortedValues& y, const KsgOptions& options) {
  return KsgScalar(x, options).with(y);
}

MiEstimate mi_ksg_self(const SortedValues& x, const KsgOptions& options) {
  return KsgScalar(x, options).with_itself();
}

MiEstimate mi_ksg(const MatrixRef& x, const MatrixRef& y, const KsgOptions& options) {
  const Index n = x.rows(), k = options.neighbours;
  if (x.cols() < 1 || y.cols() < 1 || y.rows() != n)
    numerics::refuse(kName, "x is " + std::to_string(n) + " x " + std::to_string(x.cols()) +
                                " and y " + numerics::shape_of(y) +
                                "; both need n rows and a column");
  require_neighbours(n, k);
  numerics::require_finite(kName, "x", x);
  numerics::require_finite(kName, "y", y);
  if (x.cols() == 1 && y.cols() == 1) {
    const Vector xs = x.col(0), ys = y.col(0);
    return mi_ksg(SortedValues(xs), SortedValues(ys), options);
  }
  const detail::NearSamples near = detail::near_by_max_norm(x, y, k);
  const std::vector<double> psi = numerics::digamma_table(n);
  double sum = 0.0;
  Index tied = 0;
  for (const double r : near.radius) tied += r == 0.0;
  for (const auto& side : near.within)
    for (const Index count : side) sum += psi[static_cast<size_t>(count - 1)];
  return estimate(psi, n, k, sum, tied);
}

}  // namespace conoscope::metrics
