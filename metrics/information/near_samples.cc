#include "metrics/information/near_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conoscope::metrics::detail {

namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr double kUnit = 0x1.0p-24;  // float's unit roundoff
// Coordinates between two looks at whether any lane is left. By the largest coordinate most lanes
// are out after a few; a sum of squares needs most of its terms.
constexpr Index kMaxStep = 12, kSquareStep = 16;
constexpr Index kTile = 16;  // blocks of kLanes that stay in the first cache meanwhile

}  // namespace

NearSamples::NearSamples(const MatrixRef& rows, Norm norm)
    : norm_(norm),
      n_(rows.rows()),
      d_(rows.cols()),
      blocks_((rows.rows() + kLanes - 1) / kLanes),
      rows_(rows) {
  Matrix centred = rows_;
  for (Index c = 0; c < d_; ++c) {
    const double low = rows_.col(c).minCoeff(), high = rows_.col(c).maxCoeff();
    centred.col(c).array() -= 0.5 * low + 0.5 * high;
  }
  const double largest = centred.cwiseAbs().maxCoeff();
  int exponent = 0;
  if (largest > 0.0) std::frexp(largest, &exponent);
  scale_ = std::ldexp(1.0, -std::max(exponent, -1000));  // the largest coordinate becomes 1/2 ... 1
  // Two coordinates and their difference, each rounded; a factor 2 covers the doubles' own
  // rounding.
  const double off = 2.0 * 4.0 * kUnit;
  slack_ = norm_ == Norm::kMax ? off : off * std::sqrt(static_cast<double>(d_));
  relative_ = norm_ == Norm::kMax ? 0.0 : 2.0 * static_cast<double>(d_ + 4) * kUnit;

  floats_.resize(static_cast<size_t>(n_ * d_));
  lanes_.setConstant(blocks_ * d_ * kLanes, kFar);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < d_; ++c) {
      const auto value = static_cast<float>(centred(i, c) * scale_);
      floats_[static_cast<size_t>(i * d_ + c)] = value;
      lanes_((i / kLanes * d_ + c) * kLanes + i % kLanes) = value;
    }
}

double NearSamples::distance(Index a, Index b) const {
  const double* const u = rows_.data() + a * d_;
  const double* const v = rows_.data() + b * d_;
  double out = 0.0;
  if (norm_ == Norm::kMax)
    for (Index c = 0; c < d_; ++c) out = std::max(out, std::abs(u[c] - v[c]));
  else
    for (Index c = 0; c < d_; ++c) out += (u[c] - v[c]) * (u[c] - v[c]);
  return out;
}

float NearSamples::surely_outside(double distance) const {
  if (!std::isfinite(distance)) return std::numeric_limits<float>::max();
  double bound = 0.0;
  if (norm_ == Norm::kMax) {
    bound = distance * scale_ + slack_;
  } else {
    bound = std::sqrt(distance) * scale_ + slack_;
    bound *= bound * (1.0 + relative_);
  }
  return std::nextafter(static_cast<float>(bound), kFar);
}

float NearSamples::surely_within(double distance) const {
  double bound = 0.0;
  if (norm_ == Norm::kMax) {
    bound = distance * scale_ - slack_;
  } else {
    bound = std::max(0.0, std::sqrt(distance) * scale_ - slack_);
    bound *= bound * (1.0 - relative_);
  }
  return bound <= 0.0 ? -1.0F : std::nextafter(static_cast<float>(bound), -1.0F);
}

// Calls visit(i, j, float distance) for every pair within bound[i], which visit may lower.
template <Norm norm, typename Visit>
void NearSamples::for_each_near(const std::vector<float>& bound, const Visit& visit) const {
  using Lanes = Eigen::Array<float, kLanes, 1>;
  using Map = Eigen::Map<const Lanes, Eigen::Aligned16>;
  constexpr Index kStep = norm == Norm::kMax ? kMaxStep : kSquareStep;
  for (Index tile = 0; tile < blocks_; tile += kTile) {
    const Index end = std::min(blocks_, tile + kTile);
    for (Index i = 0; i < n_; ++i) {
      const float* const query = floats_.data() + i * d_;
      float limit = bound[static_cast<size_t>(i)];
      for (Index block = tile; block < end; ++block) {
        const float* lane = lanes_.data() + block * d_ * kLanes;
        Lanes sum = Lanes::Zero();
        bool left = true;
        for (Index c = 0; left && c < d_;) {
          for (const Index stop = std::min(d_, c + kStep); c < stop; ++c, lane += kLanes) {
            const Lanes apart = Map(lane) - query[c];
            if constexpr (norm == Norm::kMax)
              sum = sum.max(apart.abs());
            else
              sum += apart * apart;
          }
          left = sum.minCoeff() <= limit;
        }
        if (!left) continue;
        for (Index l = 0; l < kLanes; ++l) {
          if (!(sum(l) <= limit)) continue;
          visit(i, block * kLanes + l, sum(l));
          limit = bound[static_cast<size_t>(i)];
        }
      }
    }
  }
}

template <typename Visit>
void NearSamples::for_each_near(const std::vector<float>& bound, const Visit& visit) const {
  if (norm_ == Norm::kMax)
    for_each_near<Norm::kMax>(bound, visit);
  else
    for_each_near<Norm::kEuclidean>(bound, visit);
}

std::vector<double> NearSamples::kth_distances(Index k) const {
  const auto size = static_cast<size_t>(k);
  std::vector<double> nearest(static_cast<size_t>(n_) * size,
                              std::numeric_limits<double>::infinity());
  std::vector<float> bound(static_cast<size_t>(n_), std::numeric_limits<float>::max());
  for_each_near(bound, [&](Index i, Index j, float) {
    if (i == j) return;
    double* const mine = nearest.data() + static_cast<size_t>(i) * size;
    const double found = distance(i, j);
    if (found >= mine[size - 1]) return;
    size_t at = size - 1;
    for (; at > 0 && mine[at - 1] > found; --at) mine[at] = mine[at - 1];
    mine[at] = found;
    bound[static_cast<size_t>(i)] = surely_outside(mine[size - 1]);
  });
  std::vector<double> out(static_cast<size_t>(n_));
  for (size_t i = 0; i < out.size(); ++i) out[i] = nearest[i * size + size - 1];
  return out;
}

std::vector<Index> NearSamples::counts_within(std::span<const double> radius) const {
  std::vector<Index> out(static_cast<size_t>(n_), 0);
  std::vector<float> bound(static_cast<size_t>(n_)), inside(static_cast<size_t>(n_));
  for (size_t i = 0; i < bound.size(); ++i) {
    bound[i] = surely_outside(radius[i]);
    inside[i] = surely_within(radius[i]);
  }
  for_each_near(bound, [&](Index i, Index j, float near) {
    const auto at = static_cast<size_t>(i);
    if (near <= inside[at]) {
      ++out[at];
      return;
    }
    const double found = distance(i, j);
    out[at] += radius[at] > 0.0 ? found < radius[at] : found == 0.0;
  });
  return out;
}

}  // namespace conoscope::metrics::detail
