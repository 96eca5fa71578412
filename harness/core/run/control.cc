#include "harness/core/run/control.h"

#include <stdexcept>

namespace conoscope::core {

void apply_control(metrics::Explanation& explanation, const std::string& control, sdk::Seed seed) {
  if (control == "none") return;
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

}  // namespace conoscope::core
