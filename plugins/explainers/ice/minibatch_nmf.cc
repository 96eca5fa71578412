// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/ice/minibatch_nmf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/nmf.h"
#include "numerics/sums.h"

namespace conoscope::methods {
namespace {

void check_options(const MiniBatchNmfOptions& options) {
  numerics::require_at_least("minibatch_nmf", "batch_size", options.batch_size, 1);
  numerics::require_at_least("minibatch_nmf", "max_iter", options.max_iter, 1);
  numerics::require_at_least("minibatch_nmf", "max_no_improvement", options.max_no_improvement, 0);
  numerics::require_weight("minibatch_nmf", "tol", options.tol);
  if (!(options.forget_factor > 0.0 && options.forget_factor <= 1.0)) {
    std::ostringstream message;
    message << "minibatch_nmf: forget_factor = " << options.forget_factor << " is outside (0, 1]";
    throw std::invalid_argument(message.str());
  }
}

void check_shape(const std::string& a, Index size_a, const std::string& b, Index size_b,
                 const std::string& side) {
  if (size_a == size_b) return;
  throw std::invalid_argument("minibatch_nmf: " + a + " has " + std::to_string(size_a) + " " +
                              side + ", " + b + " has " + std::to_string(size_b));
}

template <typename Denominator>
void lift_zeros(Denominator& denominator) {
  using T = typename Denominator::Scalar;
  const T least = static_cast<T>(std::numeric_limits<float>::epsilon());
  denominator = (denominator.array() == T(0)).select(least, denominator);
}

/// W <- W o products / (W G).
template <typename T, typename Weights, typename Products>
void multiply(const RowMajor<T>& gram, const Products& products, Weights&& weights) {
  RowMajor<T> denominator = weights * gram;
  lift_zeros(denominator);
  weights.array() *= products.array() / denominator.array();
}

/// Whether the learning may stop, judged after each step.
class Watch {
 public:
  Watch(const MiniBatchNmfOptions& options, Index rows) : options_(options), rows_(rows) {}

  /// cost: of the step's batch, per row; move, size: of H in this step, Frobenius.
  bool done(Index batch, double cost, double move, double size) {
    if (++step_ == 1) return false;  // its cost is that of the start
    const double weight =
        std::min(1.0, static_cast<double>(batch) / static_cast<double>(rows_ + 1));
    smooth_ = step_ == 2 ? cost : smooth_ * (1.0 - weight) + cost * weight;
    if (options_.tol > 0.0 && move <= options_.tol * size) return true;
    if (smooth_ < least_) {
      least_ = smooth_;
      without_ = 0;
    } else {
      ++without_;
    }
    return options_.max_no_improvement > 0 && without_ >= options_.max_no_improvement;
  }

