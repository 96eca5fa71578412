// SPDX-License-Identifier: Apache-2.0
// A metric that gives more than the most it has declared.

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::Params&) {}
  void score(const sdk::Subject&, const sdk::Context&, sdk::Scores& out) override {
    out.score("score_out_of_range", 1.5);
  }
};

}  // namespace

CONOSCOPE_METRIC(Broken, "score_out_of_range", "1.0.0", R"toml(
summary = "gives 1.5 where 1 is the most"
licence = "Apache-2.0"
citation = ""
needs = ["head_view", "explanation"]
seeded = false

[scores.score_out_of_range]
direction = "higher"
low = 0.0
high = 1.0
)toml")
