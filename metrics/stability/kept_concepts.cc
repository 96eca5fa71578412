// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/kept_concepts.h"

#include "metrics/stability/stability.h"

namespace conoscope::metrics {

Result kept_concepts(const Peers& peers) { return {.value = stability(peers).value}; }

std::vector<Metric> declare::kept_concepts() {
  return {{.name = "kept_concepts",
           .group = "attacks",
           .question = "How similar are the concepts fitted to moved training samples to those "
                       "fitted to the unmoved samples?",
           .direction = Direction::kHigher,
           .low = 0.0,
           .high = 1.0,
           .source = "ours, after Brown and Kvinge, arXiv 2110.07120",
           .needs = {"head_view", "explanation", kCleanExplanation},
           .on_request = true,
           .compare = metrics::kept_concepts}};
}

}  // namespace conoscope::metrics
