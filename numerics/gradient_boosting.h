// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

struct BoostingOptions {
  Index stages = 100;
  Index depth = 3;
  double learning_rate = 0.1;
};

/// Features in single precision, each sorted once for all trees that are grown on them.
class SortedFeatures {
 public:
  struct Entry {
    float value;
    std::uint32_t row;
  };

  /// throws  std::invalid_argument: no rows, no columns, an entry not finite in single precision
  explicit SortedFeatures(const MatrixRef& x);

  Index rows() const { return rows_; }
  Index features() const { return static_cast<Index>(sorted_.size()); }
  const std::vector<Entry>& sorted(Index feature) const {
    return sorted_[static_cast<std::size_t>(feature)];
  }

 private:
  Index rows_ = 0;
  std::vector<std::vector<Entry>> sorted_;
};

/// Binary regression trees. Go left if the feature, in single precision, is <= threshold.
struct BoostedTree {
  struct Node {
    Index feature = -1;  ///< -1: leaf
    double threshold = 0.0;
    Index left = 0, right = 0;
    double value = 0.0;
  };
  std::vector<Node> nodes;  ///< node 0 is the root

  double predict(const float* x) const;
};

/// Gradient boosting as scikit-learn's defaults have it: Friedman's split criterion, no
/// subsampling.
///
/// Splits are put halfway between neighbouring values that differ by more than 1e-7 and maximise
/// (n_R sum_L - n_L sum_R)^2 / (n_L n_R) of the residuals, the first of equals: lower features
/// first. Which of exactly equal splits wins depends on rounding, so accuracies may differ from the
/// reference in the third digit where residuals take few values; regressions agree to rounding. The
/// order of the training rows alone, which enters one sum, moved probabilities by up to 0.06 on 3 of
/// 20 samples of three classes, 500 rows each, and by 4e-16 on the others.
class GradientBoosting {
 public:
  /// Least squares. target: one value per row.
  /// throws  std::invalid_argument: lengths that differ, an entry not finite, options < 1
  static GradientBoosting regression(const SortedFeatures& x, const VectorRef& target,
                                     const BoostingOptions& options = {});
  /// Multinomial deviance, for two classes the binomial one. labels: 0 ... classes-1, all present.
  /// throws  std::invalid_argument: as regression; fewer than two classes, one without samples
  static GradientBoosting classification(const SortedFeatures& x, const IndexVector& labels,
                                         Index classes, const BoostingOptions& options = {});

  /// Regression: the prediction for every row.
  Vector predict(const MatrixRef& x) const;
  /// Classification: n x classes.
  Matrix probabilities(const MatrixRef& x) const;
  /// Classification: the most probable class, the lowest of equals.
  IndexVector classify(const MatrixRef& x) const;

  /// Mean over the trees of the variance that splits at a feature take away, brought to the sum 1;
  /// all 0 if no tree has a split.
  const Vector& importance() const { return importance_; }

 private:
  void require_features(const MatrixRef& x) const;
  Matrix raw(const MatrixRef& x) const;  // one column per tree of a stage

  std::vector<BoostedTree> trees_;  // stage after stage
  Vector initial_;                  // per tree of a stage
  double learning_rate_ = 0.1;
  Vector importance_;
};

}  // namespace conoscope::numerics
