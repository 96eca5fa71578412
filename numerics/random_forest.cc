// SPDX-License-Identifier: Apache-2.0
#include "numerics/random_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"
#include "numerics/random.h"

namespace conoscope::numerics {

namespace {

constexpr float kSameValue = 1e-7F;
constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr double kPure = 2.220446049250313e-16;

/// The rows of one tree, split in place; prediction for all rows alongside.
class Tree {
 public:
  Tree(const MatrixF& columns, const std::vector<std::vector<std::uint32_t>>& rank,
       const VectorRef& target, Index min_leaf, Random& random)
      : x_(columns),
        rank_(rank),
        offset_(std::round(target.mean())),
        y_(target.array() - offset_),
        min_leaf_(min_leaf),
        random_(random) {}

  /// Grows on rows with weight > 0 and predicts those with weight 0.
  void grow(const std::vector<double>& weight, Vector& gain, Vector& prediction) {
    weight_ = &weight;
    gain_ = &gain;
    prediction_ = &prediction;
    std::vector<std::uint32_t> seen, unseen;
    for (std::size_t i = 0; i < weight.size(); ++i)
      (weight[i] > 0.0 ? seen : unseen).push_back(static_cast<std::uint32_t>(i));
    node(seen, unseen);
  }

 private:
  using Rows = std::vector<std::uint32_t>;

  void leaf(const Rows& unseen, double mean) {
    for (const std::uint32_t row : unseen) (*prediction_)[row] = mean + offset_;
  }

  /// Ranks are a permutation, so a large node is sorted by laying its rows out in their places.
  void sort_by(const std::vector<std::uint32_t>& rank, Rows& rows) {
    if (rows.size() * 32 < rank.size()) {
      std::sort(rows.begin(), rows.end(),
                [&rank](std::uint32_t a, std::uint32_t b) { return rank[a] < rank[b]; });
      return;
    }
    places_.assign(rank.size(), kNobody);
    for (const std::uint32_t row : rows) places_[rank[row]] = row;
    std::size_t filled = 0;
    for (const std::uint32_t row : places_) {
      if (filled == rows.size()) break;
      rows[filled] = row;
      filled += row != kNobody;
    }
  }

  void node(Rows& seen, Rows& unseen) {
    double total = 0.0, sum = 0.0, squares = 0.0;
    for (const std::uint32_t row : seen) {
      const double w = (*weight_)[row], y = y_[row];
      total += w;
      sum += w * y;
      squares += w * y * y;
    }
    const double mean = sum / total;
    const auto size = static_cast<Index>(seen.size());
    if (size < 2 * min_leaf_ || squares / total - mean * mean <= kPure) return leaf(unseen, mean);

    IndexVector left_to_draw(static_cast<std::size_t>(x_.rows()));
    std::iota(left_to_draw.begin(), left_to_draw.end(), Index{0});
    Index feature = -1;
    while (feature < 0 && !left_to_draw.empty()) {
      const auto draw = static_cast<std::size_t>(random_.below(left_to_draw.size()));
      const Index candidate = left_to_draw[draw];
      left_to_draw.erase(left_to_draw.begin() + static_cast<std::ptrdiff_t>(draw));
      float low = x_(candidate, seen[0]), high = low;
      for (const std::uint32_t row : seen) {
        low = std::min(low, x_(candidate, row));
        high = std::max(high, x_(candidate, row));
      }
      if (high > low + kSameValue) feature = candidate;
    }
    if (feature < 0) return leaf(unseen, mean);

    const auto& rank = rank_[static_cast<std::size_t>(feature)];
    sort_by(rank, seen);
    double best = -1.0, left_sum = 0.0, left_total = 0.0;
    Index best_at = -1;
    for (Index p = 0; p + min_leaf_ < size; ++p) {
      const std::uint32_t row = seen[static_cast<std::size_t>(p)];
      left_sum += (*weight_)[row] * y_[row];
      left_total += (*weight_)[row];
      if (p + 1 < min_leaf_) continue;
      if (x_(feature, seen[static_cast<std::size_t>(p + 1)]) <= x_(feature, row) + kSameValue)
        continue;
      const double right_sum = sum - left_sum;
      const double score =
          left_sum * left_sum / left_total + right_sum * right_sum / (total - left_total);
      if (best_at < 0 || score > best) {
        best = score;
        best_at = p + 1;
      }
    }
    if (best_at < 0) return leaf(unseen, mean);
    (*gain_)[feature] += best - sum * sum / total;

    const double low = x_(feature, seen[static_cast<std::size_t>(best_at - 1)]),
                 high = x_(feature, seen[static_cast<std::size_t>(best_at)]);
    double threshold = low / 2.0 + high / 2.0;
    if (threshold == high) threshold = low;
    Rows left(seen.begin(), seen.begin() + best_at), right(seen.begin() + best_at, seen.end());
    Rows unseen_left, unseen_right;
    for (const std::uint32_t row : unseen)
      (static_cast<double>(x_(feature, row)) <= threshold ? unseen_left : unseen_right)
          .push_back(row);
    node(left, unseen_left);
    node(right, unseen_right);
  }

