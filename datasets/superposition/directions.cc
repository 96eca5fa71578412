// SPDX-License-Identifier: Apache-2.0
#include "datasets/superposition/directions.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/adam.h"
#include "numerics/checks.h"

namespace conoscope::datasets::superposition {

namespace {

/// throws  std::invalid_argument: as largest_cosines()
Matrix unit_rows(const char* function, const MatrixRef& directions) {
  numerics::require_filled(function, "directions", directions);
  numerics::require_at_least(function, "rows of directions", directions.rows(), 2);
  Matrix out = directions;
  for (Index i = 0; i < out.rows(); ++i) {
    const double norm = out.row(i).norm();
    if (norm == 0.0) numerics::refuse(function, "row " + std::to_string(i) + " of directions is 0");
    out.row(i) /= norm;
  }
  return out;
}

/// visit(i, |cos| of row i with all others and, at place i, itself)
template <typename Visit>
void for_each_row_of_cosines(const Matrix& unit, const Visit& visit) {
  const Index block = numerics::rows_per_block<double>(unit.rows());
  for (Index at = 0; at < unit.rows(); at += block) {
    const Index rows = std::min(block, unit.rows() - at);
    const Matrix cosines = (unit.middleRows(at, rows) * unit.transpose()).cwiseAbs();
    for (Index i = 0; i < rows; ++i) visit(at + i, cosines.row(i));
  }
}

template <typename Row>
double largest_beside(const Row& cosines, Index self) {
  double out = 0.0;
  for (Index j = 0; j < cosines.size(); ++j)
    if (j != self) out = std::max(out, cosines[j]);
  return out;
}

/// By linear interpolation between the two neighbours, as NumPy.
double percentile(std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(place));
  const auto at = values.begin() + below;
  std::nth_element(values.begin(), at, values.end());
  const double low = *at;
  if (at + 1 == values.end()) return low;
  const double high = *std::min_element(at + 1, values.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

}  // namespace

Orthogonality orthogonality(const MatrixRef& directions) {
  numerics::require_filled("orthogonality", "directions", directions);
  const auto n = static_cast<double>(directions.rows());
  // sum over all j of <d_i, d_j> d_j is d_i D'D, and of the squares |D'D|^2; i itself is taken off.
  const Matrix second = directions.transpose() * directions;
  const Vector squares = directions.rowwise().squaredNorm();
  const Vector excess = squares.array() - 1.0;
  Orthogonality out;
  out.loss = second.squaredNorm() - squares.squaredNorm() + n * excess.squaredNorm();
  out.gradient = 4.0 * (directions * second);
  out.gradient += (4.0 * (n * excess - squares)).asDiagonal() * directions;
  return out;
}

Matrix orthogonalised(const MatrixRef& directions, Index steps, double rate,
                      const std::function<void(Index)>& after_step) {
  numerics::require_filled("orthogonalised", "directions", directions);
  numerics::require_at_least("orthogonalised", "steps", steps, 0);
  numerics::require_weight("orthogonalised", "rate", rate);
  Matrix out = directions;
  numerics::Adam<double> adam(out.size());
  for (Index step = 0; step < steps; ++step) {
    adam.step(out.data(), orthogonality(out).gradient.data(), rate);
    if (after_step) after_step(step + 1);
  }
  for (Index i = 0; i < out.rows(); ++i) {
    const double norm = out.row(i).norm();
    if (norm == 0.0)
      throw std::domain_error("orthogonalised: row " + std::to_string(i) + " is 0 after " +
                              std::to_string(steps) + " steps");
    out.row(i) /= norm;
  }
  return out;
}

Vector largest_cosines(const MatrixRef& directions) {
  const Matrix unit = unit_rows("largest_cosines", directions);
  Vector out(unit.rows());
  for_each_row_of_cosines(
      unit, [&out](Index i, const auto& cosines) { out[i] = largest_beside(cosines, i); });
  return out;
}

Superposition superposition_stats(const MatrixRef& directions) {
  const Matrix unit = unit_rows("superposition_stats", directions);
  const Index n = unit.rows();
  std::vector<double> pairs;
  pairs.reserve(static_cast<std::size_t>(n * (n - 1)));
  Superposition out;
  for_each_row_of_cosines(unit, [&](Index i, const auto& cosines) {
    const double largest = largest_beside(cosines, i);
    out.mean_max += largest / static_cast<double>(n);
    out.max = std::max(out.max, largest);
    for (Index j = 0; j < n; ++j)
      if (j != i) pairs.push_back(cosines[j]);
  });
  for (const double cosine : pairs) out.mean += cosine / static_cast<double>(pairs.size());
  out.percentile_95 = percentile(pairs, 0.95);
  out.percentile_99 = percentile(pairs, 0.99);
  out.ratio = static_cast<double>(n) / static_cast<double>(unit.cols());
  return out;
}

}  // namespace conoscope::datasets::superposition
