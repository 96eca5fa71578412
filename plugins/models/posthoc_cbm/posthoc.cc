// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/posthoc_cbm/posthoc.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::models {

using numerics::Index;
using numerics::Matrix;

numerics::Matrix plane_distances(const numerics::MatrixRef& h,
                                 const numerics::MatrixRef& directions,
                                 const numerics::VectorRef& intercepts) {
  constexpr char kName[] = "plane_distances";
  numerics::require_finite(kName, "h", h);
  numerics::require_filled(kName, "directions", directions);
  numerics::require_finite_vector(kName, "intercepts", intercepts);
  if (h.cols() != directions.cols() || intercepts.size() != directions.rows())
    numerics::refuse(kName, "h is " + numerics::shape_of(h) + ", directions " +
                                numerics::shape_of(directions) + ", intercepts " +
                                std::to_string(intercepts.size()));
  const numerics::Vector lengths = directions.rowwise().norm();
  for (Index j = 0; j < lengths.size(); ++j)
    if (lengths(j) == 0.0)
      throw std::domain_error(std::string(kName) + ": direction " + std::to_string(j) +
                              " is 0: nothing tells the concept apart");
  Matrix out = h * directions.transpose();
  out.rowwise() += intercepts.transpose();
  return out.array().rowwise() / lengths.transpose().array();
}

double residual_loss(const numerics::MatrixRef& h, const numerics::MatrixRef& logits,
                     const numerics::MatrixRef& targets, bool one_vs_rest, double penalty,
                     const Residual& residual, Residual* gradient) {
  Matrix outputs = logits + h * residual.weight.transpose();
  outputs.rowwise() += residual.bias.transpose();
  const auto n = static_cast<double>(h.rows());
  const auto entries = static_cast<double>(residual.weight.size());
  double loss = 0.0;
  Matrix p(outputs.rows(), outputs.cols());
  if (one_vs_rest) {
    p = (1.0 + (-outputs.array()).exp()).inverse();
    // log(1 + e^z) - t z, which does not overflow
    loss = (outputs.array().max(0.0) + (-outputs.array().abs()).exp().log1p() -
            targets.array() * outputs.array())
               .sum();
  } else {
    p = numerics::softmax(outputs);
    for (Index i = 0; i < outputs.rows(); ++i) {
      const double top = outputs.row(i).maxCoeff();
      loss += top + std::log((outputs.row(i).array() - top).exp().sum()) -
              targets.row(i).dot(outputs.row(i));
    }
  }
  if (gradient != nullptr) {
    const Matrix off = (p - targets) / n;
    gradient->weight = off.transpose() * h + 2.0 * penalty / entries * residual.weight;
    gradient->bias = off.colwise().sum().transpose();
  }
  return loss / n + penalty * residual.weight.squaredNorm() / entries;
}

}  // namespace conoscope::models
