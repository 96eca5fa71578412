// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/poisoned_samples.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/attack/silent_moves.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

Matrix normal_row(Index width, numerics::Seed seed) {
  numerics::Random random(seed);
  Matrix out(1, width);
  for (double& entry : out.reshaped()) entry = random.normal();
  return out;
}

std::vector<IndexVector> classes(const Matrix& pooled, const HeadView& head) {
  if (head.output == Output::kSoftmax)
    return class_assignment(model_logits(pooled, head.weight, head.bias)).members;
  IndexVector all(static_cast<size_t>(pooled.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return {all};
}

/// d, n x D; a row of 0: the sample stays.
Matrix poison(const Matrix& pooled, const HeadView& head, const SilentMoves& moves, bool noisy,
              numerics::Seed seed) {
  const Matrix direction = normal_row(pooled.cols(), seed.child("direction"));
  Matrix out = Matrix::Zero(pooled.rows(), pooled.cols());
  for (const IndexVector& members : classes(pooled, head)) {
    if (members.empty()) continue;
    const Eigen::RowVectorXd mean = pooled(members, Eigen::all).colwise().mean();
    for (const Index i : members) {
      const SilentMoves::Space space(moves, i);
      if (space.empty()) continue;
      Matrix d = space.project(direction);
      if (!((pooled.row(i) - mean).dot(d.row(0)) > 0.0)) continue;
      if (noisy)
        d = space.free(
            normal_row(pooled.cols(), seed.child("noise").child(static_cast<std::uint64_t>(i))));
      out.row(i) = moves.epsilon() * d.row(0).normalized();
    }
  }
  return out;
}

RowSource moved_samples(const HeadView& head, bool noisy, std::uint64_t seed, double share) {
  detail::require_head("poisoned_samples", head);
  if (!head.last_layer() || head.pooling == Pooling::kFlatten)
    numerics::refuse("poisoned_samples", "the head is not that of pooled rows of the last layer");
  const Matrix pooled = detail::pool_positions(head);
  numerics::require_finite("poisoned_samples", "activations", pooled);
  const SilentMoves moves(pooled, head.weight, share);
  Matrix change = poison(pooled, head, moves, noisy, numerics::Seed(seed));
  const bool scaled = moves.non_negative();
  if (scaled)  // where h_j is 0 so is d_j
    change = (pooled.array() > 0.0).select(change.array() / pooled.array(), 0.0) + 1.0;
  return {head.activations.rows(), head.activations.cols(),
          [from = head.activations, positions = head.positions, scaled,
           change = std::make_shared<const Matrix>(std::move(change))](Index first, Index count,
                                                                       double* out) {
            Eigen::Map<Matrix> rows(out, count, change->cols());
            rows = from.block(first, count);
            for (Index r = 0; r < count; ++r) {
              const auto of_sample = change->row((first + r) / positions).array();
              if (scaled)
                rows.row(r).array() *= of_sample;
              else
                rows.row(r).array() += of_sample;
            }
          }};
}

}  // namespace

RowSource poisoned_samples(const HeadView& head, std::uint64_t seed, double share) {
  return moved_samples(head, false, seed, share);
}

RowSource noisy_samples(const HeadView& head, std::uint64_t seed, double share) {
  return moved_samples(head, true, seed, share);
}

}  // namespace conoscope::metrics
