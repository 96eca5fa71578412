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

// Networks compute in float32: it is what differences of their outputs over a step of 1e-3 leave of
// the digits. A wrong derivative is off by a factor.
constexpr double kSame = 1e-2, kStep = 1e-3;

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
  const double step = kStep * std::max(at.cwiseAbs().maxCoeff(), 1e-3);
  const Matrix difference =
      (function(at + step * direction) - function(at - step * direction)) / (2.0 * step);
  const Matrix cotangents = normal(difference.rows(), difference.cols());
  // Of each row: <u, J v> by differences, <J^T u, v> by the plugin.
  const Vector by_difference = difference.cwiseProduct(cotangents).rowwise().sum();
  const Vector by_plugin = vjp(cotangents).cwiseProduct(direction).rowwise().sum();
  const double largest = std::max(by_difference.cwiseAbs().maxCoeff(), 1e-300);
  for (Index i = 0; i < at.rows(); ++i)
    if (!(std::abs(by_plugin(i) - by_difference(i)) <= kSame * largest))
      throw OutputFault(name + " of sample " + std::to_string(i) + " is not the derivative of " +
                        of + ": " + std::to_string(by_plugin(i)) + " along a direction, " +
                        std::to_string(by_difference(i)) + " by differences");
}

}  // namespace conoscope::core
