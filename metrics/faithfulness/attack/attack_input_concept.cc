// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/attack_input_concept.h"

namespace conoscope::metrics {

namespace {

/// Straight away from z.
Vector further(const Vector& z, const Vector& moved, double noise) {
  return (moved - z).normalized() / noise;
}

}  // namespace

const AttackAim kMovedContributions = {1, contribution_distance, further};

Result attack_input_concept(const ExplainedHead& of, const ImageView& images, std::uint64_t seed,
                            const InputAttackOptions& options) {
  return times_noise(attack_inputs(of, images, kMovedContributions, seed, options));
}

std::vector<Metric> declare::attack_input_concept() {
  return {{.name = "attack_input_concept",
           .group = "input_attacks",
           .question = "How many times as far as noise can a change of the input that keeps the "
                       "model's answer push the concepts' contributions?",
           .direction = Direction::kLower,
           .unit = "times noise",
           .source = "ours, after Brown and Kvinge, arXiv 2110.07120",
           .needs = {"head_view", "explanation", "inputs", "forward"},
           .on_request = true,
           .compute = [](const Subject& subject) {
             require_pooled_softmax(subject);
             return metrics::attack_input_concept(subject.once(explained_head), subject.images(),
                                                  subject.seed());
           }}};
}

}  // namespace conoscope::metrics
