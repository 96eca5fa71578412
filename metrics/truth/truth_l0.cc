// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_l0.h"

#include "metrics/truth/learnt_concepts.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

Vector rates_of(const Subject& subject) {
  return firing_rates(subject.once(learnt_features).codes);
}

}  // namespace

Vector firing_rates(const MatrixRef& codes) {
  numerics::require_filled("firing_rates", "codes", codes);
  return (codes.array() > 0.0).cast<double>().colwise().mean().transpose();
}

std::vector<Metric> declare::truth_l0() {
  Metric fired{.name = "truth_l0",
               .group = "truth",
               .question = "How many latents fire for a sample?",
               .direction = Direction::kNone,
               .unit = "latents",
               .source = "SynthSAEBench, arXiv 2602.14687",
               .needs = {"head_view", "explanation", "truth"},
               .parts = "code",
               .compute = [](const Subject& subject) -> Result {
                 const Vector& rates = subject.once(rates_of);
                 return {rates.sum(), subject.once(learnt_features).parts(rates)};
               }};
  Metric dead = fired;
  dead.name = "truth_dead";
  dead.question = "What share of the latents never fires?";
  dead.direction = Direction::kLower;
  dead.high = 1.0;
  dead.unit = "";
  dead.parts = "";
  dead.compute = [](const Subject& subject) -> Result {
    return {(subject.once(rates_of).array() == 0.0).cast<double>().mean()};
  };
  return {fired, dead};
}

}  // namespace conoscope::metrics
