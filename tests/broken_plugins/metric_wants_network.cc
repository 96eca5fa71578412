// SPDX-License-Identifier: Apache-2.0
// A metric that declares that it needs sockets.

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Wants final : public sdk::Metric {
 public:
  explicit Wants(const sdk::Params&) {}
  void score(const sdk::Subject&, const sdk::Context&, sdk::Scores& out) override {
    out.score("given", 0.5);
  }
};

}  // namespace

CONOSCOPE_METRIC(Wants, "metric_wants_network", "1.0.0", R"toml(
summary = "asks for access"
licence = "Apache-2.0"
citation = ""
needs = ["head_view"]
access = ["network"]
seeded = false

[scores.given]
direction = "none"
)toml")
