// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/ace/cav.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/logistic_regression.h"

namespace conoscope::methods {

namespace {

constexpr double kNothing = 1e-9;

}  // namespace

Vector concept_activation_vector(const MatrixRef& has, const MatrixRef& lacks, double c) {
  const Index width = has.cols(), n = has.rows() + lacks.rows();
  if (has.rows() < 1 || lacks.rows() < 1 || lacks.cols() != width)
    throw std::invalid_argument("concept_activation_vector: " + std::to_string(has.rows()) + " x " +
                                std::to_string(width) + " against " + numerics::shape_of(lacks) +
                                "; each must have rows of the same width");
  Matrix rows(n, width);
  rows << has, lacks;
  numerics::IndexVector labels(static_cast<std::size_t>(n), 0);
  std::fill_n(labels.begin(), has.rows(), 1);
  const Vector w = numerics::logistic_regression_newton(rows, labels, c).weight.row(0);
  // Where nothing separates, rounding still leaves a direction: one that moves no margin.
  const double norm = w.norm(), farthest = rows.rowwise().norm().maxCoeff();
  return norm * farthest > kNothing ? Vector(w / norm) : Vector(Vector::Zero(width));
}

}  // namespace conoscope::methods
