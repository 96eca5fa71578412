#include "harness/core/run/control.h"

#include <stdexcept>

#include "harness/core/plan/run_file.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::core {

void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed) {
  if (control == "none" || explains_anew(control)) return;
  if (control != "random_importance" && control != "random_concepts")
    throw std::invalid_argument("apply_control: no control " + control);
  sdk::Random importance(seed.child("importance"));
  for (double& alpha : explanation.importance) alpha = importance.uniform();
  for (Eigen::Index c = 0; c < explanation.importance_by_output.rows(); ++c)
    for (Eigen::Index k = 0; k < explanation.importance_by_output.cols(); ++k)
      explanation.importance_by_output(c, k) = importance.uniform();
  if (control != "random_concepts") return;
  sdk::Random direction(seed.child("direction"));
  for (Eigen::Index k = 0; k < explanation.cavs.rows(); ++k) {
    for (Eigen::Index d = 0; d < explanation.cavs.cols(); ++d)
      explanation.cavs(k, d) = direction.normal();
    explanation.cavs.row(k).normalize();
  }
  explanation.project = nullptr;
  explanation.reconstruct = nullptr;
}

void redraw_head(metrics::HeadView& head, sdk::Seed seed) {
  const metrics::Matrix wanted = metrics::model_logits(head);
  sdk::Random normal(seed.child("head"));
  for (Eigen::Index c = 0; c < head.weight.rows(); ++c)
    for (Eigen::Index d = 0; d < head.weight.cols(); ++d) head.weight(c, d) = normal.normal();
  head.bias.setZero();
  const metrics::Matrix drawn = metrics::model_logits(head);
  const auto spread = [](const auto& column) {
    if ((column.array() == column(0)).all()) return 0.0;  // its mean may be off by a rounding
    return (column.array() - column.mean()).matrix().norm();
  };
  for (Eigen::Index c = 0; c < head.weight.rows(); ++c) {
    const double of_drawn = spread(drawn.col(c));
    const double scale = of_drawn > 0.0 ? spread(wanted.col(c)) / of_drawn : 0.0;
    head.weight.row(c) *= scale;
    head.bias(c) = wanted.col(c).mean() - scale * drawn.col(c).mean();
  }
}

}  // namespace conoscope::core
