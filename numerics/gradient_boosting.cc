// SPDX-License-Identifier: Apache-2.0
#include "numerics/gradient_boosting.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::numerics {

namespace {

constexpr float kSameValue = 1e-7F;
constexpr double kPure = 2.220446049250313e-16;  // variance at which a node is a leaf

using Entry = SortedFeatures::Entry;

/// Grows one tree after another on the same features. All features' rows are kept in order of value
/// within each node: a level is one scan and one stable partition per feature.
class Grower {
 public:
  Grower(const SortedFeatures& x, Index depth)
      : x_(x), depth_(depth), leaf_(static_cast<std::size_t>(x.rows())), left_(leaf_.size()) {
    for (auto* buffer : {&front_, &back_})
      buffer->resize(static_cast<std::size_t>(x.features()),
                     std::vector<Entry>(static_cast<std::size_t>(x.rows())));
  }

  /// leaf_of() afterwards tells each training row's leaf; `gain` gets the variance taken away by
  /// feature. Leaf values are left 0.
  BoostedTree grow(const Vector& residual, Vector& gain) {
    const auto n = static_cast<std::size_t>(x_.rows());
    BoostedTree tree;
    tree.nodes.emplace_back();
    std::fill(leaf_.begin(), leaf_.end(), 0);
    gain.setZero();
    std::vector<Segment> level{{0, 0, n, residual.sum(), residual.squaredNorm()}}, next;
    for (Index depth = 0; depth < depth_ && !level.empty(); ++depth) {
      const bool deepest = depth + 1 == depth_;
      next.clear();
      for (const Segment& segment : level) split(segment, depth, residual, tree, gain, next);
      if (deepest || next.empty()) break;
      partition(next, depth);
      level = next;
    }
    return tree;
  }

  const std::vector<std::uint16_t>& leaf_of() const { return leaf_; }

 private:
  struct Segment {
    Index node;
    std::size_t begin, end;
    double sum, squares;
  };

  /// Level 0 lies in the features themselves, deeper levels in two buffers that take turns.
  const Entry* source(Index feature, Index depth) const {
    if (depth == 0) return x_.sorted(feature).data();
    const auto& buffer = depth % 2 == 1 ? front_ : back_;
    return buffer[static_cast<std::size_t>(feature)].data();
  }

  void split(const Segment& segment, Index depth, const Vector& residual, BoostedTree& tree,
             Vector& gain, std::vector<Segment>& next) {
    const std::size_t size = segment.end - segment.begin;
    const auto n = static_cast<double>(size);
    const double mean = segment.sum / n;
    if (size < 2 || segment.squares / n - mean * mean <= kPure) return;
    // The criterion is compared by cross-multiplication: a division per row would cost more than
    // all the rest.
    double best = 0.0, best_weight = 1.0;
    Index best_feature = -1;
    std::size_t best_at = 0;
    const double* const r = residual.data();
    for (Index f = 0; f < x_.features(); ++f) {
      const Entry* const at = source(f, depth);
      if (at[segment.end - 1].value <= at[segment.begin].value + kSameValue) continue;
      double sum_left = 0.0, count_left = 0.0;
      for (std::size_t p = segment.begin; p + 1 < segment.end; ++p) {
        sum_left += r[at[p].row];
        count_left += 1.0;
        if (at[p + 1].value <= at[p].value + kSameValue) continue;
        const double count_right = n - count_left;
        const double difference = count_right * sum_left - count_left * (segment.sum - sum_left);
        const double square = difference * difference, weight = count_left * count_right;
        if (square * best_weight > best * weight || best_feature < 0) {
          best = square;
          best_weight = weight;
          best_feature = f;
          best_at = p + 1;
        }
      }
    }
    if (best_feature < 0) return;

    const Entry* const at = source(best_feature, depth);
    const double low = at[best_at - 1].value, high = at[best_at].value;
    double threshold = low / 2.0 + high / 2.0;
    if (threshold == high) threshold = low;
    gain[best_feature] += best / best_weight / n;

    const auto left = static_cast<Index>(tree.nodes.size());
    BoostedTree::Node& node = tree.nodes[static_cast<std::size_t>(segment.node)];
    node.feature = best_feature;
    node.threshold = threshold;
    node.left = left;
    node.right = left + 1;
    tree.nodes.emplace_back();
    tree.nodes.emplace_back();
    Segment halves[2] = {{left, segment.begin, best_at, 0.0, 0.0},
                         {left + 1, best_at, segment.end, 0.0, 0.0}};
    for (Segment& half : halves) {
      const bool goes_left = half.node == left;
      for (std::size_t p = half.begin; p < half.end; ++p) {
        const std::uint32_t row = at[p].row;
        leaf_[row] = static_cast<std::uint16_t>(half.node);
        left_[row] = goes_left;
        half.sum += r[row];
        half.squares += r[row] * r[row];
      }
      next.push_back(half);
    }
  }

