// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/scbm/told_logits.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/softmax.h"
#include "numerics/statistics/distributions.h"

namespace conoscope::models {

namespace {

constexpr double kLeastDiagonal = 1e-6, kLeastProbability = 1e-6, kBeyond = 1e-4;
/// Of the largest variance: what rounding leaves of a Schur complement may be a little below 0.
constexpr double kRounding = 1e-10;

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

Matrix lower_factor(Matrix covariance) {
  if (covariance.size() == 0) return covariance;
  covariance.diagonal().array() += kRounding * covariance.diagonal().maxCoeff();
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success)
    throw std::runtime_error("scbm: a covariance is not positive definite");
  return factor.matrixL();
}

std::vector<Index> others(Index concepts, const std::vector<Index>& told) {
  std::vector<Index> out;
  for (Index j = 0; j < concepts; ++j)
    if (!std::ranges::binary_search(told, j)) out.push_back(j);
  return out;
}

/// minimise sum softplus(-(m_j + u_j)) + lambda / 2 u^T Q u, u >= kBeyond, from u on.
class Inside {
 public:
  Inside(Vector m, Matrix q) : m_(std::move(m)), q_(std::move(q)) {}

  Vector solve(double lambda, Vector u) const {
    for (int step = 0; step < 200; ++step) {
      Vector gradient = lambda * (q_ * u);
      Matrix hessian = lambda * q_;
      for (Index j = 0; j < u.size(); ++j) {
        const double p = sigmoid(-(m_(j) + u(j)));
        gradient(j) -= p;
        hessian(j, j) += p * (1.0 - p);
      }
      // A coordinate that is held at its bound moves no other.
      for (Index j = 0; j < u.size(); ++j) {
        if (u(j) > kBeyond || gradient(j) < 0.0) continue;
        gradient(j) = 0.0;
        hessian.row(j).setZero();
        hessian.col(j).setZero();
        hessian(j, j) = 1.0;
      }
      const Vector direction = -hessian.ldlt().solve(gradient);
      if (direction.cwiseAbs().maxCoeff() <= 1e-12 * std::max(1.0, u.cwiseAbs().maxCoeff())) break;
      const double before = objective(lambda, u);
      double rate = 1.0;
      Vector next = u;
      for (; rate > 1e-12; rate /= 2) {
        next = (u + rate * direction).cwiseMax(kBeyond);
        if (objective(lambda, next) <= before + 1e-4 * gradient.dot(next - u)) break;
      }
      if (rate <= 1e-12) break;
      u = next;
    }
    return u;
  }

  double size(const Vector& u) const { return u.dot(q_ * u); }
  double entropy(const Vector& u) const {
    double out = 0.0;
    for (Index j = 0; j < u.size(); ++j) out += softplus(-(m_(j) + u(j)));
    return out;
  }

 private:
  double objective(double lambda, const Vector& u) const {
    return entropy(u) + 0.5 * lambda * size(u);
  }

  Vector m_;
  Matrix q_;
};

}  // namespace

Matrix covariance_factor(const numerics::VectorRef& raw, Index concepts) {
  if (raw.size() != concepts * (concepts + 1) / 2)
    numerics::refuse("covariance_factor", "raw has " + std::to_string(raw.size()) +
                                              " numbers for " + std::to_string(concepts) +
                                              " concepts");
  Matrix out = Matrix::Zero(concepts, concepts);
  for (Index i = 0, at = 0; i < concepts; ++i)
    for (Index j = 0; j <= i; ++j, ++at)
      out(i, j) = i == j ? softplus(raw(at)) + kLeastDiagonal : raw(at);
  return out;
}

EmpiricalCovariance empirical_covariance(const numerics::MatrixRef& concepts) {
  numerics::require_filled("empirical_covariance", "concepts", concepts);
  numerics::require_at_least("empirical_covariance", "rows of concepts", concepts.rows(), 2);
  Matrix logits = 0.05 + 0.9 * concepts.array();
  logits = (logits.array() / (1.0 - logits.array())).log().matrix();
  const Matrix centred = logits.rowwise() - logits.colwise().mean();
  EmpiricalCovariance out{centred.transpose() * centred / static_cast<double>(concepts.rows() - 1),
                          {}};
  const Eigen::LLT<Matrix> factor(out.covariance);
  const Matrix lower = factor.matrixL();
  if (factor.info() != Eigen::Success || lower.diagonal().minCoeff() < kLeastDiagonal)
    throw std::domain_error(
        "empirical_covariance: the concepts' covariance is singular: one has a single value, or "
        "two "
        "say the same");
  out.raw.resize(concepts.cols() * (concepts.cols() + 1) / 2);
  for (Index i = 0, at = 0; i < concepts.cols(); ++i)
    for (Index j = 0; j <= i; ++j, ++at)
      out.raw(at) = i == j ? std::log(std::expm1(lower(i, i))) : lower(i, j);
  return out;
}

double gumbel_temperature(double epoch, double epochs, double start, double end) {
  return std::max(start * std::exp(std::log(end / start) * epoch / epochs), end);
}

