// SPDX-License-Identifier: Apache-2.0
// A metric that says higher is better and gives the true weights less than random concepts.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::Params&) {}
  void score(const sdk::Subject& subject, const sdk::Context&, sdk::Scores& out) override {
    double distance = 0.0;  // of the sum of alpha v to w: 0 for the true weights
    const sdk::Tensor weight = subject.get("head_weight");
    const auto width = static_cast<std::size_t>(weight.shape(1));
    const auto read = [&subject](const char* name) {
      const sdk::Tensor array = subject.get(name);
      std::vector<double> values(static_cast<std::size_t>(array.size()));
      array.copy_to(std::span(values));
      return values;
    };
    const auto cavs = read("cavs"), importance = read("importance"), counts = read("counts");
    std::vector<double> sum(counts.size() * width);
    std::size_t row = 0;
    for (std::size_t c = 0; c < counts.size(); ++c)
      for (const std::size_t end = row + static_cast<std::size_t>(counts[c]); row < end; ++row)
        for (std::size_t d = 0; d < width; ++d)
          sum[c * width + d] += importance[row] * cavs[row * width + d];
    weight.for_each([&](std::int64_t i, double value) {
      const double difference = sum[static_cast<std::size_t>(i)] - value;
      distance += difference * difference;
    });
    out.score("score_upside_down", distance);
  }
};

}  // namespace

CONOSCOPE_METRIC(Broken, "score_upside_down", "1.0.0", R"toml(
summary = "a distance that is declared as a virtue"
licence = "Apache-2.0"
citation = ""
needs = ["head_view", "explanation"]
seeded = false

[scores.score_upside_down]
direction = "higher"
)toml")
