#include "plugins/explainers/ace/cav.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace conoscope::methods {

namespace {

constexpr double kNothing = 1e-9;
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

Vector concept_activation_vector(const MatrixRef& has, const MatrixRef& lacks, double c) {
  const Index width = has.cols(), n = has.rows() + lacks.rows();
  if (has.rows() < 1 || lacks.rows() < 1 || lacks.cols() != width || width < 1 || !(c > 0.0) ||
      !std::isfinite(c) || !has.allFinite() || !lacks.allFinite())
    throw std::invalid_argument("concept_activation_vector: " + std::to_string(has.rows()) + " x " +
                                std::to_string(width) + " against " + std::to_string(lacks.rows()) +
                                " x " + std::to_string(lacks.cols()) +
                                ", c = " + std::to_string(c) +
                                "; each must have rows of the same width, finite, and c > 0");
  Matrix rows(n, width);
  rows << has, lacks;
  Vector y = Vector::Ones(n);
  y.tail(lacks.rows()).setConstant(-1.0);

  // The minimum lies in the span of the rows: with fewer rows than features, x = L Q^T and w = Q u.
  Eigen::MatrixXd q;
  if (n < width) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    q = qr.householderQ() * Eigen::MatrixXd::Identity(width, n);
    rows = rows * q;
  }
  Matrix x(n, rows.cols() + 1);
  x << rows, Vector::Ones(n);
  const Vector u = minimise({x, y, c});
  Vector w = u.head(u.size() - 1);
  if (q.size() > 0) w = q * w;
  // Where nothing separates, rounding still leaves a direction: one that moves no margin.
  const double norm = w.norm(), farthest = rows.rowwise().norm().maxCoeff();
  return norm * farthest > kNothing ? Vector(w / norm) : Vector(Vector::Zero(width));
}

}  // namespace conoscope::methods
