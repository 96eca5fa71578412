// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/posthoc_cbm/hinge_svm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"

namespace conoscope::models {

namespace {

using numerics::Index;
using numerics::Matrix;
using numerics::Vector;

constexpr char kName[] = "hinge_svm";
constexpr double kTolerance = 1e-6, kLeastCurvature = 1e-12;

/// The dual problem: alpha in [0, C]^n with y . alpha = 0.
class Dual {
 public:
  Dual(const numerics::MatrixRef& x, Vector sign, double cost)
      : kernel_(x * x.transpose()),
        sign_(std::move(sign)),
        cost_(cost),
        alpha_(Vector::Zero(x.rows())),
        pull_(sign_) {}

  /// False: no pair violates its condition.
  bool step() {
    // The first of the pair pulls hardest towards more of its side.
    Index i = -1, j = -1;
    high_ = -std::numeric_limits<double>::infinity();
    low_ = -high_;
    for (Index t = 0; t < alpha_.size(); ++t)
      if (may_rise(t) && pull_(t) > high_) high_ = pull_(i = t);
    double best = 0.0;
    for (Index t = 0; t < alpha_.size(); ++t) {
      if (!may_fall(t)) continue;
      low_ = std::min(low_, pull_(t));
      const double gap = high_ - pull_(t);
      if (i < 0 || gap <= 0.0) continue;
      const double gain = gap * gap / curvature(i, t);
      if (gain > best) best = gain, j = t;
    }
    if (i < 0 || j < 0 || high_ - low_ <= kTolerance) return false;
    const double room_i = sign_(i) > 0 ? cost_ - alpha_(i) : alpha_(i);
    const double room_j = sign_(j) > 0 ? alpha_(j) : cost_ - alpha_(j);
    const double wanted = (high_ - pull_(j)) / curvature(i, j);
    const double d = std::min({wanted, room_i, room_j});
    set(i, d, d == room_i);
    set(j, -d, d == room_j);
    pull_ -= d * (kernel_.col(i) - kernel_.col(j));
    return true;
  }

  /// y_t alpha_t, the weight of row t.
  Vector weights() const { return sign_.cwiseProduct(alpha_); }
  double intercept() const { return (high_ + low_) / 2; }

 private:
  // In the direction of y: of rows with y = 1 alpha itself rises, of the others it falls.
  bool may_rise(Index t) const { return sign_(t) > 0 ? alpha_(t) < cost_ : alpha_(t) > 0.0; }
  bool may_fall(Index t) const { return sign_(t) > 0 ? alpha_(t) > 0.0 : alpha_(t) < cost_; }
  double curvature(Index i, Index j) const {
    return std::max(kernel_(i, i) + kernel_(j, j) - 2 * kernel_(i, j), kLeastCurvature);
  }
  /// At an edge exactly: a rounding error beside it would be moved again and again.
  void set(Index t, double along, bool to_edge) {
    const bool up = (along > 0) == (sign_(t) > 0);
    alpha_(t) = to_edge ? (up ? cost_ : 0.0) : alpha_(t) + sign_(t) * along;
  }

  Matrix kernel_;
  Vector sign_;
  double cost_;
  Vector alpha_;
  Vector pull_;  ///< y_t - w . x_t
  double high_ = 0.0, low_ = 0.0;
};

}  // namespace

HingeSvm hinge_svm(const numerics::MatrixRef& x, const numerics::IndexVector& there, double cost) {
  numerics::require_filled(kName, "x", x);
  numerics::require_labels(kName, there, x.rows(), 2);
  if (!(cost > 0.0) || !std::isfinite(cost))
    numerics::refuse(kName, "cost is " + std::to_string(cost) + ", expected more than 0");
  Vector sign(x.rows());
  for (Index i = 0; i < x.rows(); ++i) sign(i) = there[static_cast<std::size_t>(i)] == 1 ? 1 : -1;
  if (std::abs(sign.sum()) == static_cast<double>(x.rows()))
    numerics::refuse(kName, "there: every entry is " + std::to_string(there.front()));
  Dual dual(x, sign, cost);
  const Index most = std::max<Index>(1'000'000, 1000 * x.rows());
  for (Index steps = 0; dual.step(); ++steps)
    if (steps == most)
      throw std::runtime_error(std::string(kName) + ": not converged after " +
                               std::to_string(most) +
                               " steps; features of a smaller scale, or a "
                               "lower cost, converge faster");
  return {x.transpose() * dual.weights(), dual.intercept()};
}

}  // namespace conoscope::models
