// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/attack_input_importance.h"

namespace conoscope::metrics {

namespace {

/// Pairs that are in the order of z towards each other.
Vector together(const Vector& z, const Vector& moved, double noise) {
  Vector out = Vector::Zero(z.size());
  for (Index k = 0; k < z.size(); ++k)
    for (Index l = 0; l < z.size(); ++l) {
      const double gap = moved(k) - moved(l);
      if (z(k) <= z(l) || gap <= 0.0) continue;
      const double pull = 1.0 / (gap + noise);
      out(k) -= pull;
      out(l) += pull;
    }
  return out;
}

}  // namespace

Result attack_input_importance(const ExplainedHead& of, const ImageView& images, std::uint64_t seed,
                               const InputAttackOptions& options) {
  return beyond_noise(attack_inputs(of, images, {2, turned_over, together}, seed, options));
}

std::vector<Metric> declare::attack_input_importance() {
  return {{.name = "attack_input_importance",
           .group = "input_attacks",
           .question = "How much more than noise can a change of the input that keeps the model's "
                       "answer alter the ranking of the concepts' contributions?",
           .direction = Direction::kLower,
           .low = -1.0,
           .high = 1.0,
           .source = "ours, after Sinha et al., AAAI 2023",
           .needs = {"head_view", "explanation", "inputs", "forward"},
           .on_request = true,
           .compute = [](const Subject& subject) {
             require_pooled_softmax(subject);
             return metrics::attack_input_importance(subject.once(explained_head), subject.images(),
                                                     subject.seed());
           }}};
}

}  // namespace conoscope::metrics
