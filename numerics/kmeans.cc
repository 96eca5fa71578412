// SPDX-License-Identifier: Apache-2.0
#include "numerics/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/kmeans_rows.h"
#include "numerics/kmeans_seeding.h"
#include "numerics/sums.h"

namespace conoscope::numerics {
namespace {

/// Which centre is nearest, for blocks of rows: from one matrix product each, and measured again
/// where its rounding could have changed the answer.
template <typename T>
class Nearest {
 public:
  Nearest(const KMeansRows<T>& rows, const Matrix& centres)
      : rows_(rows), centres_(centres), points_(rows, centres) {}

  /// For rows which[0], which[1], ... (ascending): label(j) and lead(j).
  void find(const std::vector<Index>& which) {
    multiply(which);
    const auto count = static_cast<Index>(which.size());
    least_.setConstant(count, std::numeric_limits<double>::infinity());
    second_ = least_;
    place_.setZero(count);
    for (Index k = 0; k < points_.squares.size(); ++k) {
      const T* dot = dots_.col(k).data();
      const double square = points_.squares[k], place = static_cast<double>(k);
      double* const least = least_.data();
      double* const second = second_.data();
      double* const best = place_.data();
      for (Index j = 0; j < count; ++j) {  // no branch: one vector operation after the other
        const double value = square - 2.0 * static_cast<double>(dot[j]), before = least[j];
        const bool nearer = value < before;
        const double behind = nearer ? before : value;
        second[j] = behind < second[j] ? behind : second[j];
        least[j] = nearer ? value : before;
        best[j] = nearer ? place : best[j];
      }
    }
    for (Index j = 0; j < count; ++j) settle(which[static_cast<std::size_t>(j)], j);
  }

  Index label(Index j) const { return static_cast<Index>(place_[j]); }

  /// Every other centre is at least this much farther away.
  double lead(Index j) const { return second_[j]; }

  /// A lead above this survives the rounding of squared_difference(), so that skipping a row
  /// changes no label.
  double rounding(Index i) const { return 1e-9 * (rows_.norms[i] + points_.largest); }

 private:
  /// Row j of the product holds (x_i - shift) . (c_k - shift) in column k for i = which[j].
  void multiply(const std::vector<Index>& which) {
    const auto count = static_cast<Index>(which.size());
    if (!rows_.far && which.back() - which.front() == count - 1) {
      dots_.noalias() = rows_.x.middleRows(which.front(), count) * points_.shifted.transpose();
      return;
    }
    block_.resize(count, rows_.x.cols());
    for (std::size_t j = 0; j < which.size(); ++j) {
      const T* from = rows_.x.row(which[j]).data();
      T* to = block_.row(static_cast<Index>(j)).data();
      for (Index d = 0; d < block_.cols(); ++d) to[d] = from[d] - rows_.shift[d];
    }
    dots_.noalias() = block_ * points_.shifted.transpose();
  }

  void settle(Index i, Index j) {
    const double bound = points_.error(rows_.norms[i]), least = least_[j], second = second_[j];
    if (second > least + 2.0 * bound) {
      const double square = rows_.norms[i] * rows_.norms[i];
      const double off = bound + 1e-10 * square;  // the norm's own rounding, with room to spare
      second_[j] = std::sqrt(std::max(0.0, square + second - off)) -
                   std::sqrt(std::max(0.0, square + least + off));
      return;
    }
    double exact_least = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < points_.squares.size(); ++k) {
      if (points_.squares[k] - 2.0 * static_cast<double>(dots_(j, k)) > least + 2.0 * bound)
        continue;
      const double value =
          squared_difference(rows_.x.row(i).data(), centres_.row(k).data(), rows_.x.cols());
      if (value < exact_least) {
        exact_least = value;
        place_[j] = static_cast<double>(k);
      }
    }
    second_[j] = 0.0;
  }

  const KMeansRows<T>& rows_;
  const Matrix& centres_;
  KMeansPoints<T> points_;
  RowMajor<T> block_;
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> dots_;  // a column for each centre
  Vector least_, second_, place_;                          // by row; place: the centre's number
};

struct Sums {
  Matrix of_members;         ///< K x D
  std::vector<Index> count;  ///< K

  void clear(Index k, Index width) {
    of_members.setZero(k, width);
    count.assign(static_cast<std::size_t>(k), 0);
  }

  template <typename T>
  void add(const T* row, Index label) {
    ++count[static_cast<std::size_t>(label)];
    double* sum = of_members.row(label).data();
    for (Index d = 0; d < of_members.cols(); ++d) sum[d] += static_cast<double>(row[d]);
  }

