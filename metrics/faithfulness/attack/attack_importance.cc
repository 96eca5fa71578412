// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/attack_importance.h"

namespace conoscope::metrics {

Result attack_importance(const ExplainedHead& of, std::uint64_t seed,
                         const AttackOptions& options) {
  return beyond_noise(attack(of, 2, turned_over, nullptr, seed, options));
}

std::vector<Metric> declare::attack_importance() {
  return {{.name = "attack_importance",
           .group = "attacks",
           .question = "How much more than noise can a move of the activations that the model does "
                       "not notice alter the ranking of the concepts' contributions?",
           .direction = Direction::kLower,
           .low = -1.0,
           .high = 1.0,
           .source = "ours, after Sinha et al., AAAI 2023",
           .needs = {"head_view", "explanation"},
           .compute = [](const Subject& subject) {
             require_pooled_softmax(subject);
             return metrics::attack_importance(subject.once(explained_head), subject.seed());
           }}};
}

}  // namespace conoscope::metrics
