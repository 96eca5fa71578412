// SPDX-License-Identifier: Apache-2.0
#include "numerics/nmf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/sums.h"
#include "numerics/svd.h"
#include "numerics/whole_blocks.h"

namespace conoscope::numerics {
namespace {

struct Penalty {
  double l1 = 0.0, l2 = 0.0;
};

struct Penalties {
  Penalty w, h;
};

Penalties penalties(const NmfOptions& options, Index n, Index d) {
  const double per_w = static_cast<double>(d) * options.alpha_w;
  const double per_h = static_cast<double>(n) * options.alpha_h.value_or(options.alpha_w);
  const double r = options.l1_ratio;
  return {{per_w * r, per_w * (1.0 - r)}, {per_h * r, per_h * (1.0 - r)}};
}

void check_options(const NmfOptions& options) {
  require_at_least("nmf", "max_iter", options.max_iter, 1);
  require_weight("nmf", "tol", options.tol);
  require_weight("nmf", "alpha_w", options.alpha_w);
  if (options.alpha_h) require_weight("nmf", "alpha_h", *options.alpha_h);
  if (!(options.l1_ratio >= 0.0 && options.l1_ratio <= 1.0)) {
    std::ostringstream message;
    message << "nmf: l1_ratio = " << options.l1_ratio << " is outside [0, 1]";
    throw std::invalid_argument(message.str());
  }
}

void check_width(const std::string& a, Index width_a, const std::string& b, Index width_b,
                 const std::string& side) {
  if (width_a == width_b) return;
  throw std::invalid_argument("nmf: " + a + " has " + std::to_string(width_a) + " " + side + ", " +
                              b + " has " + std::to_string(width_b));
}

/// One sweep of coordinate descent over the rows of one factor: min over f >= 0 of
/// 0.5 f G f^T - f p^T + l1 |f|_1 for each row f, given G with l2 on its diagonal and p per row.
/// Rows are independent, so 64 at a time are turned on their side and updated together.
/// Returns the summed |projected gradient|.
template <typename T>
double descend(const RowMajor<T>& gram, const Penalty& penalty, const T* products,
               Index products_stride, T* factor, Index factor_stride, Index rows) {
  constexpr int kLanes = 64;
  using Lanes = Eigen::Array<T, kLanes, 1>;
  const Index k = gram.rows();
  Eigen::Array<T, kLanes, Eigen::Dynamic> f(kLanes, k), p(kLanes, k);
  double violation = 0.0;
  for (Index first = 0; first < rows; first += kLanes) {
    const Index count = std::min<Index>(kLanes, rows - first);
    if (count < kLanes) {
      f.setZero();
      p.setZero();
    }
    for (Index i = 0; i < count; ++i)
      for (Index t = 0; t < k; ++t) {
        f(i, t) = factor[(first + i) * factor_stride + t];
        p(i, t) = products[(first + i) * products_stride + t] - static_cast<T>(penalty.l1);
      }
    Lanes violations = Lanes::Zero();
    for (Index t = 0; t < k; ++t) {
      Lanes gradient = -p.col(t);
      for (Index r = 0; r < k; ++r) gradient += gram(t, r) * f.col(r);
      // Where f is at its bound only a descent direction into the feasible side counts.
      violations += (f.col(t) == T(0)).select(gradient.min(T(0)), gradient).abs();
      if (gram(t, t) != T(0)) f.col(t) = (f.col(t) - gradient / gram(t, t)).max(T(0));
    }
    violation += violations.head(count).template cast<double>().sum();
    for (Index i = 0; i < count; ++i)
      for (Index t = 0; t < k; ++t) factor[(first + i) * factor_stride + t] = f(i, t);
  }
  return violation;
}

/// F <- F o products / (F G + l1 + l2 F), the denominator's F G given.
template <typename T, typename Factor, typename Products>
void multiply(RowMajor<T> denominator, const Penalty& penalty, const Products& products,
              Factor&& factor) {
  if (penalty.l1 > 0.0) denominator.array() += static_cast<T>(penalty.l1);
  if (penalty.l2 > 0.0) denominator += static_cast<T>(penalty.l2) * factor;
  const T floor = static_cast<T>(std::numeric_limits<float>::epsilon());
  denominator = (denominator.array() == T(0)).select(floor, denominator);
  factor.array() *= products.array() / denominator.array();
}

template <typename T>
RowMajor<T> gram_of_rows(const RowMajor<T>& h) {
  const Matrix wide = h.template cast<double>();
  return (wide * wide.transpose()).template cast<T>();
}

template <typename T>
void add_ridge(RowMajor<T>& gram, double ridge) {
  if (ridge > 0.0) gram.diagonal().array() += static_cast<T>(ridge);
}

/// What H's update needs of W: both in double, summed block by block.
struct Crossed {
  Matrix w_x;  ///< W^T X, K x D
  Matrix w_w;  ///< W^T W, K x K
};

/// All of W, block by block; while a block of X is in the cache it also joins W^T X.
template <typename T>
double update_w(const RowMajorRef<T>& x, const RowMajor<T>& h, const Penalty& penalty,
                NmfSolver solver, RowMajor<T>& w, Crossed& crossed) {
  const Index n = x.rows(), k = h.rows();
  RowMajor<T> gram = gram_of_rows(h);
  if (solver == NmfSolver::kCoordinateDescent) add_ridge(gram, penalty.l2);
  crossed.w_x.setZero(k, x.cols());
  crossed.w_w.setZero(k, k);
  RowMajor<T> products, w_x(k, x.cols()), w_w(k, k);
  const Index step = rows_per_block<T>(x.cols());
  double violation = 0.0;
  for (Index first = 0; first < n; first += step) {
    const Index count = std::min(step, n - first);
    const auto rows = x.middleRows(first, count);
    auto weights = w.middleRows(first, count);
    products.noalias() = rows * h.transpose();
    if (solver == NmfSolver::kCoordinateDescent)
      violation += descend<T>(gram, penalty, products.data(), k, weights.data(), k, count);
    else
      multiply<T>(weights * gram, penalty, products, weights);
    w_x.noalias() = weights.transpose() * rows;
    w_w.noalias() = weights.transpose() * weights;
    crossed.w_x += w_x.template cast<double>();
    crossed.w_w += w_w.template cast<double>();
  }
  return violation;
}

template <typename T>
double update_h(const Crossed& crossed, const Penalty& penalty, NmfSolver solver, RowMajor<T>& h) {
  RowMajor<T> gram = crossed.w_w.template cast<T>();
  if (solver == NmfSolver::kMultiplicativeUpdate) {
    // The same update for H^T: (W^T W) H = (H^T (W^T W))^T.
    RowMajor<T> denominator = gram * h;
    if (penalty.l1 > 0.0) denominator.array() += static_cast<T>(penalty.l1);
    if (penalty.l2 > 0.0) denominator += static_cast<T>(penalty.l2) * h;
    const T floor = static_cast<T>(std::numeric_limits<float>::epsilon());
    denominator = (denominator.array() == T(0)).select(floor, denominator);
    h.array() *= crossed.w_x.template cast<T>().array() / denominator.array();
    return 0.0;
  }
  add_ridge(gram, penalty.l2);
  const RowMajor<T> products = crossed.w_x.transpose().template cast<T>();
  RowMajor<T> turned = h.transpose();
  const Index k = h.rows();
  const double violation =
      descend<T>(gram, penalty, products.data(), k, turned.data(), k, turned.rows());
  h = turned.transpose();
  return violation;
}

template <typename T>
double error_of(const RowMajorRef<T>& x, const RowMajorRef<T>& w, const RowMajorRef<T>& h) {
  const Index step = rows_per_block<T>(x.cols());
  RowMajor<T> residual;
  double sum = 0.0;
  for (Index first = 0; first < x.rows(); first += step) {
    const Index count = std::min(step, x.rows() - first);
    residual.noalias() = w.middleRows(first, count) * h;
    for (Index i = 0; i < count; ++i)
      sum += squared_difference(x.row(first + i).data(), residual.row(i).data(), x.cols());
  }
  return std::sqrt(sum);
}

/// When to stop, by the rule of each solver.
class Stop {
 public:
  explicit Stop(const NmfOptions& options) : options_(options) {}

