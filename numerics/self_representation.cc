// SPDX-License-Identifier: Apache-2.0
#include "numerics/self_representation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::numerics {
namespace {

constexpr Index kNearest = 100;    // rows looked at first
constexpr Index kMostAdded = 100;  // rows that join after a look at all
constexpr Index kRowsPerBlock = 256;
// A row counts as dependent on the support where less than this share of its squared norm is left.
constexpr double kDependent = 1e-12;

/// min 0.5 |x_i - c X|^2 + a |c|_1 over a growing list of candidates j.
class RowProblem {
 public:
  RowProblem(const MatrixRef& x, const Vector& squared_norms, Index row, double largest_product,
             const SelfRepresentationOptions& options)
      : x_(x),
        squared_norms_(squared_norms),
        row_(row),
        alpha_(largest_product / options.gamma),
        tolerance_(options.tolerance * largest_product) {}

  Index row() const { return row_; }
  double alpha() const { return alpha_; }
  double tolerance() const { return tolerance_; }
  const Eigen::RowVectorXd& residual() const { return residual_; }
  const std::vector<Index>& candidates() const { return candidates_; }
  void add(Index candidate) { candidates_.push_back(candidate); }

  /// Solves for the candidates. gathered is scratch.
  void solve(Matrix& gathered) {
    const auto count = static_cast<Index>(candidates_.size());
    gathered.resize(count, x_.cols());
    for (Index w = 0; w < count; ++w) gathered.row(w) = x_.row(candidates_[to_size(w)]);
    in_support_.resize(candidates_.size(), 0);
    const int limit = 100 + 20 * static_cast<int>(count);
    for (int step = 0; step < limit; ++step) {
      refresh(gathered);
      const std::vector<Index> breaching = breaches();
      if (breaching.empty()) {
        breach_ = std::max(polish(gathered), inactive_breach());
        if (breach_ <= tolerance_) return;
        continue;
      }
      if (!activate(breaching, gathered)) slide(breaching.front(), gathered);
      descend();
    }
    throw std::domain_error("sparse_self_representation: row " + std::to_string(row_) +
                            " did not settle in " + std::to_string(limit) + " steps");
  }

  /// The largest breach, over the candidates.
  double breach() const { return breach_; }
  double l1() const { return values_.head(size_).lpNorm<1>(); }
  double objective() const { return 0.5 * residual_.squaredNorm() + alpha_ * l1(); }

  void append_to(std::vector<Eigen::Triplet<double>>& out) const {
    for (Index s = 0; s < size_; ++s)
      if (values_[s] != 0.0)
        out.emplace_back(row_, candidates_[to_size(support_[to_size(s)])], values_[s]);
  }

 private:
  static std::size_t to_size(Index i) { return static_cast<std::size_t>(i); }

  void refresh(const Matrix& gathered) {
    residual_ = x_.row(row_);
    for (Index s = 0; s < size_; ++s)
      residual_.noalias() -= values_[s] * gathered.row(support_[to_size(s)]);
    products_.noalias() = gathered * residual_.transpose();
  }

  /// Candidates outside the support that ought to be in it, worst first.
  std::vector<Index> breaches() const {
    std::vector<Index> out;
    for (Index w = 0; w < products_.size(); ++w)
      if (!in_support_[to_size(w)] && std::abs(products_[w]) > alpha_ + tolerance_)
        out.push_back(w);
    std::sort(out.begin(), out.end(), [&](Index a, Index b) {
      const double pa = std::abs(products_[a]), pb = std::abs(products_[b]);
      return pa != pb ? pa > pb : a < b;
    });
    return out;
  }

  /// By how much a product outside the support exceeds the penalty.
  double inactive_breach() const {
    double worst = 0.0;
    for (Index w = 0; w < products_.size(); ++w)
      if (!in_support_[to_size(w)]) worst = std::max(worst, std::abs(products_[w]) - alpha_);
    return worst;
  }

  /// Steps by the residual itself until the support's conditions hold; returns what is left.
  double polish(const Matrix& gathered) {
    double left = 0.0;
    for (int pass = 0; pass < 4; ++pass) {
      Vector error(size_);
      for (Index s = 0; s < size_; ++s)
        error[s] = products_[support_[to_size(s)]] - alpha_ * signs_[s];
      left = size_ > 0 ? error.lpNorm<Eigen::Infinity>() : 0.0;
      if (left <= 0.1 * tolerance_ || pass == 3) break;
      solve_factor(error);
      values_.head(size_) += error;
      refresh(gathered);
    }
    // A coefficient that the last digits pushed across 0 leaves.
    for (Index s = size_; s-- > 0;)
      if (values_[s] * signs_[s] <= 0.0) {
        drop(s);
        left = std::numeric_limits<double>::infinity();
      }
    return left;
  }

