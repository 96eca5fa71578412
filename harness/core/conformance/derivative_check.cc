// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/derivative_check.h"

#include <algorithm>
#include <cmath>

#include "conoscope/sdk/random.h"
#include "harness/core/border/output_check.h"

namespace conoscope::core {

using metrics::Index;
using metrics::Matrix;
using metrics::Vector;

namespace {

// Networks compute in float32, which takes the digits of differences over a small step, and a ReLU that
// turns on the way those over a large one: of a right derivative one of the steps agrees with each
// sample. A wrong one is off by a factor, at every step.
constexpr double kSame = 1e-2, kSteps[] = {1e-3, 3e-4, 1e-4, 3e-5, 1e-5};

}  // namespace

void check_derivative(const std::string& name, const std::string& of, const Matrix& at,
                      const std::function<Matrix(const Matrix& rows)>& function,
                      const std::function<Matrix(const Matrix& cotangents)>& vjp) {
  sdk::Random random(sdk::Seed(1).child("derivative"));
  const auto normal = [&random](Index rows, Index cols) {
    Matrix out(rows, cols);
    for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
    return out;
  };
  const Matrix direction = normal(at.rows(), at.cols());
  const double scale = std::max(at.cwiseAbs().maxCoeff(), 1e-3);
  Matrix cotangents;
  // Of each row: <u, J v> by differences, the nearest of all steps, and <J^T u, v> by the plugin.
  Vector by_difference, by_plugin;
  for (const double of_scale : kSteps) {
    const double step = of_scale * scale;
    const Matrix difference =
        (function(at + step * direction) - function(at - step * direction)) / (2.0 * step);
    if (cotangents.size() == 0) {
      cotangents = normal(difference.rows(), difference.cols());
      by_plugin = vjp(cotangents).cwiseProduct(direction).rowwise().sum();
    }
    const Vector now = difference.cwiseProduct(cotangents).rowwise().sum();
    if (by_difference.size() == 0) by_difference = now;
    for (Index i = 0; i < at.rows(); ++i)
      if (std::abs(now(i) - by_plugin(i)) < std::abs(by_difference(i) - by_plugin(i)))
        by_difference(i) = now(i);
  }
  const double largest = std::max(by_difference.cwiseAbs().maxCoeff(), 1e-300);
  for (Index i = 0; i < at.rows(); ++i)
    if (!(std::abs(by_plugin(i) - by_difference(i)) <= kSame * largest))
      throw OutputFault(name + " of sample " + std::to_string(i) + " is not the derivative of " +
                        of + ": " + std::to_string(by_plugin(i)) + " along a direction, " +
                        std::to_string(by_difference(i)) + " by differences");
}

}  // namespace conoscope::core