  /// `next` holds the halves of the split segments, left before right.
  void partition(const std::vector<Segment>& next, Index depth) {
    auto& target = depth % 2 == 0 ? front_ : back_;
    for (Index f = 0; f < x_.features(); ++f) {
      const Entry* const from = source(f, depth);
      Entry* const to = target[static_cast<std::size_t>(f)].data();
      for (std::size_t s = 0; s + 1 < next.size(); s += 2) {
        std::size_t at_left = next[s].begin, at_right = next[s + 1].begin;
        for (std::size_t p = next[s].begin; p < next[s + 1].end; ++p) {
          // Selects instead of a branch that no processor can foresee.
          const Entry entry = from[p];
          const std::size_t goes_left = left_[entry.row];
          to[goes_left ? at_left : at_right] = entry;
          at_left += goes_left;
          at_right += 1 - goes_left;
        }
      }
    }
  }

  const SortedFeatures& x_;
  Index depth_;
  std::vector<std::vector<Entry>> front_, back_;
  std::vector<std::uint16_t> leaf_;
  std::vector<std::uint8_t> left_;
};

void require_options(const char* metric, const BoostingOptions& options) {
  if (options.stages < 1 || options.depth < 1 || options.depth > 15)
    refuse(metric, "options: stages is " + std::to_string(options.stages) + " and depth " +
                       std::to_string(options.depth) + "; needs stages >= 1 and 1 <= depth <= 15");
}

/// Mean importance of the trees that split at all.
class Importances {
 public:
  explicit Importances(Index features) : sum_(Vector::Zero(features)) {}
  void add(const Vector& gain, Index rows) {
    if (gain.sum() > 0.0) sum_ += gain / static_cast<double>(rows);
  }
  Vector normalised() const {
    const double total = sum_.sum();
    return total > 0.0 ? Vector(sum_ / total) : sum_;
  }

 private:
  Vector sum_;
};

MatrixF in_single_precision(const MatrixRef& x) { return x.cast<float>(); }

}  // namespace

SortedFeatures::SortedFeatures(const MatrixRef& x) : rows_(x.rows()) {
  if (x.rows() < 1 || x.cols() < 1)
    refuse("gradient_boosting", "x is " + shape_of(x) + "; needs rows and columns");
  const MatrixF single = in_single_precision(x);
  require_finite("gradient_boosting", "x", single);
  for (Index f = 0; f < x.cols(); ++f) {
    std::vector<Entry> column(static_cast<std::size_t>(x.rows()));
    for (Index i = 0; i < x.rows(); ++i)
      column[static_cast<std::size_t>(i)] = {single(i, f), static_cast<std::uint32_t>(i)};
    std::stable_sort(column.begin(), column.end(),
                     [](const Entry& a, const Entry& b) { return a.value < b.value; });
    sorted_.push_back(std::move(column));
  }
}

double BoostedTree::predict(const float* x) const {
  std::size_t at = 0;
  while (nodes[at].feature >= 0)
    at = static_cast<std::size_t>(static_cast<double>(x[nodes[at].feature]) <= nodes[at].threshold
                                      ? nodes[at].left
                                      : nodes[at].right);
  return nodes[at].value;
}

GradientBoosting GradientBoosting::regression(const SortedFeatures& x, const VectorRef& target,
                                              const BoostingOptions& options) {
  constexpr const char* kName = "gradient_boosting";
  require_options(kName, options);
  if (target.size() != x.rows())
    refuse(kName, "target has " + std::to_string(target.size()) + " entries for " +
                      std::to_string(x.rows()) + " rows");
  require_finite_vector(kName, "target", target);
  GradientBoosting out;
  out.learning_rate_ = options.learning_rate;
  out.initial_ = Vector::Constant(1, target.mean());
  Grower grower(x, options.depth);
  Importances importances(x.features());
  Vector raw = Vector::Constant(x.rows(), out.initial_[0]), gain(x.features());
  for (Index stage = 0; stage < options.stages; ++stage) {
    const Vector residual = target - raw;
    BoostedTree tree = grower.grow(residual, gain);
    importances.add(gain, x.rows());
    std::vector<double> sum(tree.nodes.size()), count(tree.nodes.size());
    const auto& leaf = grower.leaf_of();
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      sum[leaf[i]] += residual[static_cast<Index>(i)];
      count[leaf[i]] += 1.0;
    }
    for (std::size_t v = 0; v < sum.size(); ++v)
      if (count[v] > 0.0) tree.nodes[v].value = sum[v] / count[v];
    for (std::size_t i = 0; i < leaf.size(); ++i)
      raw[static_cast<Index>(i)] += options.learning_rate * tree.nodes[leaf[i]].value;
    out.trees_.push_back(std::move(tree));
  }
  out.importance_ = importances.normalised();
  return out;
}