  void start(double error) { at_start_ = before_ = error; }

  /// cd: at the first violation, 0 ends it; later the ratio to the first.
  bool violation(double value) {
    if (first_ < 0.0) first_ = value;
    return first_ == 0.0 || value / first_ <= options_.tol;
  }

  bool looks_at(int iteration) const { return options_.tol > 0.0 && iteration % 10 == 0; }

  /// mu: by how much the error fell since it was looked at last.
  bool error(double value) {
    const bool done = at_start_ == 0.0 || (before_ - value) / at_start_ < options_.tol;
    before_ = value;
    return done;
  }

 private:
  const NmfOptions& options_;
  double first_ = -1.0, at_start_ = 0.0, before_ = 0.0;
};

template <typename T>
NmfResult<T> factorise(const RowMajorRef<T>& x, NmfFactors<T> start, const NmfOptions& options) {
  NmfResult<T> result;
  result.w = std::move(start.w);
  result.h = std::move(start.h);
  const Penalties penalty = penalties(options, x.rows(), x.cols());
  const bool descent = options.solver == NmfSolver::kCoordinateDescent;
  Stop stop(options);
  if (!descent && options.tol > 0.0) stop.start(error_of<T>(x, result.w, result.h));
  Crossed crossed;
  while (result.iterations < options.max_iter && !result.converged) {
    ++result.iterations;
    double violation = update_w<T>(x, result.h, penalty.w, options.solver, result.w, crossed);
    violation += update_h<T>(crossed, penalty.h, options.solver, result.h);
    if (descent)
      result.converged = stop.violation(violation);
    else if (stop.looks_at(result.iterations))
      result.converged = stop.error(error_of<T>(x, result.w, result.h));
  }
  result.error = error_of<T>(x, result.w, result.h);
  return result;
}

template <typename T>
RowMajor<T> transform(const RowMajorRef<T>& x, const RowMajorRef<T>& h_view,
                      const NmfOptions& options) {
  check_options(options);
  require_non_negative("nmf", "x", x);
  require_non_negative("nmf", "h", h_view);
  check_width("h", h_view.cols(), "x", x.cols(), "columns");
  const RowMajor<T> h = h_view;
  const Index n = x.rows(), k = h.rows();
  const Penalty penalty = penalties(options, n, x.cols()).w;
  const bool descent = options.solver == NmfSolver::kCoordinateDescent;

  RowMajor<T> gram = gram_of_rows(h);
  if (descent) add_ridge(gram, penalty.l2);
  RowMajor<T> products(n, k);
  const Index step = rows_per_block<T>(x.cols());
  for (Index first = 0; first < n; first += step) {
    const Index count = std::min(step, n - first);
    products.middleRows(first, count) = product_by_whole_blocks<T>(x.middleRows(first, count), h);
  }

  const double mean = x.template cast<double>().sum() / static_cast<double>(x.size());
  RowMajor<T> w = RowMajor<T>::Constant(
      n, k, descent ? T(0) : static_cast<T>(std::sqrt(mean / static_cast<double>(k))));
  Stop stop(options);
  if (!descent && options.tol > 0.0) stop.start(error_of<T>(x, w, h));
  for (int iteration = 1; iteration <= options.max_iter; ++iteration) {
    if (descent) {
      if (stop.violation(descend<T>(gram, penalty, products.data(), k, w.data(), k, n))) break;
    } else {
      multiply<T>(product_by_whole_blocks<T>(w, gram), penalty, products, w);
      if (stop.looks_at(iteration) && stop.error(error_of<T>(x, w, h))) break;
    }
  }
  return w;
}

/// W and H of the singular triplets (u, s, v): u = X v / s.
template <typename T>
NmfFactors<double> nndsvd(const RowMajorRef<T>& x, Index k) {
  const TruncatedSvd svd = truncated_svd(x, k);
  const Index n = x.rows();
  NmfFactors<double> out{Matrix::Zero(n, k), Matrix::Zero(k, x.cols())};
  Matrix u(n, k);
  for (Index i = 0; i < n; ++i)
    u.row(i) = x.row(i).template cast<double>() * svd.components.transpose();
  for (Index j = 0; j < k; ++j) {
    const double s = svd.singular_values[j];
    if (s <= 0.0) continue;  // no such triplet: its part starts empty
    const Vector left = u.col(j) / s, right = svd.components.row(j).transpose();
    if (j == 0) {  // the leading triplet of a non-negative matrix has one sign
      out.w.col(0) = std::sqrt(s) * left.cwiseAbs();
      out.h.row(0) = std::sqrt(s) * right.cwiseAbs().transpose();
      continue;
    }
    const Vector left_up = left.cwiseMax(0.0), left_down = (-left).cwiseMax(0.0);
    const Vector right_up = right.cwiseMax(0.0), right_down = (-right).cwiseMax(0.0);
    const double up = left_up.norm() * right_up.norm();
    const double down = left_down.norm() * right_down.norm();
    const double scale = std::sqrt(s * std::max(up, down));
    if (scale == 0.0) continue;
    out.w.col(j) = scale * (up > down ? left_up : left_down).normalized();
    out.h.row(j) = scale * (up > down ? right_up : right_down).normalized().transpose();
  }
  constexpr double kNegligible = 1e-6;
  out.w = (out.w.array() < kNegligible).select(0.0, out.w);
  out.h = (out.h.array() < kNegligible).select(0.0, out.h);
  return out;
}

template <typename T>
NmfFactors<T> initialise(const RowMajorRef<T>& x, Index k, NmfInit init, Seed seed) {
  require_non_negative("nmf", "x", x);
  require_at_least("nmf", "k", k, 1);
  const Index side = std::min(x.rows(), x.cols());
  if (init == NmfInit::kAutomatic) init = k <= side ? NmfInit::kNndsvda : NmfInit::kRandom;
  const double mean = x.template cast<double>().sum() / static_cast<double>(x.size());
  if (init == NmfInit::kRandom) {
    const double scale = std::sqrt(mean / static_cast<double>(k));
    Random random(seed);
    NmfFactors<T> out{RowMajor<T>(x.rows(), k), RowMajor<T>(k, x.cols())};
    for (Index i = 0; i < out.h.size(); ++i)
      out.h.data()[i] = static_cast<T>(scale * std::abs(random.normal()));
    for (Index i = 0; i < out.w.size(); ++i)
      out.w.data()[i] = static_cast<T>(scale * std::abs(random.normal()));
    return out;
  }
  if (k > side)
    throw std::invalid_argument("nmf: k = " + std::to_string(k) +
                                " exceeds the smaller side of x, " + std::to_string(side) +
                                ": nndsvd has no more triplets");
  NmfFactors<double> out = nndsvd<T>(x, k);
  if (init == NmfInit::kNndsvda) {
    out.w = (out.w.array() == 0.0).select(mean, out.w);
    out.h = (out.h.array() == 0.0).select(mean, out.h);
  }
  return {out.w.template cast<T>(), out.h.template cast<T>()};
}

template <typename T>
NmfResult<T> fit(const RowMajorRef<T>& x, Index k, Seed seed, const NmfOptions& options) {
  check_options(options);
  return factorise<T>(x, initialise<T>(x, k, options.init, seed), options);
}

template <typename T>
NmfResult<T> fit_from(const RowMajorRef<T>& x, const RowMajorRef<T>& w0, const RowMajorRef<T>& h0,
                      const NmfOptions& options) {
  check_options(options);
  require_non_negative("nmf", "x", x);
  require_non_negative("nmf", "w0", w0);
  require_non_negative("nmf", "h0", h0);
  check_width("w0", w0.rows(), "x", x.rows(), "rows");
  check_width("h0", h0.cols(), "x", x.cols(), "columns");
  check_width("w0", w0.cols(), "h0", h0.rows(), "parts");
  return factorise<T>(x, {w0, h0}, options);
}

template <typename T>
double checked_error(const RowMajorRef<T>& x, const RowMajorRef<T>& w, const RowMajorRef<T>& h) {
  check_width("w", w.rows(), "x", x.rows(), "rows");
  check_width("h", h.cols(), "x", x.cols(), "columns");
  check_width("w", w.cols(), "h", h.rows(), "parts");
  return error_of<T>(x, w, h);
}

}  // namespace

NmfResult<double> nmf(const MatrixRef& x, Index k, Seed seed, const NmfOptions& options) {
  return fit<double>(x, k, seed, options);
}

NmfResult<float> nmf(const MatrixRefF& x, Index k, Seed seed, const NmfOptions& options) {
  return fit<float>(x, k, seed, options);
}

NmfResult<double> nmf_from(const MatrixRef& x, const MatrixRef& w0, const MatrixRef& h0,
                           const NmfOptions& options) {
  return fit_from<double>(x, w0, h0, options);
}

NmfResult<float> nmf_from(const MatrixRefF& x, const MatrixRefF& w0, const MatrixRefF& h0,
                          const NmfOptions& options) {
  return fit_from<float>(x, w0, h0, options);
}

NmfFactors<double> nmf_initialise(const MatrixRef& x, Index k, NmfInit init, Seed seed) {
  return initialise<double>(x, k, init, seed);
}

NmfFactors<float> nmf_initialise(const MatrixRefF& x, Index k, NmfInit init, Seed seed) {
  return initialise<float>(x, k, init, seed);
}

Matrix nmf_transform(const MatrixRef& x, const MatrixRef& h, const NmfOptions& options) {
  return transform<double>(x, h, options);
}

MatrixF nmf_transform(const MatrixRefF& x, const MatrixRefF& h, const NmfOptions& options) {
  return transform<float>(x, h, options);
}

double frobenius_error(const MatrixRef& x, const MatrixRef& w, const MatrixRef& h) {
  return checked_error<double>(x, w, h);
}

double frobenius_error(const MatrixRefF& x, const MatrixRefF& w, const MatrixRefF& h) {
  return checked_error<float>(x, w, h);
}

}  // namespace conoscope::numerics
