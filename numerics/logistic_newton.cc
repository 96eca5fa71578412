// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <string>

#include "numerics/checks.h"
#include "numerics/logistic_regression.h"

namespace conoscope::numerics {

namespace {

constexpr int kNewtonSteps = 100, kHalvings = 40;

/// log(1 + exp(z)) without overflow.
double softplus(double z) {
  return z > 0.0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
}

/// The penalised loss at u = (w, b) and its derivatives.
struct Loss {
  const Matrix& x;  // n x (D + 1), the last column 1
  const Vector& y;
  double c;

  double value(const Vector& u) const {
    const Vector margin = (x * u).cwiseProduct(y);
    double sum = 0.0;
    for (Index i = 0; i < margin.size(); ++i) sum += softplus(-margin[i]);
    return 0.5 * u.head(u.size() - 1).squaredNorm() + c * sum;
  }

  void derivatives(const Vector& u, Vector& gradient, Eigen::MatrixXd& hessian) const {
    const Vector margin = (x * u).cwiseProduct(y);
    Vector slope(margin.size()), bend(margin.size());
    for (Index i = 0; i < margin.size(); ++i) {
      const double wrong = 1.0 / (1.0 + std::exp(margin[i]));  // exp may be infinite: then 0
      slope[i] = -c * y[i] * wrong;
      bend[i] = c * wrong * (1.0 - wrong);
    }
    gradient = x.transpose() * slope;
    hessian = x.transpose() * bend.asDiagonal() * x;
    const Index width = u.size() - 1;
    gradient.head(width) += u.head(width);
    hessian.diagonal().head(width).array() += 1.0;
    hessian(width, width) += 1e-12 * (1.0 + c);  // flat in b when every margin is huge
  }
};

Vector minimise(const Loss& loss) {
  Vector u = Vector::Zero(loss.x.cols()), gradient;
  Eigen::MatrixXd hessian;
  double first = 0.0;
  for (int step = 0; step < kNewtonSteps; ++step) {
    loss.derivatives(u, gradient, hessian);
    if (step == 0) first = gradient.norm();
    if (gradient.norm() <= 1e-8 * first) break;
    const Vector move = hessian.ldlt().solve(gradient);
    const double now = loss.value(u), slope = gradient.dot(move);
    double share = 1.0;
    int halvings = 0;
    while (halvings < kHalvings && loss.value(u - share * move) > now - 1e-4 * share * slope) {
      share *= 0.5;
      ++halvings;
    }
    if (halvings == kHalvings) break;  // as low as rounding lets it
    u -= share * move;
  }
  return u;
}

}  // namespace

LogisticRegression logistic_regression_newton(const MatrixRef& x, const IndexVector& labels,
                                              double c) {
  constexpr const char* kName = "logistic_regression_newton";
  if (!(c > 0.0) || !std::isfinite(c))
    refuse(kName, "c is " + std::to_string(c) + "; needs to be finite and > 0");
  require_filled(kName, "x", x);
  require_labels(kName, labels, x.rows(), 2);
  const Index n = x.rows(), width = x.cols();
  Vector y(n);
  for (Index i = 0; i < n; ++i) y[i] = labels[static_cast<std::size_t>(i)] == 1 ? 1.0 : -1.0;

  // The minimum lies in the span of the rows: with fewer rows than features, x = L Q^T and w = Q u.
  Matrix rows = x;
  Eigen::MatrixXd q;
  if (n < width) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    q = qr.householderQ() * Eigen::MatrixXd::Identity(width, n);
    rows = rows * q;
  }
  Matrix with_one(n, rows.cols() + 1);
  with_one << rows, Vector::Ones(n);
  const Vector u = minimise({with_one, y, c});
  Vector w = u.head(u.size() - 1);
  if (q.size() > 0) w = q * w;
  return {w.transpose(), u.tail(1)};
}

}  // namespace conoscope::numerics
