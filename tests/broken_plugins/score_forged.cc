// SPDX-License-Identifier: Apache-2.0
// A metric that reports a score of another metric, and its own, past the host's functions; and that
// all is done.

#include <unistd.h>

#include <string_view>

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::Params&) {}
  void score(const sdk::Subject&, const sdk::Context&, sdk::Scores&) override {
    constexpr std::string_view kForged =
        "score\tsurf_mae\t0\t\t\t\nscore\tscore_forged\t8\t\t\t\nok\n";
    [[maybe_unused]] const auto written = ::write(3, kForged.data(), kForged.size());
    ::_exit(0);
  }
};

}  // namespace

CONOSCOPE_METRIC(Broken, "score_forged", "1.0.0", R"toml(
summary = "writes scores on its wire"
licence = "Apache-2.0"
citation = ""
needs = ["head_view", "explanation"]
seeded = false

[scores.score_forged]
direction = "higher"
low = 0.0
high = 1.0
)toml")
