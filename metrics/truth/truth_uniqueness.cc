// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_uniqueness.h"

#include <set>

namespace conoscope::metrics {

double truth_uniqueness(const TruthMatching& matching) {
  const std::set<Index> different(matching.closest.begin(), matching.closest.end());
  return static_cast<double>(different.size()) / static_cast<double>(matching.latents());
}

std::vector<Metric> declare::truth_uniqueness() {
  return {{.name = "truth_uniqueness",
           .group = "truth",
           .question = "What share of the latents stands for different features?",
           .direction = Direction::kHigher,
           .high = 1.0,
           .source = "SynthSAEBench, arXiv 2602.14687",
           .needs = {"head_view", "explanation", "truth"},
           .compute = [](const Subject& subject) -> Result {
             return {metrics::truth_uniqueness(subject.once(matching_of))};
           }}};
}

}  // namespace conoscope::metrics
