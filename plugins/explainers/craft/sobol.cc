// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/craft/sobol.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::methods {
namespace {

constexpr double kLeastVariance = 1e-12;

std::vector<Index> first_primes(Index count) {
  std::vector<Index> primes;
  for (Index n = 2; static_cast<Index>(primes.size()) < count; ++n)
    if (std::none_of(primes.begin(), primes.end(), [n](Index p) { return n % p == 0; }))
      primes.push_back(n);
  return primes;
}

double radical_inverse(Index i, Index base) {
  // The digits as one integer over a power of the base: a single rounding.
  double reversed = 0.0, power = 1.0;
  for (; i > 0; i /= base) {
    reversed = reversed * static_cast<double>(base) + static_cast<double>(i % base);
    power *= static_cast<double>(base);
  }
  return reversed / power;
}

double floored_variance(const VectorRef& y) {
  const double mean = y.mean();
  return std::max((y.array() - mean).square().sum() / static_cast<double>(y.size() - 1),
                  kLeastVariance);
}

void check_design(const std::string& function, const SobolDesign& design) {
  numerics::require_at_least(function, "points", design.points(), 2);
  numerics::require_at_least(function, "factors", design.factors(), 1);
  if (design.b.rows() != design.a.rows() || design.b.cols() != design.a.cols())
    throw std::invalid_argument(function + ": the design's A and B differ in shape");
}

}  // namespace

Matrix halton(Index points, Index dimensions) {
  numerics::require_at_least("halton", "points", points, 1);
  numerics::require_at_least("halton", "dimensions", dimensions, 1);
  const std::vector<Index> bases = first_primes(dimensions);
  Matrix out(points, dimensions);
  for (Index i = 0; i < points; ++i)
    for (Index d = 0; d < dimensions; ++d)
      out(i, d) = radical_inverse(i, bases[static_cast<std::size_t>(d)]);
  return out;
}

Matrix SobolDesign::masks() const {
  const Index n = points(), k = factors();
  Matrix out((k + 2) * n, k);
  out.topRows(n) = a;
  out.middleRows(n, n) = b;
  for (Index c = 0; c < k; ++c) {
    auto mixed = out.middleRows((c + 2) * n, n);
    mixed = a;
    mixed.col(c) = b.col(c);
  }
  return out;
}

SobolDesign halton_design(Index points, Index factors) {
  numerics::require_at_least("halton_design", "points", points, 2);
  numerics::require_at_least("halton_design", "factors", factors, 1);
  const Matrix both = halton(points, 2 * factors);
  return {both.leftCols(factors), both.rightCols(factors)};
}

Vector sobol_total(const VectorRef& outputs, Index factors) {
  numerics::require_at_least("sobol_total", "factors", factors, 1);
  if (outputs.size() % (factors + 2) != 0)
    throw std::invalid_argument(
        "sobol_total: " + std::to_string(outputs.size()) +
        " outputs are no multiple of K + 2 = " + std::to_string(factors + 2));
  const Index n = outputs.size() / (factors + 2);
  numerics::require_at_least("sobol_total", "points", n, 2);
  for (Index i = 0; i < outputs.size(); ++i)
    if (!std::isfinite(outputs[i]))
      throw std::invalid_argument("sobol_total: output " + std::to_string(i) + " is not finite");
  const auto y = outputs.head(n);
  const double scale = 2.0 * static_cast<double>(n) * floored_variance(y);
  Vector total(factors);
  for (Index k = 0; k < factors; ++k)
    total[k] = (y - outputs.segment((k + 2) * n, n)).squaredNorm() / scale;
  return total;
}

Matrix sobol_total_sampled(
    Index samples, const SobolDesign& design,
    const std::function<Vector(Index sample, const Matrix& masks)>& outputs_of) {
  numerics::require_at_least("sobol_total_sampled", "samples", samples, 1);
  check_design("sobol_total_sampled", design);
  const Matrix masks = design.masks();
  Matrix total(samples, design.factors());
  for (Index i = 0; i < samples; ++i) {
    const Vector outputs = outputs_of(i, masks);
    if (outputs.size() != masks.rows())
      throw std::invalid_argument("sobol_total_sampled: " + std::to_string(outputs.size()) +
                                  " outputs for " + std::to_string(masks.rows()) + " masks");
    total.row(i) = sobol_total(outputs, design.factors()).transpose();
  }
  return total;
}

Matrix sobol_total_linear(const MatrixRef& contributions, const SobolDesign& design) {
  numerics::require_filled("sobol_total_linear", "contributions", contributions);
  check_design("sobol_total_linear", design);
  if (contributions.cols() != design.factors())
    throw std::invalid_argument("sobol_total_linear: contributions have " +
                                std::to_string(contributions.cols()) + " columns, the design has " +
                                std::to_string(design.factors()) + " factors");
  const Eigen::ArrayXXd moves = (design.a - design.b).array().square().colwise().sum() /
                                (2.0 * static_cast<double>(design.points()));
  const Matrix outputs = contributions * design.a.transpose();  // N x n
  Matrix total(contributions.rows(), contributions.cols());
  for (Index i = 0; i < contributions.rows(); ++i)
    total.row(i) = contributions.row(i).array().square() * moves.row(0) /
                   floored_variance(outputs.row(i).transpose());
  return total;
}

Matrix concept_contributions(const MatrixRef& scores, const MatrixRef& bank,
                             const MatrixRef& weight) {
  const Index positions = weight.rows();
  if (positions < 1 || scores.rows() % positions != 0 || scores.cols() != bank.rows() ||
      bank.cols() != weight.cols())
    throw std::invalid_argument("concept_contributions: scores " + numerics::shape_of(scores) +
                                ", bank " + numerics::shape_of(bank) + " and weight " +
                                std::to_string(positions) + " x " + std::to_string(weight.cols()) +
                                " do not fit");
  const Matrix on_position = weight * bank.transpose();  // J x K
  Matrix out(scores.rows() / positions, scores.cols());
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) =
        scores.middleRows(i * positions, positions).cwiseProduct(on_position).colwise().sum();
  return out;
}

}  // namespace conoscope::methods
