// A metric that says higher is better and gives the true weights less than random concepts.

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Metric {
 public:
  explicit Broken(const sdk::Params&) {}
  void score(const sdk::Subject& subject, const sdk::Context&, sdk::Scores& out) override {
    double distance = 0.0;  // of alpha v to w: 0 for the true weights
    const auto cavs = subject.get("cavs").values<const double>();
    const auto importance = subject.get("importance").values<const double>();
    const sdk::Tensor weight = subject.get("head_weight");
    weight.for_each([&](std::int64_t i, double value) {
      const auto at = static_cast<std::size_t>(i);
      const auto row = at / static_cast<std::size_t>(weight.shape(1));
      if (row >= importance.size()) return;
      const double difference = importance[row] * cavs[at] - value;
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