  /// Some of the worst join the support at 0, with the sign of their product. At most half as many
  /// as are in: rows alike crowd in together and most would have to leave again.
  bool activate(const std::vector<Index>& breaching, const Matrix& gathered) {
    const Index most = std::max<Index>(1, size_ / 4);
    const double worst = std::abs(products_[breaching.front()]) - alpha_;
    Index joined = 0;
    for (const Index w : breaching) {
      if (joined == most || std::abs(products_[w]) - alpha_ < 0.5 * worst) break;
      if (join(w, gathered))
        ++joined;
      else if (joined == 0)
        return false;
    }
    return true;
  }

  Vector products_with_support(Index w, const Matrix& gathered) const {
    Vector out(size_);
    for (Index s = 0; s < size_; ++s)
      out[s] = gathered.row(support_[to_size(s)]).dot(gathered.row(w));
    return out;
  }

  bool join(Index w, const Matrix& gathered) {
    const double own = squared_norms_[candidates_[to_size(w)]];
    Vector column = products_with_support(w, gathered);
    lower().solveInPlace(column);
    const double pivot = own - column.squaredNorm();
    if (!(pivot > kDependent * own)) return false;
    if (size_ == factor_.rows()) {
      const Index room = std::max<Index>(16, 2 * size_);
      factor_.conservativeResize(room, room);
      values_.conservativeResize(room);
      signs_.conservativeResize(room);
      targets_.conservativeResize(room);
    }
    factor_.row(size_).head(size_) = column.transpose();
    factor_(size_, size_) = std::sqrt(pivot);
    values_[size_] = 0.0;
    signs_[size_] = products_[w] > 0.0 ? 1.0 : -1.0;
    targets_[size_] = gathered.row(w).dot(x_.row(row_));
    support_.push_back(w);
    in_support_[to_size(w)] = 1;
    ++size_;
    return true;
  }

  /// Takes the s-th out of the support: its row leaves the factor, rotations close the gap.
  void drop(Index s) {
    in_support_[to_size(support_[to_size(s)])] = 0;
    support_.erase(support_.begin() + s);
    const Index after = size_ - 1 - s;
    for (Index k = s; k < size_ - 1; ++k) {
      values_[k] = values_[k + 1];
      signs_[k] = signs_[k + 1];
      targets_[k] = targets_[k + 1];
    }
    for (Index k = s; k < size_ - 1; ++k)
      factor_.row(k).head(k + 2) = factor_.row(k + 1).head(k + 2);
    --size_;
    for (Index k = s; k < s + after; ++k) {
      Eigen::JacobiRotation<double> turn;
      turn.makeGivens(factor_(k, k), factor_(k, k + 1));
      factor_.middleRows(k, size_ - k).applyOnTheRight(k, k + 1, turn);
      if (factor_(k, k) < 0.0) factor_.col(k).segment(k, size_ - k) *= -1.0;
    }
  }

  Eigen::TriangularView<const Eigen::Block<const Eigen::MatrixXd>, Eigen::Lower> lower() const {
    return std::as_const(factor_).topLeftCorner(size_, size_).triangularView<Eigen::Lower>();
  }

  void solve_factor(Vector& right) const {
    lower().solveInPlace(right);
    std::as_const(factor_)
        .topLeftCorner(size_, size_)
        .triangularView<Eigen::Lower>()
        .transpose()
        .solveInPlace(right);
  }

  /// A candidate that the support spans: along the combination that (nearly) leaves the fit as it
  /// is, |c|_1 falls until a coefficient reaches 0. That one makes room for the candidate.
  void slide(Index w, const Matrix& gathered) {
    const double sign = products_[w] > 0.0 ? 1.0 : -1.0;
    Vector move = products_with_support(w, gathered);
    solve_factor(move);
    move *= -sign;  // of the support per unit of sign * c_w
    Index first = -1;
    double length = std::numeric_limits<double>::infinity();
    for (Index s = 0; s < size_; ++s)
      if (move[s] * signs_[s] < 0.0 && -values_[s] / move[s] < length) {
        length = -values_[s] / move[s];
        first = s;
      }
    if (first < 0)
      throw std::domain_error("sparse_self_representation: row " + std::to_string(row_) +
                              ": the rows are too close to dependent");
    values_.head(size_) += length * move;
    drop(first);
    if (join(w, gathered)) values_[size_ - 1] = sign * length;
  }