Conditional condition(const numerics::VectorRef& mean, const numerics::MatrixRef& covariance,
                      const std::vector<Index>& told, const numerics::VectorRef& logits) {
  const Index k = mean.size();
  if (covariance.rows() != k || covariance.cols() != k || told.empty() ||
      logits.size() != static_cast<Index>(told.size()) || told.front() < 0 || told.back() >= k ||
      !std::ranges::is_sorted(told, std::ranges::less_equal()))
    numerics::refuse("condition", "mean has " + std::to_string(k) + " entries, covariance is " +
                                      numerics::shape_of(covariance) + ", " +
                                      std::to_string(told.size()) + " are told (ascending) and " +
                                      std::to_string(logits.size()) + " logits");
  const std::vector<Index> rest = others(k, told);
  const Matrix between = covariance(rest, told);
  const Eigen::LDLT<Matrix> known(Matrix(covariance(told, told)));
  const Vector off = logits - mean(told);
  return {mean(rest) + between * known.solve(off),
          Matrix(covariance(rest, rest)) - between * known.solve(Matrix(between.transpose()))};
}

RegionPoint region_point(const numerics::VectorRef& mean, const numerics::MatrixRef& covariance,
                         const numerics::VectorRef& truth, double level) {
  const Index k = mean.size();
  if (k < 1 || covariance.rows() != k || covariance.cols() != k || truth.size() != k)
    numerics::refuse("region_point", "mean has " + std::to_string(k) + " entries, covariance is " +
                                         numerics::shape_of(covariance) + ", truth has " +
                                         std::to_string(truth.size()));
  const double largest = numerics::chi_squared_quantile(level, static_cast<double>(k));
  Vector side(k);
  for (Index j = 0; j < k; ++j) side(j) = truth(j) > 0.5 ? 1.0 : -1.0;
  const Matrix precision = Eigen::LDLT<Matrix>(Matrix(covariance)).solve(Matrix::Identity(k, k));
  const Matrix q = side.asDiagonal() * precision * side.asDiagonal();
  const Vector steps = Vector::Constant(k, std::sqrt(largest / q.sum()));
  const Inside inside(side.cwiseProduct(mean), q);

  // The region shrinks as its multiplier grows; both ends are pushed out until they enclose it.
  double low = 1e-3, high = 1.0;
  Vector u = steps.cwiseMax(kBeyond);
  while (high < 1e30 && inside.size(inside.solve(high, u)) > largest) high *= 10.0;
  while (low > 1e-30 && inside.size(inside.solve(low, u)) < largest) low /= 10.0;
  for (int i = 0; i < 200 && high > low * (1.0 + 1e-9); ++i) {
    const double middle = std::sqrt(low * high);
    u = inside.solve(middle, u);
    (inside.size(u) > largest ? low : high) = middle;
  }
  u = inside.solve(high, u);
  return {mean + side.cwiseProduct(steps), mean + side.cwiseProduct(u), inside.entropy(u)};
}

Vector SampledHead::probabilities(const numerics::VectorRef& mean,
                                  const numerics::MatrixRef& factor) const {
  Matrix eta = noise.lazyProduct(factor.transpose());
  eta.rowwise() += mean.transpose();
  return (1.0 + (-eta.array()).exp()).inverse().colwise().mean().transpose();
}

Vector SampledHead::answer(const numerics::VectorRef& mean, const numerics::MatrixRef& factor,
                           const std::vector<Index>& told, const Vector& truth,
                           const Vector& logits) const {
  const Index samples = noise.rows(), k = mean.size();
  Matrix there = Matrix::Zero(samples, k);
  const std::vector<Index> rest = others(k, told);
  for (std::size_t t = 0; t < told.size(); ++t)
    there.col(told[t]).setConstant(truth(static_cast<Index>(t)) > 0.5 ? 1.0 : 0.0);
  if (!rest.empty()) {
    Vector centre = mean;
    Matrix lower = factor;
    if (!told.empty()) {
      const Conditional given = condition(mean, factor * factor.transpose(), told, logits);
      centre = given.mean;
      lower = lower_factor(given.covariance);
    }
    const Matrix draws = noise(Eigen::all, rest);
    const Matrix eta = draws.lazyProduct(lower.transpose());
    for (Index m = 0; m < samples; ++m)
      for (std::size_t r = 0; r < rest.size(); ++r) {
        const double p = sigmoid(centre(static_cast<Index>(r)) + eta(m, static_cast<Index>(r)));
        there(m, rest[r]) = chance(m, rest[r]) < p ? 1.0 : 0.0;
      }
  }
  Matrix outputs = there.lazyProduct(weight.transpose());
  outputs.rowwise() += bias.transpose();
  if (output == Output::kIdentity) return outputs.colwise().mean().transpose();
  if (output == Output::kSoftmax)
    return (numerics::softmax(outputs).colwise().mean().array() + kLeastProbability)
        .log()
        .transpose();
  const Eigen::ArrayXd p = (1.0 + (-outputs.array()).exp())
                               .inverse()
                               .colwise()
                               .mean()
                               .transpose()
                               .max(kLeastProbability)
                               .min(1.0 - kLeastProbability);
  return (p / (1.0 - p)).log();
}

}  // namespace conoscope::models
