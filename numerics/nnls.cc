// SPDX-License-Identifier: Apache-2.0
#include "numerics/nnls.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::numerics {
namespace {

using ColMajor = Eigen::MatrixXd;
using Support = std::vector<Index>;

/// G restricted to a support, factored once for all rows that meet it.
class Factors {
 public:
  explicit Factors(const ColMajor& gram) : gram_(gram) {}

  const Eigen::LLT<ColMajor>& of(const Support& support) {
    const auto found = cache_.find(support);
    if (found != cache_.end()) return found->second;
    if (cache_.size() >= kMost) cache_.clear();
    return cache_.emplace(support, Eigen::LLT<ColMajor>(gram_(support, support))).first->second;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  const ColMajor& gram_;
  std::map<Support, Eigen::LLT<ColMajor>> cache_;
};

/// Block principal pivoting for one row: min_{w >= 0} 0.5 w G w - w b. False where it did not
/// settle.
bool block_pivoting(const ColMajor& gram, const Vector& b, double tolerance, Factors& factors,
                    std::vector<bool>& in, Vector& w) {
  const Index k = gram.rows();
  // Full exchanges while they shrink the number of violations, at most 3 that do not; then only the
  // violation of highest index (Murty), which cannot cycle.
  Index fewest = k + 1;
  int patience = 3;
  for (Index round = 0; round < 30 * k + 30; ++round) {
    Support support;
    for (Index j = 0; j < k; ++j)
      if (in[static_cast<std::size_t>(j)]) support.push_back(j);
    w.setZero(k);
    if (!support.empty()) {
      const Vector on = factors.of(support).solve(b(support));
      w(support) = on;
    }
    Vector gradient = -b;
    for (const Index j : support) gradient += gram.col(j) * w[j];

    Index violations = 0, highest = -1;
    const auto violates = [&](Index j) {
      return in[static_cast<std::size_t>(j)] ? w[j] < 0.0 : gradient[j] < -tolerance;
    };
    for (Index j = 0; j < k; ++j) {
      if (!violates(j)) continue;
      ++violations;
      highest = j;
    }
    if (violations == 0) {
      for (const Index j : support)
        if (!(std::abs(gradient[j]) <= tolerance)) return false;
      return w.allFinite();
    }
    const bool shrinks = violations < fewest;
    if (shrinks) {
      fewest = violations;
      patience = 3;
    } else {
      --patience;
    }
    for (Index j = 0; j < k; ++j)
      if (patience >= 0 ? violates(j) : j == highest) in[static_cast<std::size_t>(j)].flip();
  }
  return false;
}

/// What is left of the columns of b beside the span of those of `used`; twice is enough (Parlett).
ColMajor beside(const ColMajor& used, ColMajor b) {
  if (used.cols() == 0) return b;
  const Eigen::HouseholderQR<ColMajor> qr(used);
  const ColMajor q = qr.householderQ() * ColMajor::Identity(used.rows(), used.cols());
  for (int pass = 0; pass < 2; ++pass) b -= q * (q.transpose() * b);
  return b;
}

/// Lawson-Hanson for one row on |y - A w|^2; A: rows >= K, K columns.
///
/// The residual is orthogonal to the columns in use, so a column's gradient is its product with
/// what is left of that column beside them: no digits are lost where columns are nearly parallel.
Vector active_set(const ColMajor& a, const Vector& y, Index row) {
  const Index k = a.cols();
  // A column counts as dependent when less than 1e-10 of it is left, the residual as 0 when its
  // length is the rounding of y's, and a gradient when its cosine with the residual is 1e-12.
  constexpr double kDependent = 1e-10, kFlat = 1e-12;
  const Vector lengths = a.colwise().norm();
  const double nothing =
      4.0 * static_cast<double>(k) * std::numeric_limits<double>::epsilon() * y.norm();
  Vector w = Vector::Zero(k);
  std::vector<bool> in(static_cast<std::size_t>(k), false), barred(in);
  const auto members = [&] {
    Support support;
    for (Index j = 0; j < k; ++j)
      if (in[static_cast<std::size_t>(j)]) support.push_back(j);
    return support;
  };
  for (Index change = 0; change < 30 * k + 30; ++change) {
    const ColMajor held = a(Eigen::all, members());
    const Vector residual = beside(held, y);
    if (residual.norm() <= nothing) return w;
    const ColMajor left = beside(held, a);
    Index enter = -1;
    double steepest = kFlat * residual.norm();
    for (Index j = 0; j < k; ++j) {
      const double length = left.col(j).norm();
      if (in[static_cast<std::size_t>(j)] || barred[static_cast<std::size_t>(j)] ||
          length <= kDependent * lengths[j])
        continue;
      const double uphill = left.col(j).dot(residual) / length;
      if (uphill <= steepest) continue;
      steepest = uphill;
      enter = j;
    }
    if (enter < 0) return w;

    in[static_cast<std::size_t>(enter)] = true;
    bool stepped = false;
    while (true) {
      const Support support = members();
      if (support.empty()) break;
      const ColMajor used = a(Eigen::all, support);
      const Vector target = Eigen::HouseholderQR<ColMajor>(used).solve(y);
      double step = 1.0;
      Index bound = -1;
      for (std::size_t s = 0; s < support.size(); ++s) {
        const double now = w[support[s]], then = target[static_cast<Index>(s)];
        if (then > 0.0) continue;
        const double reach = now > then ? now / (now - then) : 0.0;
        if (bound >= 0 && reach >= step) continue;
        step = reach;
        bound = support[s];
      }
      for (std::size_t s = 0; s < support.size(); ++s) {
        const Index j = support[s];
        const double then = target[static_cast<Index>(s)];
        w[j] = bound < 0 ? then : w[j] + step * (then - w[j]);
        if (j == bound || w[j] < 0.0) {  // below zero: by rounding only
          w[j] = 0.0;
          in[static_cast<std::size_t>(j)] = false;
        }
      }
      if (step > 0.0) stepped = true;
      if (bound < 0) break;
    }
    // A column that entered and left without a step gains nothing until the support has changed.
    if (!stepped && !in[static_cast<std::size_t>(enter)])
      barred[static_cast<std::size_t>(enter)] = true;
    else
      barred.assign(barred.size(), false);
  }
  throw std::domain_error("nnls: the active set of row " + std::to_string(row) + " did not settle");
}

bool close_to_singular(const Eigen::LLT<ColMajor>& factor) {
  constexpr double kSpan = 1e5;
  if (factor.info() != Eigen::Success) return true;
  const Vector diagonal = factor.matrixLLT().diagonal();
  return !(diagonal.maxCoeff() <= kSpan * diagonal.minCoeff());
}

}  // namespace

Matrix nnls(const MatrixRef& x, const MatrixRef& h, double ridge) {
  require_filled("nnls", "x", x);
  require_filled("nnls", "h", h);
  require_weight("nnls", "ridge", ridge);
  if (h.cols() != x.cols())
    throw std::invalid_argument("nnls: h has " + std::to_string(h.cols()) + " columns, x has " +
                                std::to_string(x.cols()));

  const Index n = x.rows(), k = h.rows();
  ColMajor gram = h * h.transpose();
  gram.diagonal().array() += ridge;
  const Matrix products = product_by_whole_blocks<double>(x, h);
  const Eigen::LLT<ColMajor> factor(gram);
  const bool singular = close_to_singular(factor);

  // A = [H^T; sqrt(ridge) I] = Q R: |[x; 0] - A w| and |Q^T [x; 0] - R w| differ by a constant.
  ColMajor a(h.cols() + k, k), triangle;
  Eigen::HouseholderQR<ColMajor> qr;
  const auto by_active_set = [&](Index i) {
    if (triangle.size() == 0) {
      a << ColMajor(h.transpose()), std::sqrt(ridge) * ColMajor::Identity(k, k);
      qr.compute(a);
      triangle = qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
    }
    Vector y = Vector::Zero(a.rows());
    y.head(h.cols()) = x.row(i).transpose();
    y = qr.householderQ().transpose() * y;
    return active_set(triangle, y.head(k), i);
  };

  Matrix w(n, k), gradient;
  if (!singular) {
    w = by_whole_blocks(products, [&factor](const Matrix& right) -> Matrix {
      return factor.solve(right.transpose()).transpose();
    });
    gradient = product_by_whole_blocks<double>(w, gram.transpose()) - products;
  }
  Factors factors(gram);
  std::vector<bool> in(static_cast<std::size_t>(k));
  Vector row(k);
  for (Index i = 0; i < n; ++i) {
    bool settled = false;
    if (!singular) {
      const double tolerance = 1e-12 * products.row(i).cwiseAbs().maxCoeff();
      if (w.row(i).minCoeff() >= 0.0) {  // the unconstrained solution is feasible
        settled = gradient.row(i).cwiseAbs().maxCoeff() <= tolerance;
      } else {
        for (Index j = 0; j < k; ++j) in[static_cast<std::size_t>(j)] = w(i, j) > 0.0;
        settled = block_pivoting(gram, products.row(i).transpose(), tolerance, factors, in, row);
        if (settled) w.row(i) = row.transpose();
      }
    }
    if (!settled) w.row(i) = by_active_set(i).transpose();
  }
  return w;
}

}  // namespace conoscope::numerics