  /// To the minimum within the sign pattern; a coefficient that would change sign leaves at 0.
  void descend() {
    while (size_ > 0) {
      Vector goal = targets_.head(size_) - alpha_ * signs_.head(size_);
      solve_factor(goal);
      // Newcomers, at 0, that would move against their sign leave before anything moves.
      bool left = false;
      for (Index s = size_; s-- > 0;)
        if (values_[s] == 0.0 && goal[s] * signs_[s] <= 0.0) {
          drop(s);
          left = true;
        }
      if (left) continue;
      double length = 1.0;
      Index first = -1;
      for (Index s = 0; s < size_; ++s)
        if (goal[s] * signs_[s] <= 0.0) {
          const double until_zero = values_[s] / (values_[s] - goal[s]);
          if (until_zero < length || first < 0) length = until_zero, first = s;
        }
      if (first < 0) {
        values_.head(size_) = goal;
        return;
      }
      values_.head(size_) += length * (goal - values_.head(size_));
      drop(first);
    }
  }

  const MatrixRef& x_;
  const Vector& squared_norms_;
  Index row_;
  double alpha_, tolerance_, breach_ = 0.0;
  std::vector<Index> candidates_;    // rows of x
  std::vector<char> in_support_;     // by candidate
  std::vector<Index> support_;       // candidates
  Index size_ = 0;                   // of the support; what follows has room for more
  Vector values_, signs_, targets_;  // c_s; its sign; <x_i, x_s>
  Eigen::MatrixXd factor_;           // lower Cholesky factor of the support's Gram matrix
  Eigen::RowVectorXd residual_;
  Vector products_;  // <r, x_w> by candidate
};

/// All rows in float, scaled so that the longest has norm 1, and what float can get wrong.
struct FloatRows {
  explicit FloatRows(const MatrixRef& x, double longest)
      : scale(1.0 / longest),
        rows((x * scale).cast<float>()),
        // A product of two vectors of norm <= 1, each rounded: (D + 2) u, and second-order terms.
        margin(1.1 * static_cast<double>(x.cols() + 2) * 0x1.0p-24) {}
  double scale;
  MatrixF rows;
  double margin;
};

class Solver {
 public:
  Solver(const MatrixRef& x, const SelfRepresentationOptions& options)
      : x_(x),
        options_(options),
        squared_norms_(x.rowwise().squaredNorm()),
        floats_(
            x, std::max(std::sqrt(squared_norms_.maxCoeff()), std::numeric_limits<double>::min())) {
  }

  SelfRepresentation run() {
    const Index n = x_.rows();
    SelfRepresentation out;
    out.alpha = out.objective = out.l1 = Vector::Zero(n);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index first = 0; first < n; first += kRowsPerBlock) {
      options_.progress(static_cast<double>(first) / static_cast<double>(n));
      std::vector<RowProblem> problems = start(first, std::min(kRowsPerBlock, n - first));
      std::vector<RowProblem*> open;
      for (RowProblem& problem : problems) open.push_back(&problem);
      while (!open.empty()) {
        for (RowProblem* problem : open) problem->solve(gathered_);
        open = those_with_breaches(open);
      }
      for (const RowProblem& problem : problems) {
        const Index i = problem.row();
        out.alpha[i] = problem.alpha();
        out.objective[i] = problem.objective();
        out.l1[i] = problem.l1();
        problem.append_to(entries);
      }
    }
    out.breach = breach_;
    for (const Index i : alone_) out.objective[i] = 0.5 * squared_norms_[i];
    out.coefficients.resize(n, n);
    out.coefficients.setFromTriplets(entries.begin(), entries.end());
    options_.progress(1.0);
    return out;
  }

 private:
  double product(const Eigen::RowVectorXd& r, Index j) const { return r.dot(x_.row(j)); }

  /// m_i in double, and the nearest rows as candidates. Rows orthogonal to all others have no
  /// problem.
  std::vector<RowProblem> start(Index first, Index count) {
    const Index n = x_.rows();
    products_.noalias() = floats_.rows.middleRows(first, count) * floats_.rows.transpose();
    std::vector<RowProblem> out;
    out.reserve(static_cast<std::size_t>(count));
    std::vector<Index> order;
    for (Index b = 0; b < count; ++b) {
      const Index i = first + b;
      auto row = products_.row(b);
      row = row.cwiseAbs();
      row[i] = -1.0f;  // never itself
      const double limit = static_cast<double>(row.maxCoeff()) - 2.0 * floats_.margin;
      double largest = 0.0;
      for (Index j = 0; j < n; ++j)
        if (j != i && static_cast<double>(row[j]) >= limit)
          largest = std::max(largest, std::abs(x_.row(i).dot(x_.row(j))));
      if (largest == 0.0) {
        alone_.push_back(i);
        continue;
      }
      out.emplace_back(x_, squared_norms_, i, largest, options_);
      order.resize(static_cast<std::size_t>(n));
      for (Index j = 0; j < n; ++j) order[static_cast<std::size_t>(j)] = j;
      order.erase(order.begin() + i);
      keep_largest(order, kNearest, [&](Index j) { return row[j]; });
      for (const Index j : order) out.back().add(j);
    }
    return out;
  }

