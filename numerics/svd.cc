// SPDX-License-Identifier: Apache-2.0
#include "numerics/svd.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "numerics/checks.h"
#include "numerics/leading_eigenpairs.h"

namespace conoscope::numerics {
namespace {

using ColMajor = Eigen::MatrixXd;

template <typename T>
Vector column_means(const RowMajorRef<T>& x) {
  Vector mean = Vector::Zero(x.cols());
  for (Index i = 0; i < x.rows(); ++i) mean += x.row(i).transpose().template cast<double>();
  return mean / static_cast<double>(x.rows());
}

/// Rows first ... first+count-1 in double, less the mean where there is one.
template <typename T>
void load(const RowMajorRef<T>& x, Index first, Index count, const Vector& mean, Matrix& block) {
  block = x.middleRows(first, count).template cast<double>();
  if (mean.size() > 0) block.rowwise() -= mean.transpose();
}

/// Rows of `directions` from `known` on become orthonormal to all rows before them: each from the
/// unit vector that the rows before it hold least of (the first of equals).
void complete(Matrix& directions, Index known) {
  for (Index r = known; r < directions.rows(); ++r) {
    const auto before = directions.topRows(r);
    Index axis = 0;
    if (r > 0) before.colwise().squaredNorm().minCoeff(&axis);
    Eigen::RowVectorXd next = Eigen::RowVectorXd::Unit(directions.cols(), axis);
    for (int pass = 0; pass < 2; ++pass)  // twice is enough (Kahan; Parlett 1980)
      next -= (next * before.transpose()) * before;
    directions.row(r) = next.normalized();
  }
}

void orient(Matrix& components) {
  for (Index r = 0; r < components.rows(); ++r) {
    Index largest = 0;
    components.row(r).cwiseAbs().maxCoeff(&largest);
    if (components(r, largest) < 0.0) components.row(r) *= -1.0;
  }
}

template <typename T>
void exact(const RowMajorRef<T>& x, Index k, TruncatedSvd& out) {
  Matrix all;
  load(x, 0, x.rows(), out.mean, all);
  // A tall matrix and its triangular factor have the same S and V.
  if (all.rows() > 2 * all.cols()) {
    const Eigen::HouseholderQR<ColMajor> qr(all);
    all = qr.matrixQR().topRows(all.cols()).template triangularView<Eigen::Upper>();
  }
  const Eigen::BDCSVD<ColMajor> svd(all, Eigen::ComputeThinV);
  out.singular_values = svd.singularValues().head(k);
  out.components = svd.matrixV().leftCols(k).transpose();
}

/// Rows whose squares are added to X^T X at a time: each addition reads and writes all of it.
constexpr Index kGramRows = 2048;

template <typename T>
void by_gram(const RowMajorRef<T>& x, Index k, TruncatedSvd& out) {
  const Index n = x.rows(), width = x.cols(), side = std::min(n, width);
  const bool over_columns = width <= n;
  ColMajor gram = ColMajor::Zero(side, side);
  Matrix block;
  auto lower = gram.selfadjointView<Eigen::Lower>();
  const bool as_it_lies = std::is_same_v<T, double> && out.mean.size() == 0;
  if (over_columns && as_it_lies) {
    if constexpr (std::is_same_v<T, double>) lower.rankUpdate(x.transpose());
  } else if (over_columns) {
    for (Index first = 0; first < n; first += kGramRows) {
      load(x, first, std::min(kGramRows, n - first), out.mean, block);
      lower.rankUpdate(block.transpose());
    }
  } else {
    load(x, 0, n, out.mean, block);
    lower.rankUpdate(block);
  }
  const auto found = leading_eigenpairs(gram, k);
  if (!found)
    throw std::domain_error("truncated_svd: the eigenvalues of the Gram matrix did not converge");

  // What is below the rounding of the largest is not a number we know.
  const Vector& eigenvalues = found->values;
  const double noise = std::numeric_limits<double>::epsilon() * std::max(eigenvalues[0], 0.0);
  out.singular_values.resize(k);
  Index known = 0;
  for (Index r = 0; r < k; ++r) {
    const bool signal = known == r && eigenvalues[r] > noise;
    out.singular_values[r] = signal ? std::sqrt(eigenvalues[r]) : 0.0;
    if (signal) ++known;
  }
  out.components = found->vectors.transpose();
  if (over_columns) return;
  out.components *= block;
  for (Index r = 0; r < known; ++r) out.components.row(r).normalize();
  complete(out.components, known);
}

constexpr Index kSpare = 10;  // directions beyond the k asked for

/// X^T X with products in float inside a block of rows, the blocks' sum in double.
ColMajor float_gram(const RowMajorRef<float>& x, const Vector& mean) {
  const Index width = x.cols();
  ColMajor gram = ColMajor::Zero(width, width);
  Eigen::MatrixXf part(width, width);
  RowMajor<float> centred;
  for (Index first = 0; first < x.rows(); first += kGramRows) {
    const Index count = std::min(kGramRows, x.rows() - first);
    part.setZero();
    auto lower = part.selfadjointView<Eigen::Lower>();
    if (mean.size() > 0) {
      centred =
          (x.middleRows(first, count).cast<double>().rowwise() - mean.transpose()).cast<float>();
      lower.rankUpdate(centred.transpose());
    } else {
      lower.rankUpdate(x.middleRows(first, count).transpose());
    }
    gram.triangularView<Eigen::Lower>() += part.cast<double>();
  }
  return gram;
}

template <typename T>
bool ritz_fits(const RowMajorRef<T>& x, Index k) {
  return k + kSpare <= x.cols() && x.cols() <= x.rows();
}

/// False: the smallest of the k is too small beside the largest to be told in this way.
bool by_ritz(const RowMajorRef<float>& x, Index k, TruncatedSvd& out) {
  constexpr double kOfFloat = 1e-8;  // below what the products in float leave anyway
  const auto rough = leading_eigenpairs(float_gram(x, out.mean), k + kSpare, kOfFloat);
  if (!rough) return false;
  // No more of the spare ones than widen the gap: each is a column in double.
  const auto gap = [&](Index spare) { return rough->values[k - 1] - rough->values[k + spare]; };
  Index spare = 0;
  while (spare < kSpare - 1 && !(gap(spare) >= 0.5 * gap(kSpare - 1))) ++spare;
  const Matrix directions = rough->vectors.leftCols(k + spare);

  ColMajor inner = ColMajor::Zero(k + spare, k + spare);
  Matrix block;
  const Index step = rows_per_block<double>(x.cols());
  for (Index first = 0; first < x.rows(); first += step) {
    load(x, first, std::min(step, x.rows() - first), out.mean, block);
    const Matrix inside = block * directions;
    inner.selfadjointView<Eigen::Lower>().rankUpdate(inside.transpose());
  }
  const auto exact = leading_eigenpairs(inner, k);
  constexpr double kTold = 9e-6;  // (3e-3)^2
  constexpr double kAgree = 1e-4;
  if (!exact) return false;
  const Vector& eigenvalues = exact->values;
  if (!(eigenvalues[k - 1] >= kTold * eigenvalues[0]) || !(eigenvalues[0] > 0.0)) return false;
  // Squares that fall below or above what a float holds leave another matrix.
  if (!(std::abs(rough->values[0] - eigenvalues[0]) <= kAgree * eigenvalues[0])) return false;
  out.singular_values = eigenvalues.cwiseSqrt();
  out.components = (directions * exact->vectors).transpose();
  return true;
}

template <typename T>
TruncatedSvd svd(const RowMajorRef<T>& x, Index k, bool centre, SvdMethod method) {
  require_filled("truncated_svd", "x", x);
  require_at_least("truncated_svd", "k", k, 1);
  const Index side = std::min(x.rows(), x.cols());
  if (k > side)
    throw std::invalid_argument("truncated_svd: k = " + std::to_string(k) +
                                " exceeds the smaller side of x, " + std::to_string(side));
  if (centre && x.rows() < 2) throw std::invalid_argument("truncated_svd: one row has no variance");

  TruncatedSvd out;
  if (centre) out.mean = column_means(x);
  if (method == SvdMethod::kAutomatic) {
    constexpr double kSmall = 67108864.0;  // 2^26: a few tenths of a second
    const double work =
        static_cast<double>(x.rows()) * static_cast<double>(x.cols()) * static_cast<double>(side);
    constexpr double kLarge = 4294967296.0;  // 2^32: where the time is worth the second way
    method = work <= kSmall                                                 ? SvdMethod::kExact
             : std::is_same_v<T, float> && work > kLarge && ritz_fits(x, k) ? SvdMethod::kRitz
                                                                            : SvdMethod::kGram;
  }
  bool done = false;
  if (method == SvdMethod::kRitz) {
    if constexpr (std::is_same_v<T, float>) {
      if (!ritz_fits(x, k))
        throw std::invalid_argument("truncated_svd: kRitz needs k + 10 <= D <= N");
      done = by_ritz(x, k, out);
    } else {
      throw std::invalid_argument("truncated_svd: kRitz is for float rows");
    }
  }
  if (method == SvdMethod::kExact)
    exact(x, k, out);
  else if (!done)
    by_gram(x, k, out);
  orient(out.components);
  if (centre)
    out.explained_variance =
        out.singular_values.array().square() / static_cast<double>(x.rows() - 1);
  return out;
}

}  // namespace

TruncatedSvd truncated_svd(const MatrixRef& x, Index k, bool centre, SvdMethod method) {
  return svd<double>(x, k, centre, method);
}

TruncatedSvd truncated_svd(const MatrixRefF& x, Index k, bool centre, SvdMethod method) {
  return svd<float>(x, k, centre, method);
}

Index lpca_dimension(const VectorRef& eigenvalues, DimensionRule rule, double threshold) {
  if (eigenvalues.size() < 1) throw std::invalid_argument("lpca_dimension: no eigenvalue");
  if (!(threshold > 0.0 && threshold < 1.0))
    throw std::invalid_argument("lpca_dimension: threshold = " + std::to_string(threshold) +
                                " is outside (0, 1)");
  for (Index i = 0; i < eigenvalues.size(); ++i) {
    require_weight("lpca_dimension", "eigenvalue " + std::to_string(i), eigenvalues[i]);
    if (i > 0 && eigenvalues[i] > eigenvalues[i - 1])
      throw std::invalid_argument("lpca_dimension: eigenvalue " + std::to_string(i) +
                                  " is larger than the one before it");
  }
  if (eigenvalues[0] == 0.0) throw std::domain_error("lpca_dimension: all eigenvalues are 0");

  Index count = 0;
  if (rule == DimensionRule::kFukunagaOlsen) {
    while (count < eigenvalues.size() && eigenvalues[count] > threshold * eigenvalues[0]) ++count;
    return count;
  }
  // Divided by the last running sum, not by a sum taken in another order: it ends at 1 exactly.
  Vector held(eigenvalues.size());
  double running = 0.0;
  for (Index i = 0; i < eigenvalues.size(); ++i) held[i] = running += eigenvalues[i];
  while (held[count] / running < threshold) ++count;
  return count + 1;
}

}  // namespace conoscope::numerics
