// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/control.h"

#include <numeric>
#include <utility>
#include <vector>

#include "harness/core/plan/controls.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::core {

namespace {

using metrics::Index;

/// Of each concept the one whose direction it gets: one cycle through those of an output, so that none
/// keeps its own (Sattolo's algorithm). Constant ones stay.
std::vector<Index> cycles(const metrics::Explanation& explanation, sdk::Seed seed) {
  std::vector<Index> to(static_cast<std::size_t>(explanation.cavs.rows()));
  std::iota(to.begin(), to.end(), Index{0});
  sdk::Random random(seed.child("permutation"));
  const Index outputs = explanation.class_agnostic ? 1 : explanation.outputs();
  for (Index c = 0; c < outputs; ++c) {
    std::vector<std::size_t> mine;
    for (Index k = 0; k < explanation.concepts(c); ++k) {
      const auto row = static_cast<std::size_t>(explanation.first_row(c) + k);
      if (explanation.constant.empty() || explanation.constant[row] == 0) mine.push_back(row);
    }
    for (std::size_t i = mine.size(); i > 1; --i)
      std::swap(to[mine[i - 1]], to[mine[random.below(i - 1)]]);
  }
  return to;
}

void permute_concepts(metrics::Explanation& explanation, sdk::Seed seed) {
  const std::vector<Index> to = cycles(explanation, seed);
  explanation.cavs = metrics::Matrix(explanation.cavs(to, Eigen::all));
  if (explanation.class_agnostic)
    explanation.importance_by_output =
        metrics::Matrix(explanation.importance_by_output(Eigen::all, to));
  else
    explanation.importance = metrics::Vector(explanation.importance(to));
  if (!explanation.reconstruct) return;
  std::vector<Index> first(
      static_cast<std::size_t>(explanation.class_agnostic ? 1 : explanation.outputs()));
  for (std::size_t c = 0; c < first.size(); ++c)
    first[c] = explanation.first_row(static_cast<Index>(c));
  explanation.reconstruct = [to, first, own = explanation.reconstruct](
                                Index output, const metrics::MatrixRef& scores) {
    const Index at = first[first.size() == 1 ? 0 : static_cast<std::size_t>(output)];
    metrics::Matrix moved(scores.rows(), scores.cols());
    for (Index k = 0; k < scores.cols(); ++k)
      moved.col(to[static_cast<std::size_t>(at + k)] - at) = scores.col(k);
    return own(output, moved);
  };
}

}  // namespace

void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed) {
  const Control& row = control_named(control);
  if (row.draws_importance) {
    sdk::Random importance(seed.child("importance"));
    for (double& alpha : explanation.importance) alpha = importance.uniform();
    for (Eigen::Index c = 0; c < explanation.importance_by_output.rows(); ++c)
      for (Eigen::Index k = 0; k < explanation.importance_by_output.cols(); ++k)
        explanation.importance_by_output(c, k) = importance.uniform();
  }
  if (row.permutes_concepts) permute_concepts(explanation, seed);
  if (!row.draws_concepts) return;
  sdk::Random direction(seed.child("direction"));
  for (Eigen::Index k = 0; k < explanation.cavs.rows(); ++k) {
    for (Eigen::Index d = 0; d < explanation.cavs.cols(); ++d)
      explanation.cavs(k, d) = direction.normal();
    explanation.cavs.row(k).normalize();
  }
  explanation.constant.clear();  // their scores vary like those of the others
  explanation.project = nullptr;
  explanation.reconstruct = nullptr;
}

namespace {

/// What takes a drawn logit to the mean and the spread of the one that it replaces.
struct Units {
  double scale, shift;
};
Units units_of(const Eigen::Ref<const metrics::Vector, 0, Eigen::InnerStride<>>& wanted,
               const Eigen::Ref<const metrics::Vector, 0, Eigen::InnerStride<>>& drawn) {
  const auto spread = [](const auto& column) {
    if ((column.array() == column(0)).all()) return 0.0;  // its mean may be off by a rounding
    return (column.array() - column.mean()).matrix().norm();
  };
  const double of_drawn = spread(drawn);
  const double scale = of_drawn > 0.0 ? spread(wanted) / of_drawn : 0.0;
  return {scale, wanted.mean() - scale * drawn.mean()};
}

}  // namespace

void redraw_head(metrics::HeadView& head, sdk::Seed seed) {
  const metrics::Matrix wanted = metrics::model_logits(head);
  sdk::Random normal(seed.child("head"));
  for (Eigen::Index c = 0; c < head.weight.rows(); ++c)
    for (Eigen::Index d = 0; d < head.weight.cols(); ++d) head.weight(c, d) = normal.normal();
  head.bias.setZero();
  const metrics::Matrix drawn = metrics::model_logits(head);
  for (Eigen::Index c = 0; c < head.weight.rows(); ++c) {
    const Units units = units_of(wanted.col(c), drawn.col(c));
    head.weight.row(c) *= units.scale;
    head.bias(c) = units.shift;
  }
}

metrics::HeadCalls redraw_reading(metrics::HeadView& head, const metrics::HeadCalls& above) {
  const auto samples = static_cast<double>(head.samples());
  metrics::Matrix drawn(head.samples(), head.outputs());
  head.weight.setZero();
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(head.width());  // of the pooled activations
  numerics::for_each_block(
      head.activations, head.positions, [&](metrics::Index first, const metrics::Matrix& block) {
        const metrics::Index count = block.rows() / head.positions;
        drawn.middleRows(first / head.positions, count) = above.outputs(block);
        for (metrics::Index c = 0; c < head.outputs(); ++c) {
          metrics::Matrix unit = metrics::Matrix::Zero(count, head.outputs());
          unit.col(c).setOnes();
          head.weight.row(c) += above.vjp(block, unit).colwise().sum() / samples;
        }
        mean += block.colwise().sum() / static_cast<double>(head.activations.rows());
      });
  Eigen::RowVectorXd scale(head.outputs()), shift(head.outputs());
  for (Eigen::Index c = 0; c < head.outputs(); ++c) {
    const Units units = units_of(head.logits.col(c), drawn.col(c));
    scale(c) = units.scale;
    shift(c) = units.shift;
    head.logits.col(c) = units.scale * drawn.col(c).array() + units.shift;
    head.weight.row(c) *= units.scale;
    head.bias(c) = head.logits.col(c).mean() - head.weight.row(c).dot(mean);
  }
  return {[above, scale, shift](const metrics::MatrixRef& activations) -> metrics::Matrix {
            return (above.outputs(activations) * scale.asDiagonal()).rowwise() + shift;
          },
          [above, scale](const metrics::MatrixRef& activations,
                         const metrics::MatrixRef& cotangents) -> metrics::Matrix {
            const metrics::Matrix scaled = cotangents * scale.asDiagonal();
            return above.vjp(activations, scaled);
          }};
}

}  // namespace conoscope::core