  template <typename T>
  void take(const T* row, Index label) {
    --count[static_cast<std::size_t>(label)];
    double* sum = of_members.row(label).data();
    for (Index d = 0; d < of_members.cols(); ++d) sum[d] -= static_cast<double>(row[d]);
  }
};

struct Assignment {
  std::vector<Index> labels;  ///< N
  std::vector<double> lead;  ///< N: every centre but the label's is at least this much farther away

  /// After centres have moved, each by its entry: by the triangle inequality (Hamerly, SDM 2010).
  void centres_moved(const Vector& move) {
    Index farthest = 0;
    const double first = move.maxCoeff(&farthest);
    double second = 0.0;
    for (Index k = 0; k < move.size(); ++k)
      if (k != farthest) second = std::max(second, move[k]);
    constexpr double kUp = 1.0 + 1e-9;  // rounding of the moves
    for (std::size_t i = 0; i < labels.size(); ++i)
      lead[i] -= kUp * (move[labels[i]] + (labels[i] == farthest ? second : first));
  }
};

enum class Summing {
  kNone,
  kAll,      ///< all rows, while they are in the cache
  kChanged,  ///< only those that have changed their label: the others are not even read
};

/// Labels for the centres given; returns how many have changed. A row whose lead has outlasted the
/// centres' moves is not measured again.
template <typename T>
Index assign(const KMeansRows<T>& rows, const Matrix& centres, Assignment& state, Summing summing,
             Sums& sums) {
  if (summing == Summing::kAll) sums.clear(centres.rows(), centres.cols());
  Nearest<T> nearest(rows, centres);
  const Index n = rows.x.rows(), step = rows_per_block<T>(rows.x.cols());
  Index changed = 0;
  std::vector<Index> open;
  for (Index first = 0; first < n; first += step) {
    const Index end = std::min(first + step, n);
    open.clear();
    for (Index i = first; i < end; ++i)
      if (!(state.lead[static_cast<std::size_t>(i)] > nearest.rounding(i))) open.push_back(i);
    if (!open.empty()) nearest.find(open);
    for (std::size_t j = 0; j < open.size(); ++j) {
      const auto i = static_cast<std::size_t>(open[j]);
      const Index before = state.labels[i], label = nearest.label(static_cast<Index>(j));
      state.lead[i] = nearest.lead(static_cast<Index>(j));
      if (label == before) continue;
      ++changed;
      state.labels[i] = label;
      if (summing != Summing::kChanged) continue;
      sums.take(rows.x.row(open[j]).data(), before);
      sums.add(rows.x.row(open[j]).data(), label);
    }
    if (summing != Summing::kAll) continue;
    for (Index i = first; i < end; ++i)
      sums.add(rows.x.row(i).data(), state.labels[static_cast<std::size_t>(i)]);
  }
  return changed;
}

template <typename T>
void sum_members(const KMeansRows<T>& rows, const std::vector<Index>& labels, Sums& sums) {
  sums.clear(sums.of_members.rows(), sums.of_members.cols());
  for (Index i = 0; i < rows.x.rows(); ++i)
    sums.add(rows.x.row(i).data(), labels[static_cast<std::size_t>(i)]);
}

/// Gives each centre without rows the row farthest from its centre. Returns whether any moved.
template <typename T>
bool relocate_empty(const KMeansRows<T>& rows, const Matrix& centres,
                    const std::vector<Index>& labels, Sums& sums) {
  std::vector<Index> empty;
  for (Index k = 0; k < centres.rows(); ++k)
    if (sums.count[static_cast<std::size_t>(k)] == 0) empty.push_back(k);

  std::vector<double> distance(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    distance[i] = squared_difference(rows.x.row(static_cast<Index>(i)).data(),
                                     centres.row(labels[i]).data(), rows.x.cols());
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(empty.size()),
                    order.end(), [&](std::size_t a, std::size_t b) {
                      return distance[a] != distance[b] ? distance[a] > distance[b] : a < b;
                    });
  bool moved = false;
  for (std::size_t e = 0; e < empty.size() && distance[order[e]] > 0.0; ++e) {
    const T* row = rows.x.row(static_cast<Index>(order[e])).data();
    sums.take(row, labels[order[e]]);
    sums.of_members.row(empty[e]).setZero();
    sums.add(row, empty[e]);
    moved = true;
  }
  return moved;
}

template <typename T>
KMeansResult lloyd(const KMeansRows<T>& rows, const Matrix& init, const KMeansOptions& options) {
  KMeansResult result;
  result.centres = init;
  const Index n = rows.x.rows();
  const auto size = static_cast<std::size_t>(n);
  Assignment state{std::vector<Index>(size, -1), std::vector<double>(size, 0.0)};
  const double tolerance = options.tol * rows.mean_variance;
  Sums sums;
  Vector move(init.rows());
  const auto update_centres = [&] {
    move.setZero();
    for (Index k = 0; k < result.centres.rows(); ++k) {
      const Index count = sums.count[static_cast<std::size_t>(k)];
      if (count == 0) continue;
      const Eigen::RowVectorXd centre = sums.of_members.row(k) / static_cast<double>(count);
      move[k] = (centre - result.centres.row(k)).norm();
      result.centres.row(k) = centre;
    }
    state.centres_moved(move);
  };
  Index changed = n;
  bool whole = true, labels_fit = false, moved = false;
  while (result.iterations < options.max_iter && !labels_fit) {
    ++result.iterations;
    const bool moved_before = moved;
    whole = moved_before || changed > n / 4;
    changed = assign(rows, result.centres, state, whole ? Summing::kAll : Summing::kChanged, sums);
    moved = std::find(sums.count.begin(), sums.count.end(), 0) != sums.count.end();
    if (moved) {
      if (!whole) sum_members(rows, state.labels, sums);
      whole = true;
      moved = relocate_empty(rows, result.centres, state.labels, sums);
    }
    update_centres();
    // The same labels give the same centres: the labels at hand are those of the final centres,
    // unless what has come and gone has left its rounding in the sums.
    labels_fit = changed == 0 && !moved && !moved_before;
    if (labels_fit && !whole) {
      sum_members(rows, state.labels, sums);
      update_centres();
      whole = true;
      labels_fit =
          move.isZero(0.0) || assign(rows, result.centres, state, Summing::kNone, sums) == 0;
      if (!labels_fit) changed = n;  // the sums are no longer those of the labels
    }
    if (!labels_fit && move.squaredNorm() <= tolerance) break;
  }
  if (!labels_fit) {
    if (!whole) {
      sum_members(rows, state.labels, sums);
      update_centres();
    }
    assign(rows, result.centres, state, Summing::kNone, sums);
  }
  result.labels = std::move(state.labels);
  for (Index i = 0; i < n; ++i)
    result.inertia += squared_difference(
        rows.x.row(i).data(), result.centres.row(result.labels[static_cast<std::size_t>(i)]).data(),
        rows.x.cols());
  return result;
}

void check_options(const KMeansOptions& options) {
  require_at_least("kmeans", "max_iter", options.max_iter, 1);
  require_weight("kmeans", "tol", options.tol);
}

template <typename T>
KMeansResult from(const RowMajorRef<T>& x, const MatrixRef& init, const KMeansOptions& options) {
  check_options(options);
  const KMeansRows<T> rows(x);
  require_filled("kmeans", "init", init);
  require_kmeans_k(init.rows(), x.rows());
  if (init.cols() != x.cols())
    throw std::invalid_argument("kmeans: init has " + std::to_string(init.cols()) +
                                " columns, x has " + std::to_string(x.cols()));
  return lloyd(rows, init, options);
}

template <typename T>
KMeansResult restarts(const RowMajorRef<T>& x, Index k, Seed seed, const KMeansOptions& options) {
  check_options(options);
  const KMeansRows<T> rows(x);
  KMeansResult best;
  bool any = false;
  for (const Matrix& centres : kmeans_starts(rows, k, seed, options.n_init)) {
    KMeansResult result = lloyd(rows, centres, options);
    if (!any || result.inertia < best.inertia) best = std::move(result);
    any = true;
  }
  return best;
}

}  // namespace

KMeansResult kmeans_from(const MatrixRef& x, const MatrixRef& init, const KMeansOptions& options) {
  return from<double>(x, init, options);
}

KMeansResult kmeans_from(const MatrixRefF& x, const MatrixRef& init, const KMeansOptions& options) {
  return from<float>(x, init, options);
}

KMeansResult kmeans(const MatrixRef& x, Index k, Seed seed, const KMeansOptions& options) {
  return restarts<double>(x, k, seed, options);
}

KMeansResult kmeans(const MatrixRefF& x, Index k, Seed seed, const KMeansOptions& options) {
  return restarts<float>(x, k, seed, options);
}

}  // namespace conoscope::numerics
