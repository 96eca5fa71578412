// SPDX-License-Identifier: Apache-2.0
// A metric that declares two scores and gives one.

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::Params&) {}
  void score(const sdk::Subject&, const sdk::Context&, sdk::Scores& out) override {
    out.score("given", 0.5);
  }
};

}  // namespace

CONOSCOPE_METRIC(Broken, "score_missing", "1.0.0", R"toml(
summary = "declares two scores, gives one"
licence = "Apache-2.0"
citation = ""
needs = ["head_view"]
seeded = false

[scores.given]
direction = "none"

[scores.withheld]
direction = "none"
)toml")