 private:
  const MiniBatchNmfOptions& options_;
  Index rows_;
  int step_ = 0, without_ = 0;
  double smooth_ = 0.0, least_ = std::numeric_limits<double>::infinity();
};

template <typename T>
MiniBatchNmfResult<T> learn(const RowMajorRef<T>& x, numerics::NmfFactors<T> start,
                            const MiniBatchNmfOptions& options) {
  const Index n = x.rows(), width = x.cols(), k = start.h.rows();
  const Index size = std::min(options.batch_size, n);
  const double rho =
      std::pow(options.forget_factor, static_cast<double>(size) / static_cast<double>(n));

  MiniBatchNmfResult<T> result;
  result.w = std::move(start.w);
  result.h = std::move(start.h);
  Matrix numerator = result.h.template cast<double>(), denominator = Matrix::Ones(k, width);
  Watch watch(options, n);
  RowMajor<T> products, residual, gram(k, k), w_x(k, width), w_w(k, k);
  for (int pass = 0; pass < options.max_iter && !result.converged; ++pass)
    for (Index first = 0; first < n && !result.converged; first += size) {
      const Index count = std::min(size, n - first);
      const auto rows = x.middleRows(first, count);
      auto weights = result.w.middleRows(first, count);
      gram.noalias() = result.h * result.h.transpose();
      products.noalias() = rows * result.h.transpose();
      multiply<T>(gram, products, weights);

      residual.noalias() = weights * result.h;
      double cost = 0.0;
      for (Index i = 0; i < count; ++i)
        cost += numerics::squared_difference(rows.row(i).data(), residual.row(i).data(), width);
      cost /= 2.0 * static_cast<double>(count);

      w_x.noalias() = weights.transpose() * rows;
      w_w.noalias() = weights.transpose() * weights;
      const Matrix before = result.h.template cast<double>();
      Matrix below = w_w.template cast<double>() * before;
      lift_zeros(below);
      numerator = rho * numerator + w_x.template cast<double>().cwiseProduct(before);
      denominator = rho * denominator + below;
      const Matrix after = numerator.cwiseQuotient(denominator);
      result.h = after.template cast<T>();
      ++result.steps;
      result.converged = watch.done(count, cost, (after - before).norm(), after.norm());
    }

  result.error = numerics::frobenius_error(x, result.w, result.h);
  return result;
}

template <typename T>
MiniBatchNmfResult<T> fit(const RowMajorRef<T>& x, Index k, numerics::Seed seed,
                          const MiniBatchNmfOptions& options) {
  check_options(options);
  return learn<T>(x, numerics::nmf_initialise(x, k, options.init, seed), options);
}

template <typename T>
MiniBatchNmfResult<T> fit_from(const RowMajorRef<T>& x, const RowMajorRef<T>& w0,
                               const RowMajorRef<T>& h0, const MiniBatchNmfOptions& options) {
  check_options(options);
  numerics::require_non_negative("minibatch_nmf", "x", x);
  numerics::require_non_negative("minibatch_nmf", "w0", w0);
  numerics::require_non_negative("minibatch_nmf", "h0", h0);
  check_shape("w0", w0.rows(), "x", x.rows(), "rows");
  check_shape("h0", h0.cols(), "x", x.cols(), "columns");
  check_shape("w0", w0.cols(), "h0", h0.rows(), "parts");
  return learn<T>(x, {w0, h0}, options);
}

}  // namespace

MiniBatchNmfResult<double> minibatch_nmf(const MatrixRef& x, Index k, numerics::Seed seed,
                                         const MiniBatchNmfOptions& options) {
  return fit<double>(x, k, seed, options);
}

MiniBatchNmfResult<float> minibatch_nmf(const MatrixRefF& x, Index k, numerics::Seed seed,
                                        const MiniBatchNmfOptions& options) {
  return fit<float>(x, k, seed, options);
}

MiniBatchNmfResult<double> minibatch_nmf_from(const MatrixRef& x, const MatrixRef& w0,
                                              const MatrixRef& h0,
                                              const MiniBatchNmfOptions& options) {
  return fit_from<double>(x, w0, h0, options);
}

MiniBatchNmfResult<float> minibatch_nmf_from(const MatrixRefF& x, const MatrixRefF& w0,
                                             const MatrixRefF& h0,
                                             const MiniBatchNmfOptions& options) {
  return fit_from<float>(x, w0, h0, options);
}

Matrix minibatch_nmf_transform(const MatrixRef& x, const MatrixRef& h,
                               const MiniBatchNmfOptions& options) {
  check_options(options);
  numerics::require_non_negative("minibatch_nmf", "x", x);
  numerics::require_non_negative("minibatch_nmf", "h", h);
  check_shape("h", h.cols(), "x", x.cols(), "columns");
  const Index k = h.rows();
  const Matrix gram = h * h.transpose(), products = x * h.transpose();
  const double start = std::sqrt(x.mean() / static_cast<double>(k));
  Matrix w = Matrix::Constant(x.rows(), k, start), before;
  for (int iteration = 0; iteration < options.max_iter; ++iteration) {
    before = w;
    multiply<double>(gram, products, w);
    if (options.tol > 0.0 && (w - before).norm() <= options.tol * w.norm()) break;
  }
  return w;
}

}  // namespace conoscope::methods