  /// The first `count` by value, descending; lower row of equals.
  template <typename Value>
  static void keep_largest(std::vector<Index>& order, Index count, Value&& value) {
    const auto before = [&](Index a, Index b) {
      return value(a) != value(b) ? value(a) > value(b) : a < b;
    };
    const auto keep = std::min(order.size(), static_cast<std::size_t>(count));
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(keep), order.end(),
                     before);
    order.resize(keep);
    std::sort(order.begin(), order.end(), before);
  }

  /// Looks at the products of all rows with the residuals; problems that one of them breaches get
  /// the worst as new candidates and are returned.
  std::vector<RowProblem*> those_with_breaches(const std::vector<RowProblem*>& solved) {
    const auto count = static_cast<Index>(solved.size());
    MatrixF residuals(count, x_.cols());
    Vector norms(count);
    for (Index b = 0; b < count; ++b) {
      const Eigen::RowVectorXd& r = solved[static_cast<std::size_t>(b)]->residual();
      norms[b] = r.norm();
      if (norms[b] > 0.0)
        residuals.row(b) = (r / norms[b]).cast<float>();
      else
        residuals.row(b).setZero();
    }
    products_.noalias() = residuals * floats_.rows.transpose();
    std::vector<RowProblem*> open;
    std::vector<char> known(static_cast<std::size_t>(x_.rows()), 0);
    std::vector<Index> breaching;
    for (Index b = 0; b < count; ++b) {
      RowProblem& problem = *solved[static_cast<std::size_t>(b)];
      if (norms[b] == 0.0) continue;
      for (const Index j : problem.candidates()) known[static_cast<std::size_t>(j)] = 1;
      known[static_cast<std::size_t>(problem.row())] = 1;
      const double limit = problem.alpha() * floats_.scale / norms[b] - floats_.margin;
      const auto float_limit = static_cast<float>(limit - 1e-7 * std::abs(limit));
      breaching.clear();
      double worst = problem.breach();
      const auto row = products_.row(b);
      for (Index j = 0; j < row.size(); ++j) {
        if (std::abs(row[j]) < float_limit || known[static_cast<std::size_t>(j)]) continue;
        const double over = std::abs(product(problem.residual(), j)) - problem.alpha();
        if (over > problem.tolerance())
          breaching.push_back(j);
        else
          worst = std::max(worst, over);
      }
      for (const Index j : problem.candidates()) known[static_cast<std::size_t>(j)] = 0;
      known[static_cast<std::size_t>(problem.row())] = 0;
      if (breaching.empty()) {
        breach_ = std::max(breach_, worst * options_.tolerance / problem.tolerance());
        continue;
      }
      keep_largest(breaching, kMostAdded, [&](Index j) { return std::abs(row[j]); });
      for (const Index j : breaching) problem.add(j);
      open.push_back(&problem);
    }
    return open;
  }

  const MatrixRef& x_;
  const SelfRepresentationOptions& options_;
  Vector squared_norms_;
  FloatRows floats_;
  MatrixF products_;  // of a block of rows or residuals with all rows
  Matrix gathered_;
  std::vector<Index> alone_;
  double breach_ = 0.0;
};

}  // namespace

SelfRepresentation sparse_self_representation(const MatrixRef& x,
                                              const SelfRepresentationOptions& options) {
  require_filled("sparse_self_representation", "x", x);
  if (!(options.gamma > 1.0) || !std::isfinite(options.gamma))
    throw std::invalid_argument("sparse_self_representation: gamma = " +
                                std::to_string(options.gamma) + ", expected a number > 1");
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0))
    throw std::invalid_argument("sparse_self_representation: tolerance = " +
                                std::to_string(options.tolerance) + " is outside (0, 1)");
  return Solver(x, options).run();
}

std::vector<Index> rows_within_quantile(const VectorRef& l1, double quantile) {
  if (l1.size() < 1 || !l1.allFinite())
    throw std::invalid_argument("rows_within_quantile: l1 is empty or not finite");
  if (!(quantile > 0.0 && quantile <= 1.0))
    throw std::invalid_argument("rows_within_quantile: quantile = " + std::to_string(quantile) +
                                " is outside (0, 1]");
  Vector sorted = l1;
  std::sort(sorted.begin(), sorted.end());
  const double place = quantile * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<Index>(place);
  const double share = place - static_cast<double>(below);
  double limit = sorted[below];
  if (share > 0.0) limit += share * (sorted[below + 1] - sorted[below]);
  std::vector<Index> out;
  for (Index i = 0; i < l1.size(); ++i)
    if (l1[i] <= limit) out.push_back(i);
  return out;
}

}  // namespace conoscope::numerics
