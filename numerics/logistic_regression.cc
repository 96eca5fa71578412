// SPDX-License-Identifier: Apache-2.0
#include "numerics/logistic_regression.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "numerics/checks.h"
#include "numerics/softmax.h"
#include "numerics/whole_blocks.h"

namespace conoscope::numerics {

namespace {

/// Loss and gradient at parameters laid out as W (row by row), then b.
class Problem {
 public:
  Problem(const MatrixRef& x, const IndexVector& labels, Index rows, double penalty)
      : x_(x), labels_(labels), rows_(rows), penalty_(penalty) {}

  Index size() const { return rows_ * (x_.cols() + 1); }

  double evaluate(const Vector& at, Vector& gradient) {
    const Index d = x_.cols();
    const Eigen::Map<const Matrix> w(at.data(), rows_, d);
    const auto b = at.tail(rows_);
    scores_.noalias() = x_ * w.transpose();
    scores_.rowwise() += b.transpose();
    double loss = 0.5 * penalty_ * w.squaredNorm();
    for (Index i = 0; i < scores_.rows(); ++i) {
      const Index label = labels_[static_cast<std::size_t>(i)];
      if (rows_ == 1) {
        const double s = label == 1 ? scores_(i, 0) : -scores_(i, 0);
        const double e = std::exp(-std::abs(s));
        loss += std::log1p(e) + std::max(-s, 0.0);
        const double miss = (s >= 0.0 ? e : 1.0) / (1.0 + e);  // 1 - probability of the label
        scores_(i, 0) = label == 1 ? -miss : miss;
        continue;
      }
      auto row = scores_.row(i);
      const double top = row.maxCoeff(), own = row[label];
      row = (row.array() - top).exp();
      const double total = row.sum();
      loss += std::log(total) + top - own;
      row /= total;
      row[label] -= 1.0;
    }
    gradient.resize(size());
    Eigen::Map<Matrix> gw(gradient.data(), rows_, d);
    gw.noalias() = scores_.transpose() * x_;
    gw += penalty_ * w;
    gradient.tail(rows_) = scores_.colwise().sum().transpose();
    return loss;
  }

 private:
  MatrixRef x_;
  const IndexVector& labels_;
  Index rows_;
  double penalty_;
  Matrix scores_;
};

struct Pair {
  Vector step, change;
  double product;
};

/// The two-loop recursion of L-BFGS: minus the inverse Hessian's estimate times the gradient.
Vector direction(const Vector& gradient, const std::deque<Pair>& memory) {
  Vector q = -gradient;
  std::vector<double> alpha(memory.size());
  for (std::size_t i = memory.size(); i-- > 0;) {
    alpha[i] = memory[i].step.dot(q) / memory[i].product;
    q -= alpha[i] * memory[i].change;
  }
  if (!memory.empty()) q *= memory.back().product / memory.back().change.squaredNorm();
  for (std::size_t i = 0; i < memory.size(); ++i)
    q += (alpha[i] - memory[i].change.dot(q) / memory[i].product) * memory[i].step;
  return q;
}

}  // namespace

LogisticRegression logistic_regression(const MatrixRef& x, const IndexVector& labels, Index classes,
                                       double c) {
  constexpr const char* kName = "logistic_regression";
  constexpr std::size_t kMemory = 12;
  constexpr double kRounding = 1e-14;  // of a sum of losses, relative
  if (x.rows() < 1 || x.cols() < 1)
    refuse(kName, "x is " + shape_of(x) + "; needs rows and columns");
  if (classes < 2) refuse(kName, "classes is " + std::to_string(classes) + "; needs at least 2");
  if (!(c > 0.0)) refuse(kName, "c is " + std::to_string(c) + "; needs to be > 0");
  require_labels(kName, labels, x.rows(), classes);
  require_finite(kName, "x", x);

  const Index rows = classes == 2 ? 1 : classes;
  Problem problem(x, labels, rows, 1.0 / c);
  Vector at = Vector::Zero(problem.size()), gradient;
  double value = problem.evaluate(at, gradient);
  const double enough = 1e-6 * std::sqrt(static_cast<double>(x.rows()));
  std::deque<Pair> memory;
  for (int iteration = 0; iteration < 5000; ++iteration) {
    if (gradient.lpNorm<Eigen::Infinity>() <= enough) break;
    Vector step = direction(gradient, memory);
    double slope = step.dot(gradient);
    if (!(slope < 0.0)) {
      memory.clear();
      step = -gradient;
      slope = -gradient.squaredNorm();
    }
    double length = memory.empty() ? 1.0 / std::max(1.0, gradient.norm()) : 1.0;
    Vector next, next_gradient;
    double next_value = value;
    bool moved = false;
    for (int halving = 0; halving < 60 && !moved; ++halving, length *= 0.5) {
      next = at + length * step;
      next_value = problem.evaluate(next, next_gradient);
      // Close to the optimum the loss changes by less than its rounding, and only the gradient tells.
      moved = next_value <= value + 1e-4 * length * slope ||
              (next_value <= value + kRounding * value &&
               next_gradient.squaredNorm() < gradient.squaredNorm());
    }
    if (!moved) break;  // rounding is all that is left
    Pair pair{next - at, next_gradient - gradient, 0.0};
    pair.product = pair.step.dot(pair.change);
    if (pair.product > 1e-14 * pair.step.norm() * pair.change.norm()) {
      memory.push_back(std::move(pair));
      if (memory.size() > kMemory) memory.pop_front();
    }
    at = next;
    gradient = next_gradient;
    value = next_value;
  }
  LogisticRegression out;
  out.weight = Eigen::Map<const Matrix>(at.data(), rows, x.cols());
  out.intercept = at.tail(rows);
  return out;
}

Matrix LogisticRegression::probabilities(const MatrixRef& x) const {
  if (x.cols() != weight.cols())
    refuse("logistic_regression", "x has " + std::to_string(x.cols()) + " columns; the model has " +
                                      std::to_string(weight.cols()));
  Matrix scores = product_by_whole_blocks<double>(x, weight);
  scores.rowwise() += intercept.transpose();
  if (scores.cols() > 1) return softmax(scores);
  Matrix out(x.rows(), 2);
  for (Index i = 0; i < x.rows(); ++i)
    out.row(i) << 1.0 / (1.0 + std::exp(scores(i, 0))), 1.0 / (1.0 + std::exp(-scores(i, 0)));
  return out;
}

IndexVector LogisticRegression::classify(const MatrixRef& x) const {
  const Matrix probability = probabilities(x);
  IndexVector out(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i)
    probability.row(i).maxCoeff(&out[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace conoscope::numerics
