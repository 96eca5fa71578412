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
  /// throws  std::invalid_argument: no rows or columns, or an entry that is not finite
  explicit Rows(const RowMajorRef<T>& rows) : x(rows), shift(rows.cols()), norms(rows.rows()) {
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
struct Points {
  Points() = default;
  Points(const Rows<T>& rows, const Matrix& points)
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

/// Which centre is nearest, for blocks of rows: from one matrix product each, and measured again
/// where its rounding could have changed the answer.
template <typename T>
class Nearest {
 public:
  Nearest(const Rows<T>& rows, const Matrix& centres)
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

  const Rows<T>& rows_;
  const Matrix& centres_;
  Points<T> points_;
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
Index assign(const Rows<T>& rows, const Matrix& centres, Assignment& state, Summing summing,
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
void sum_members(const Rows<T>& rows, const std::vector<Index>& labels, Sums& sums) {
  sums.clear(sums.of_members.rows(), sums.of_members.cols());
  for (Index i = 0; i < rows.x.rows(); ++i)
    sums.add(rows.x.row(i).data(), labels[static_cast<std::size_t>(i)]);
}

/// Gives each centre without rows the row farthest from its centre. Returns whether any moved.
template <typename T>
bool relocate_empty(const Rows<T>& rows, const Matrix& centres, const std::vector<Index>& labels,
                    Sums& sums) {
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
KMeansResult lloyd(const Rows<T>& rows, const Matrix& init, const KMeansOptions& options) {
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

/// <row, p> of kCount points, in one look at the row.
template <int kCount, typename T>
void dots_with(const T* row, const T* points, Index width, double* out) {
  constexpr int kLanes = 8;
  using Lanes = Eigen::Array<T, kLanes, 1, Eigen::DontAlign>;
  // A processor does not look beyond the page by itself, and a row may be half of one.
  constexpr Index kAhead = 16384 / static_cast<Index>(sizeof(T));
  Lanes sum[kCount];
  for (Lanes& lanes : sum) lanes.setZero();
  Index d = 0;
  for (; d + kLanes <= width; d += kLanes) {
    __builtin_prefetch(row + d + kAhead);
    const Lanes entries = Eigen::Map<const Lanes>(row + d);
    for (int c = 0; c < kCount; ++c)
      sum[c] += entries * Eigen::Map<const Lanes>(points + c * width + d);
  }
  for (int c = 0; c < kCount; ++c) {
    T total = sum[c].sum();
    for (Index rest = d; rest < width; ++rest) total += row[rest] * points[c * width + rest];
    out[c] = static_cast<double>(total);
  }
}

template <typename T>
void dots_with_all(const T* row, const RowMajor<T>& points, double* out) {
  constexpr Index kMost = 6;
  constexpr decltype(&dots_with<1, T>) kBySize[kMost] = {&dots_with<1, T>, &dots_with<2, T>,
                                                         &dots_with<3, T>, &dots_with<4, T>,
                                                         &dots_with<5, T>, &dots_with<6, T>};
  for (Index done = 0, count; done < points.rows(); done += count) {
    count = std::min(kMost, points.rows() - done);
    kBySize[count - 1](row, points.row(done).data(), points.cols(), out + done);
  }
}

/// Draws the seeds one after the other, and remembers how far each row is from the nearest.
template <typename T>
class Seeding {
 public:
  Seeding(const Rows<T>& rows, Index k, Seed seed)
      : rows_(rows),
        random_(seed),
        trials_(2 + static_cast<Index>(std::log(static_cast<double>(k)))),
        seeds_(k, rows.x.cols()),
        nearest_(Vector::Constant(rows.x.rows(), std::numeric_limits<double>::infinity())),
        root_(nearest_),
        seed_of_(static_cast<std::size_t>(rows.x.rows()), 0) {}

  /// Draws the candidates of the next seed.
  void begin_step() {
    const std::vector<Index> drawn = draw();
    candidates_.resize(static_cast<Index>(drawn.size()), rows_.x.cols());
    for (std::size_t t = 0; t < drawn.size(); ++t)
      candidates_.row(static_cast<Index>(t)) = rows_.x.row(drawn[t]).template cast<double>();
    points_ = Points<T>(rows_, candidates_);
    norms_ = points_.squares.cwiseSqrt();
    apart_.resize(chosen_, candidates_.rows());
    for (Index s = 0; s < chosen_; ++s)
      apart_.row(s) = (candidates_.rowwise() - seeds_.row(s)).rowwise().norm().transpose();
    distance_.resize(candidates_.rows(), rows_.x.rows());
  }

  /// For rows first ... end-1: how far each is from the nearest seed, were a candidate one of them.
  void measure(Index first, Index end) {
    const Index count = candidates_.rows();
    std::vector<double> dot(static_cast<std::size_t>(count));
    Eigen::Matrix<T, Eigen::Dynamic, 1> shifted;
    for (Index i = first; i < end; ++i) {
      const double nearest = nearest_[i], norm = rows_.norms[i];
      if (out_of_reach(i)) {
        for (Index t = 0; t < count; ++t) distance_(t, i) = nearest;
        continue;
      }
      const T* row = rows_.x.row(i).data();
      if (rows_.far) {
        shifted = rows_.x.row(i).transpose() - rows_.shift;
        row = shifted.data();
      }
      dots_with_all(row, points_.shifted, dot.data());
      const double error = points_.error(norm);
      for (Index t = 0; t < count; ++t) {
        double value = norm * norm + points_.squares[t] - 2.0 * dot[static_cast<std::size_t>(t)];
        // Measured directly where rounding would show.
        if (!(value > 1e3 * error) && !(value - 2.0 * error > nearest))
          value =
              squared_difference(rows_.x.row(i).data(), candidates_.row(t).data(), rows_.x.cols());
        distance_(t, i) = std::min(nearest, value);
      }
    }
  }

  /// The best candidate, once all rows are measured, is the next seed.
  void end_step() {
    Index best = 0;
    distance_.rowwise().sum().minCoeff(&best);
    seeds_.row(chosen_) = candidates_.row(best);
    for (Index i = 0; i < nearest_.size(); ++i) {
      if (!(distance_(best, i) < nearest_[i])) continue;
      nearest_[i] = distance_(best, i);
      root_[i] = std::sqrt(nearest_[i]);
      seed_of_[static_cast<std::size_t>(i)] = chosen_;
    }
    ++chosen_;
  }

  Matrix& seeds() { return seeds_; }

 private:
  std::vector<Index> draw() {
    const Index n = rows_.x.rows();
    const double total = chosen_ > 0 ? nearest_.sum() : 0.0;
    if (!(total > 0.0)) return {static_cast<Index>(random_.below(static_cast<std::uint64_t>(n)))};
    cumulated_.resize(static_cast<std::size_t>(n));
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) cumulated_[static_cast<std::size_t>(i)] = sum += nearest_[i];
    std::vector<Index> drawn;
    for (Index t = 0; t < trials_; ++t) {
      const double target = random_.uniform() * total;
      Index row =
          std::upper_bound(cumulated_.begin(), cumulated_.end(), target) - cumulated_.begin();
      if (row == n)  // rounding: the last row that could be drawn
        for (--row; !(nearest_[row] > 0.0);) --row;
      drawn.push_back(row);
    }
    return drawn;
  }

  /// Whether no candidate can be nearer than the seed that row i has, by the triangle inequality
  /// through that seed and through the origin.
  bool out_of_reach(Index i) const {
    if (chosen_ == 0) return false;
    const double own = root_[i] * (1.0 + 1e-6), norm = rows_.norms[i];
    const double* from_seed = apart_.row(seed_of_[static_cast<std::size_t>(i)]).data();
    for (Index t = 0; t < norms_.size(); ++t)
      if (from_seed[t] < 2.0 * own && std::abs(norm - norms_[t]) < own) return false;
    return true;
  }

  const Rows<T>& rows_;
  Random random_;
  Index trials_, chosen_ = 0;
  Matrix seeds_;                // K x D
  Vector nearest_;              // N: squared distance to the nearest seed
  Vector root_;                 // N: its root
  std::vector<Index> seed_of_;  // N: which seed that is
  Matrix candidates_;           // of the next seed
  Points<T> points_;            // the same
  Vector norms_;                // their norms, less the shift
  Matrix apart_;                // chosen x candidates: |seed - candidate|
  Matrix distance_;             // candidates x N, squared: see measure()
  std::vector<double> cumulated_;
};

/// One seeding for each seed. A look at all rows from memory costs more than what is done with
/// them, so all take their steps together.
template <typename T>
std::vector<Matrix> seed_centres(const Rows<T>& rows, Index k, const std::vector<Seed>& seeds) {
  std::vector<Seeding<T>> starts;
  for (const Seed& seed : seeds) starts.emplace_back(rows, k, seed);
  const Index n = rows.x.rows(), block = rows_per_block<T>(rows.x.cols());
  for (Index chosen = 0; chosen < k; ++chosen) {
    for (Seeding<T>& start : starts) start.begin_step();
    for (Index first = 0; first < n; first += block)
      for (Seeding<T>& start : starts) start.measure(first, std::min(first + block, n));
    for (Seeding<T>& start : starts) start.end_step();
  }
  std::vector<Matrix> out;
  for (Seeding<T>& start : starts) out.push_back(std::move(start.seeds()));
  return out;
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
  const Rows<T> rows(x);
  require_filled("kmeans", "init", init);
  check_k(init.rows(), x.rows());
  if (init.cols() != x.cols())
    throw std::invalid_argument("kmeans: init has " + std::to_string(init.cols()) +
                                " columns, x has " + std::to_string(x.cols()));
  return lloyd(rows, init, options);
}

template <typename T>
KMeansResult restarts(const RowMajorRef<T>& x, Index k, Seed seed, const KMeansOptions& options) {
  check_options(options);
  require_at_least("kmeans", "n_init", options.n_init, 1);
  const Rows<T> rows(x);
  check_k(k, x.rows());
  std::vector<Seed> seeds;
  for (int start = 0; start < options.n_init; ++start)
    seeds.push_back(seed.child("start").child(static_cast<std::uint64_t>(start)));
  KMeansResult best;
  bool any = false;
  for (const Matrix& centres : seed_centres(rows, k, seeds)) {
    KMeansResult result = lloyd(rows, centres, options);
    if (!any || result.inertia < best.inertia) best = std::move(result);
    any = true;
  }
  return best;
}

template <typename T>
std::vector<Matrix> plus_plus(const RowMajorRef<T>& x, Index k, const std::vector<Seed>& seeds) {
  const Rows<T> rows(x);
  check_k(k, x.rows());
  return seed_centres(rows, k, seeds);
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
  return plus_plus<double>(x, k, {seed}).front();
}

Matrix kmeans_plus_plus(const MatrixRefF& x, Index k, Seed seed) {
  return plus_plus<float>(x, k, {seed}).front();
}

std::vector<Matrix> kmeans_plus_plus(const MatrixRef& x, Index k, const std::vector<Seed>& seeds) {
  return plus_plus<double>(x, k, seeds);
}

std::vector<Matrix> kmeans_plus_plus(const MatrixRefF& x, Index k, const std::vector<Seed>& seeds) {
  return plus_plus<float>(x, k, seeds);
}

}  // namespace conoscope::numerics