GradientBoosting GradientBoosting::classification(const SortedFeatures& x,
                                                  const IndexVector& labels, Index classes,
                                                  const BoostingOptions& options) {
  constexpr const char* kName = "gradient_boosting";
  require_options(kName, options);
  if (classes < 2) refuse(kName, "classes is " + std::to_string(classes) + "; needs at least 2");
  require_labels(kName, labels, x.rows(), classes);
  Vector prior = Vector::Zero(classes);
  for (const Index label : labels) prior[label] += 1.0 / static_cast<double>(x.rows());
  for (Index c = 0; c < classes; ++c)
    if (prior[c] == 0.0) refuse(kName, "labels has no sample of class " + std::to_string(c));

  const bool binary = classes == 2;
  const Index per_stage = binary ? 1 : classes;
  GradientBoosting out;
  out.learning_rate_ = options.learning_rate;
  out.initial_ =
      binary ? Vector::Constant(1, std::log(prior[1] / prior[0])) : Vector(prior.array().log());
  // Newton's step for the multinomial loss: (K - 1) / K sum r / sum p (1 - p).
  const double scale =
      binary ? 1.0 : static_cast<double>(classes - 1) / static_cast<double>(classes);
  Grower grower(x, options.depth);
  Importances importances(x.features());
  Matrix raw(per_stage, x.rows()), probability(per_stage, x.rows());
  raw.colwise() = out.initial_;
  Vector residual(x.rows()), gain(x.features());
  for (Index stage = 0; stage < options.stages; ++stage) {
    if (binary) {
      probability = (1.0 + (-raw.array()).exp()).inverse();
    } else {
      const Eigen::RowVectorXd top = raw.colwise().maxCoeff();
      probability = (raw.rowwise() - top).array().exp();
      const Eigen::RowVectorXd total = probability.colwise().sum();
      probability.array().rowwise() /= total.array();
    }
    for (Index c = 0; c < per_stage; ++c) {
      const Index positive = binary ? 1 : c;
      for (Index i = 0; i < x.rows(); ++i)
        residual[i] =
            (labels[static_cast<std::size_t>(i)] == positive ? 1.0 : 0.0) - probability(c, i);
      BoostedTree tree = grower.grow(residual, gain);
      importances.add(gain, x.rows());
      std::vector<double> above(tree.nodes.size()), below(tree.nodes.size());
      const auto& leaf = grower.leaf_of();
      for (std::size_t i = 0; i < leaf.size(); ++i) {
        const double p = probability(c, static_cast<Index>(i));
        above[leaf[i]] += residual[static_cast<Index>(i)];
        below[leaf[i]] += p * (1.0 - p);
      }
      for (std::size_t v = 0; v < above.size(); ++v)
        tree.nodes[v].value = std::abs(below[v]) < 1e-150 ? 0.0 : scale * above[v] / below[v];
      for (std::size_t i = 0; i < leaf.size(); ++i)
        raw(c, static_cast<Index>(i)) += options.learning_rate * tree.nodes[leaf[i]].value;
      out.trees_.push_back(std::move(tree));
    }
  }
  out.importance_ = importances.normalised();
  return out;
}

void GradientBoosting::require_features(const MatrixRef& x) const {
  if (x.cols() != importance_.size())
    refuse("gradient_boosting", "x has " + std::to_string(x.cols()) + " columns; the model has " +
                                    std::to_string(importance_.size()) + " features");
}

Matrix GradientBoosting::raw(const MatrixRef& x) const {
  require_features(x);
  const MatrixF single = in_single_precision(x);
  const Index per_stage = initial_.size();
  Matrix out(x.rows(), per_stage);
  out.rowwise() = initial_.transpose();
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const Index c = static_cast<Index>(t) % per_stage;
    for (Index i = 0; i < x.rows(); ++i)
      out(i, c) += learning_rate_ * trees_[t].predict(single.data() + i * single.cols());
  }
  return out;
}

Vector GradientBoosting::predict(const MatrixRef& x) const { return raw(x).col(0); }

Matrix GradientBoosting::probabilities(const MatrixRef& x) const {
  const Matrix scores = raw(x);
  if (scores.cols() == 1) {
    Matrix out(x.rows(), 2);
    out.col(1) = (1.0 + (-scores.col(0).array()).exp()).inverse();
    out.col(0) = 1.0 - out.col(1).array();
    return out;
  }
  return softmax(scores);
}

IndexVector GradientBoosting::classify(const MatrixRef& x) const {
  const Matrix probability = probabilities(x);
  IndexVector out(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i)
    probability.row(i).maxCoeff(&out[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace conoscope::numerics
