// SPDX-License-Identifier: Apache-2.0
#include "numerics/leading_eigenpairs.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <utility>

#include "numerics/random.h"

namespace conoscope::numerics {
namespace {

using ColMajor = Eigen::MatrixXd;
constexpr double kRounding = std::numeric_limits<double>::epsilon();

/// The k largest of a solver that sorts ascending.
Eigenpairs largest(const Eigen::SelfAdjointEigenSolver<ColMajor>& solver, Index k) {
  return {solver.eigenvalues().reverse().head(k),
          solver.eigenvectors().rightCols(k).rowwise().reverse()};
}

/// Whether, these pairs removed, every eigenvalue is below the last of them, except for `slack`.
bool none_missed(const ColMajor& lower, const Eigenpairs& found, double slack) {
  ColMajor rest = -lower;
  rest.diagonal().array() += found.values.tail(1)[0] + slack;
  const ColMajor scaled = found.vectors * found.values.cwiseSqrt().asDiagonal();
  rest.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  const Eigen::LLT<Eigen::Ref<ColMajor>> factor(rest);
  return factor.info() == Eigen::Success;
}

std::optional<Eigenpairs> by_lanczos(const ColMajor& lower, Index k, double tolerance) {
  const Index n = lower.rows(), most = n / 2;
  ColMajor basis(n, most + 1);
  Vector diagonal(most), beside(most);
  Random random{Seed(1)};
  for (Index i = 0; i < n; ++i) basis(i, 0) = random.normal();
  basis.col(0).normalize();

  double scale = 0.0;
  for (Index steps = 1, check = 2 * k + 20; steps <= most; ++steps) {
    const auto known = basis.leftCols(steps);
    Vector next = lower.selfadjointView<Eigen::Lower>() * basis.col(steps - 1);
    diagonal[steps - 1] = next.dot(basis.col(steps - 1));
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough (Kahan; Parlett 1980)
      const Vector inside = known.transpose() * next;
      next.noalias() -= known * inside;
    }
    const double rest = beside[steps - 1] = next.norm();
    scale = std::max(scale, diagonal[steps - 1]);
    // Nothing is left of the start, and what it does not hold is unknown; or it is not a number.
    if (!(rest > static_cast<double>(n) * kRounding * scale)) return std::nullopt;
    basis.col(steps) = next / rest;
    if (steps < check) continue;

    check = std::min(most, check + check / 4);
    Eigen::SelfAdjointEigenSolver<ColMajor> small;
    small.computeFromTridiagonal(diagonal.head(steps), beside.head(steps - 1));
    if (small.info() != Eigen::Success) return std::nullopt;
    Eigenpairs found = largest(small, k);
    const double allowed = tolerance * found.values[0];
    if (rest * found.vectors.row(steps - 1).cwiseAbs().maxCoeff() > allowed) continue;
    found.vectors = known * found.vectors;
    const double slack =
        static_cast<double>(n) * kRounding * found.values[0] + static_cast<double>(k) * allowed;
    if (!(found.values[k - 1] > slack) || !none_missed(lower, found, slack)) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Eigenpairs> leading_eigenpairs(const ColMajor& lower, Index k, double tolerance) {
  constexpr Index kSmall = 128;  // where the full decomposition takes a few milliseconds
  if (lower.rows() >= kSmall && 6 * k <= lower.rows()) {
    std::optional<Eigenpairs> found = by_lanczos(lower, k, tolerance);
    if (found) return found;
  }
  const Eigen::SelfAdjointEigenSolver<ColMajor> solver(lower);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return largest(solver, k);
}

}  // namespace conoscope::numerics
