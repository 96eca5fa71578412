#include "harness/core/run/control.h"

#include "harness/core/plan/controls.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::core {

void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed) {
  const Control& row = control_named(control);
  if (row.draws_importance) {
    sdk::Random importance(seed.child("importance"));
    for (double& alpha : explanation.importance) alpha = importance.uniform();
    for (Eigen::Index c = 0; c < explanation.importance_by_output.rows(); ++c)
      for (Eigen::Index k = 0; k < explanation.importance_by_output.cols(); ++k)
        explanation.importance_by_output(c, k) = importance.uniform();
  }
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
