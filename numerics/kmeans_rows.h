// SPDX-License-Identifier: Apache-2.0
#pragma once

// What K-Means and its seeding both need of rows and points.

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/sums.h"
#include "numerics/types.h"

namespace conoscope::numerics {

/// The rows, and what every pass over them needs.
template <typename T>
struct KMeansRows {
  /// throws  std::invalid_argument: no rows or columns, or an entry that is not finite
  explicit KMeansRows(const RowMajorRef<T>& rows)
      : x(rows), shift(rows.cols()), norms(rows.rows()) {
    const auto n = static_cast<double>(x.rows());
    shift.setZero();
    Vector mean = Vector::Zero(x.cols());
    const Vector origin = mean;
    for (Index i = 0; i < x.rows(); ++i) {
      const T* row = x.row(i).data();
      norms[i] = squared_difference(row, origin.data(), x.cols());
      for (Index d = 0; d < x.cols(); ++d) mean[d] += static_cast<double>(row[d]);
    }
    // One look instead of two: a square that is finite has no other entries in it.
    if (x.size() == 0 || !std::isfinite(norms.sum())) require_filled("kmeans", "x", x);
    mean /= n;
    // Rows within ten radii of the origin are used as they lie: shifting them would cost a copy and
    // save less than two digits. The shift is a value of T: subtracting it rounds only once.
    double total = norms.sum() - n * mean.squaredNorm();
    far = !(mean.squaredNorm() <= 100.0 * total / n);
    if (far) {
      total = 0.0;
      shift = mean.template cast<T>();
      const Vector near = shift.template cast<double>();
      for (Index i = 0; i < x.rows(); ++i) {
        total += squared_difference(x.row(i).data(), mean.data(), x.cols());
        norms[i] = squared_difference(x.row(i).data(), near.data(), x.cols());
      }
    }
    norms = norms.cwiseSqrt();
    mean_variance = total / n / static_cast<double>(x.cols());
  }

  RowMajorRef<T> x;
  bool far = false;  ///< whether shift is other than 0
  Eigen::Matrix<T, Eigen::Dynamic, 1> shift;
  Vector norms;  ///< |x_i - shift|
  double mean_variance = 0.0;
};

/// A few points, less the shift of the rows, and how wrong a product with one of them can be.
template <typename T>
struct KMeansPoints {
  KMeansPoints() = default;
  KMeansPoints(const KMeansRows<T>& rows, const Matrix& points)
      : shifted(points.rows(), points.cols()), squares(points.rows()) {
    const Vector origin = rows.shift.template cast<double>();
    for (Index k = 0; k < points.rows(); ++k) {
      const Vector step = points.row(k).transpose() - origin;
      squares[k] = step.squaredNorm();
      shifted.row(k) = step.transpose().template cast<T>();
    }
    largest = std::sqrt(squares.maxCoeff());
  }

  /// |p|^2 - 2 <x, p>, the dot product taken in T, is no further than this from its true value for
  /// any row of that norm and any of the points: the usual bound on a dot product of D terms
  /// (Higham 2002, section 3.1) for sum |x_d p_d| <= |x| |p|, plus underflow.
  double error(double norm) const {
    const double width = static_cast<double>(shifted.cols()) + 8.0;
    const double product = norm * largest;
    if (!(product < static_cast<double>(std::numeric_limits<T>::max()) / 4.0))
      return std::numeric_limits<double>::infinity();
    return width * (static_cast<double>(std::numeric_limits<T>::epsilon()) * product +
                    std::numeric_limits<double>::epsilon() * largest * largest +
                    static_cast<double>(std::numeric_limits<T>::min()));
  }

  RowMajor<T> shifted;  ///< K x D
  Vector squares;       ///< |p - shift|^2
  double largest = 0.0;
};

/// throws  std::invalid_argument: not 1 <= k <= n
inline void require_kmeans_k(Index k, Index n) {
  require_at_least("kmeans", "k", k, 1);
  if (k > n)
    throw std::invalid_argument("kmeans: k = " + std::to_string(k) +
                                " exceeds the number of rows, " + std::to_string(n));
}

}  // namespace conoscope::numerics
