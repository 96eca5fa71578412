#include "numerics/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/sums.h"

namespace conoscope::numerics {
namespace {

/// The rows, and what every pass over them needs.
template <typename T>
struct Rows {
  explicit Rows(const RowMajorRef<T>& rows) : x(rows), shift(rows.cols()), norms(rows.rows()) {
    Vector mean = Vector::Zero(x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
      const T* row = x.row(i).data();
      for (Index d = 0; d < x.cols(); ++d) mean[d] += static_cast<double>(row[d]);
    }
    mean /= static_cast<double>(x.rows());
    double total = 0.0;
    for (Index i = 0; i < x.rows(); ++i)
      total += squared_difference(x.row(i).data(), mean.data(), x.cols());
    mean_variance = total / static_cast<double>(x.rows()) / static_cast<double>(x.cols());
    // Rows within ten radii of the origin are used as they lie: shifting them would cost a copy and
    // save less than two digits. The shift is a value of T: subtracting it rounds only once.
    far = mean.squaredNorm() > 100.0 * total / static_cast<double>(x.rows());
    shift.setZero();
    if (far) shift = mean.template cast<T>();
    const Vector origin = shift.template cast<double>();
    for (Index i = 0; i < x.rows(); ++i)
      norms[i] = std::sqrt(squared_difference(x.row(i).data(), origin.data(), x.cols()));
  }

  RowMajorRef<T> x;
  bool far = false;  ///< whether shift is other than 0
  Eigen::Matrix<T, Eigen::Dynamic, 1> shift;
  Vector norms;  ///< |x_i - shift|
  double mean_variance = 0.0;
};

/// Squared distances of every row to a few centres from one matrix product per block, each with a
/// bound on what rounding can have done to it.
template <typename T>
class Distances {
 public:
  Distances(const Rows<T>& rows, const Matrix& centres)
      : rows_(rows),
        centres_(centres),
        block_rows_(rows_per_block<T>(rows.x.cols())),
        shifted_(centres.rows(), centres.cols()),
        squares_(centres.rows()) {
    const Vector origin = rows.shift.template cast<double>();
    for (Index k = 0; k < centres.rows(); ++k) {
      const Vector step = centres.row(k).transpose() - origin;
      squares_[k] = step.squaredNorm();
      shifted_.row(k) = step.transpose().template cast<T>();
    }
    largest_ = std::sqrt(squares_.maxCoeff());
  }

  Index block_rows() const { return block_rows_; }

  /// Multiplies the rows given: row j of the product holds (x_i - shift) . (c_k - shift) in column
  /// k for i = which[j], rounded in T.
  void load(const std::vector<Index>& which) {
    const auto count = static_cast<Index>(which.size());
    if (!rows_.far && which.back() - which.front() == count - 1) {
      dots_.noalias() = rows_.x.middleRows(which.front(), count) * shifted_.transpose();
      return;
    }
    block_.resize(count, rows_.x.cols());
    for (std::size_t j = 0; j < which.size(); ++j) {
      const T* from = rows_.x.row(which[j]).data();
      T* to = block_.row(static_cast<Index>(j)).data();
      for (Index d = 0; d < block_.cols(); ++d) to[d] = from[d] - rows_.shift[d];
    }
    dots_.noalias() = block_ * shifted_.transpose();
  }

  /// |x_i - c_k|^2 - |x_i - shift|^2.
  double relative(Index in_block, Index k) const {
    return squares_[k] - 2.0 * static_cast<double>(dots_(in_block, k));
  }

  /// No relative() of row i is further than this from its true value: the usual bound on a dot
  /// product of D terms (Higham 2002, section 3.1) for sum |x_d c_d| <= |x| |c|, plus underflow.
  double error(Index i) const {
    const double width = static_cast<double>(rows_.x.cols()) + 8.0;
    const double product = rows_.norms[i] * largest_;
    if (!(product < static_cast<double>(std::numeric_limits<T>::max()) / 4.0))
      return std::numeric_limits<double>::infinity();
    return width * (static_cast<double>(std::numeric_limits<T>::epsilon()) * product +
                    std::numeric_limits<double>::epsilon() * largest_ * largest_ +
                    static_cast<double>(std::numeric_limits<T>::min()));
  }

  double exact(Index i, Index k) const {
    return squared_difference(rows_.x.row(i).data(), centres_.row(k).data(), rows_.x.cols());
  }

  struct Nearest {
    Index k = 0;
    double lead = 0.0;  ///< every other centre is at least this much farther away
  };

  Nearest nearest(Index i, Index in_block) const {
    const double bound = error(i);
    Index best = 0;
    double least = relative(in_block, 0), second = std::numeric_limits<double>::infinity();
    for (Index k = 1; k < squares_.size(); ++k) {
      const double value = relative(in_block, k);
      if (value < least) {
        second = least;
        least = value;
        best = k;
      } else {
        second = std::min(second, value);
      }
    }
    if (second > least + 2.0 * bound) {
      const double square = rows_.norms[i] * rows_.norms[i];
      const double off = bound + 1e-10 * square;  // the norm's own rounding, with room to spare
      return {best, std::sqrt(std::max(0.0, square + second - off)) -
                        std::sqrt(std::max(0.0, square + least + off))};
    }
    double exact_least = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < squares_.size(); ++k) {
      if (relative(in_block, k) > least + 2.0 * bound) continue;
      const double value = exact(i, k);
      if (value < exact_least) {
        exact_least = value;
        best = k;
      }
    }
    return {best, 0.0};
  }