  const MatrixF& x_;  // d x n
  const std::vector<std::vector<std::uint32_t>>& rank_;
  double offset_;  ///< whole, so that whole targets stay whole and their sums exact
  Vector y_;       ///< without it: a variance from sums of squares needs numbers near 0
  Index min_leaf_;
  Random& random_;
  const std::vector<double>* weight_ = nullptr;
  Vector* gain_ = nullptr;
  Vector* prediction_ = nullptr;
  Rows places_;
};

}  // namespace

ForestFit random_forest(const MatrixRef& x, const VectorRef& target, const ForestOptions& options) {
  constexpr const char* kName = "random_forest";
  if (x.rows() < 1 || x.cols() < 1 || x.rows() != target.size())
    refuse(kName, "x is " + shape_of(x) + " and target has " + std::to_string(target.size()) +
                      " entries; needs one per row");
  if (options.trees < 1 || options.min_leaf < 1)
    refuse(kName, "options: trees is " + std::to_string(options.trees) + " and min_leaf " +
                      std::to_string(options.min_leaf) + "; both need to be >= 1");
  require_finite(kName, "x", x);
  require_finite_vector(kName, "target", target);
  const double spread = (target.array() - target.mean()).square().sum();
  if ((target.array() == target[0]).all())
    throw std::domain_error("random_forest: target is constant, so R^2 is not defined");

  const MatrixF columns = x.transpose().cast<float>();
  const auto n = static_cast<std::size_t>(x.rows());
  std::vector<std::vector<std::uint32_t>> rank(static_cast<std::size_t>(x.cols()));
  std::vector<std::uint32_t> order(n);
  for (Index f = 0; f < x.cols(); ++f) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return columns(f, a) < columns(f, b);
    });
    auto& ranks = rank[static_cast<std::size_t>(f)];
    ranks.resize(n);
    for (std::size_t i = 0; i < n; ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
  }

  Random random(options.seed, 17);
  Tree tree(columns, rank, target, options.min_leaf, random);
  Vector importance = Vector::Zero(x.cols()), sum = Vector::Zero(x.rows()),
         votes = Vector::Zero(x.rows()), prediction = Vector::Zero(x.rows()), gain(x.cols());
  std::vector<double> weight(n);
  for (Index t = 0; t < options.trees; ++t) {
    std::fill(weight.begin(), weight.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) weight[static_cast<std::size_t>(random.below(n))] += 1.0;
    gain.setZero();
    tree.grow(weight, gain, prediction);
    if (gain.sum() > 0.0) importance += gain / gain.sum();
    for (std::size_t i = 0; i < n; ++i)
      if (weight[i] == 0.0) {
        sum[static_cast<Index>(i)] += prediction[static_cast<Index>(i)];
        votes[static_cast<Index>(i)] += 1.0;
      }
  }
  ForestFit out;
  out.importance = importance.sum() > 0.0 ? Vector(importance / importance.sum()) : importance;
  const Vector mean = sum.array() / votes.array().max(1.0);
  out.out_of_bag_r2 = 1.0 - (target - mean).squaredNorm() / spread;
  return out;
}

}  // namespace conoscope::numerics