  /// A lead above this survives the rounding of exact(), so that skipping a row changes no label.
  double rounding(Index i) const { return 1e-9 * (rows_.norms[i] + largest_); }

  /// |x_i - c_k|^2, measured directly where the product's rounding would show.
  double squared(Index i, Index in_block, Index k) const {
    const double value = rows_.norms[i] * rows_.norms[i] + relative(in_block, k);
    return value > 1e3 * error(i) ? value : exact(i, k);
  }

 private:
  const Rows<T>& rows_;
  const Matrix& centres_;
  Index block_rows_;
  RowMajor<T> shifted_;
  Vector squares_;  ///< |c_k - shift|^2
  double largest_ = 0.0;
  RowMajor<T> block_;
  RowMajor<T> dots_;
};

struct Sums {
  Matrix of_members;         ///< K x D
  std::vector<Index> count;  ///< K
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

/// Labels for the centres given; with `sums`, also the sums of each label's rows, while they are in
/// the cache. A row whose lead has outlasted the centres' moves is not measured again.
template <typename T>
void assign(const Rows<T>& rows, const Matrix& centres, Assignment& state, Sums* sums) {
  if (sums) {
    sums->of_members.setZero(centres.rows(), centres.cols());
    sums->count.assign(static_cast<std::size_t>(centres.rows()), 0);
  }
  Distances<T> distances(rows, centres);
  const Index n = rows.x.rows(), width = rows.x.cols();
  std::vector<Index> open;
  for (Index first = 0; first < n; first += distances.block_rows()) {
    const Index end = std::min(first + distances.block_rows(), n);
    open.clear();
    for (Index i = first; i < end; ++i)
      if (!(state.lead[static_cast<std::size_t>(i)] > distances.rounding(i))) open.push_back(i);
    if (!open.empty()) distances.load(open);
    for (std::size_t j = 0; j < open.size(); ++j) {
      const auto [k, lead] = distances.nearest(open[j], static_cast<Index>(j));
      state.labels[static_cast<std::size_t>(open[j])] = k;
      state.lead[static_cast<std::size_t>(open[j])] = lead;
    }
    if (!sums) continue;
    for (Index i = first; i < end; ++i) {
      const Index label = state.labels[static_cast<std::size_t>(i)];
      ++sums->count[static_cast<std::size_t>(label)];
      const T* row = rows.x.row(i).data();
      double* sum = sums->of_members.row(label).data();
      for (Index d = 0; d < width; ++d) sum[d] += static_cast<double>(row[d]);
    }
  }
}

/// Gives each centre without rows the row farthest from its centre. Returns whether any moved.
template <typename T>
bool relocate_empty(const Rows<T>& rows, const Matrix& centres, const std::vector<Index>& labels,
                    Sums& sums) {
  std::vector<Index> empty;
  for (Index k = 0; k < centres.rows(); ++k)
    if (sums.count[static_cast<std::size_t>(k)] == 0) empty.push_back(k);
  if (empty.empty()) return false;

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
    const auto row = rows.x.row(static_cast<Index>(order[e])).template cast<double>();
    const Index from = labels[order[e]];
    sums.of_members.row(from) -= row;
    --sums.count[static_cast<std::size_t>(from)];
    sums.of_members.row(empty[e]) = row;
    sums.count[static_cast<std::size_t>(empty[e])] = 1;
    moved = true;
  }
  return moved;
}

template <typename T>
KMeansResult lloyd(const Rows<T>& rows, const Matrix& init, const KMeansOptions& options) {
  KMeansResult result;
  result.centres = init;
  const auto n = static_cast<std::size_t>(rows.x.rows());
  Assignment state{std::vector<Index>(n, -1), std::vector<double>(n, 0.0)};
  const double tolerance = options.tol * rows.mean_variance;
  std::vector<Index> previous;
  Sums sums;
  Vector move(init.rows());
  bool labels_fit = false, moved_before = false;
  while (result.iterations < options.max_iter && !labels_fit) {
    ++result.iterations;
    previous = state.labels;
    assign(rows, result.centres, state, &sums);
    const bool moved = relocate_empty(rows, result.centres, state.labels, sums);
    move.setZero();
    for (Index k = 0; k < result.centres.rows(); ++k) {
      const Index count = sums.count[static_cast<std::size_t>(k)];
      if (count == 0) continue;
      const Eigen::RowVectorXd centre = sums.of_members.row(k) / static_cast<double>(count);
      move[k] = (centre - result.centres.row(k)).norm();
      result.centres.row(k) = centre;
    }
    state.centres_moved(move);
    // The same labels give the same centres: the labels at hand are those of the final centres.
    labels_fit = !moved && !moved_before && state.labels == previous;
    moved_before = moved;
    if (!labels_fit && move.squaredNorm() <= tolerance) break;
  }
  if (!labels_fit) assign<T>(rows, result.centres, state, nullptr);
  result.labels = std::move(state.labels);
  for (Index i = 0; i < rows.x.rows(); ++i)
    result.inertia += squared_difference(
        rows.x.row(i).data(), result.centres.row(result.labels[static_cast<std::size_t>(i)]).data(),
        rows.x.cols());
  return result;
}

template <typename T>
Matrix seed_centres(const Rows<T>& rows, Index k, Seed seed) {
  Random random(seed);
  const Index n = rows.x.rows();
  const Index trials = 2 + static_cast<Index>(std::log(static_cast<double>(k)));
  const auto uniform_row = [&] {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
  };

  Matrix centres(k, rows.x.cols());
  Vector nearest = Vector::Constant(n, std::numeric_limits<double>::infinity());
  Matrix candidates, distance;
  std::vector<Index> block;
  for (Index chosen = 0; chosen < k; ++chosen) {
    double total = 0.0;
    std::vector<Index> drawn;
    if (chosen > 0) total = nearest.sum();
    if (chosen == 0 || !(total > 0.0)) {
      drawn.push_back(uniform_row());
    } else {
      std::vector<double> target(static_cast<std::size_t>(trials));
      for (double& value : target) value = random.uniform() * total;
      for (const double value : target) {
        double cumulated = 0.0;
        Index row = 0, last = 0;
        for (; row < n; ++row) {
          cumulated += nearest[row];
          if (nearest[row] > 0.0) last = row;
          if (cumulated > value) break;
        }
        drawn.push_back(row < n ? row : last);
      }
    }

    candidates.resize(static_cast<Index>(drawn.size()), rows.x.cols());
    for (std::size_t t = 0; t < drawn.size(); ++t)
      candidates.row(static_cast<Index>(t)) = rows.x.row(drawn[t]).template cast<double>();
    Distances<T> to(rows, candidates);
    distance.resize(candidates.rows(), n);
    for (Index first = 0; first < n; first += to.block_rows()) {
      const Index count = std::min(to.block_rows(), n - first);
      block.resize(static_cast<std::size_t>(count));
      std::iota(block.begin(), block.end(), first);
      to.load(block);
      for (Index t = 0; t < candidates.rows(); ++t)
        for (Index i = 0; i < count; ++i)
          distance(t, first + i) = std::min(nearest[first + i], to.squared(first + i, i, t));
    }
    Index best = 0;
    distance.rowwise().sum().minCoeff(&best);
    centres.row(chosen) = candidates.row(best);
    nearest = distance.row(best).transpose();
  }
  return centres;
}

void check_options(const KMeansOptions& options) {
  require_at_least("kmeans", "max_iter", options.max_iter, 1);
  require_weight("kmeans", "tol", options.tol);
}

void check_k(Index k, Index n) {
  require_at_least("kmeans", "k", k, 1);
  if (k > n)
    throw std::invalid_argument("kmeans: k = " + std::to_string(k) +
                                " exceeds the number of rows, " + std::to_string(n));
}

template <typename T>
KMeansResult from(const RowMajorRef<T>& x, const MatrixRef& init, const KMeansOptions& options) {
  check_options(options);
  require_filled("kmeans", "x", x);
  require_filled("kmeans", "init", init);
  check_k(init.rows(), x.rows());
  if (init.cols() != x.cols())
    throw std::invalid_argument("kmeans: init has " + std::to_string(init.cols()) +
                                " columns, x has " + std::to_string(x.cols()));
  return lloyd(Rows<T>(x), init, options);
}

template <typename T>
KMeansResult restarts(const RowMajorRef<T>& x, Index k, Seed seed, const KMeansOptions& options) {
  check_options(options);
  require_at_least("kmeans", "n_init", options.n_init, 1);
  require_filled("kmeans", "x", x);
  check_k(k, x.rows());
  const Rows<T> rows(x);
  KMeansResult best;
  for (int start = 0; start < options.n_init; ++start) {
    const Seed stream = seed.child("start").child(static_cast<std::uint64_t>(start));
    KMeansResult result = lloyd(rows, seed_centres(rows, k, stream), options);
    if (start == 0 || result.inertia < best.inertia) best = std::move(result);
  }
  return best;
}

template <typename T>
Matrix plus_plus(const RowMajorRef<T>& x, Index k, Seed seed) {
  require_filled("kmeans", "x", x);
  check_k(k, x.rows());
  return seed_centres(Rows<T>(x), k, seed);
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

Matrix kmeans_plus_plus(const MatrixRef& x, Index k, Seed seed) {
  return plus_plus<double>(x, k, seed);
}

Matrix kmeans_plus_plus(const MatrixRefF& x, Index k, Seed seed) {
  return plus_plus<float>(x, k, seed);
}

}  // namespace conoscope::numerics
