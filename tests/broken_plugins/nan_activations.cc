// SPDX-License-Identifier: Apache-2.0
// A model with NaN among its activations.

#include <limits>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Model {
 public:
  explicit Broken(const sdk::Params&) {}
  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const std::int64_t samples = dataset.get("activations").rows();
    const auto activations = out.create<double>("activations", {samples, 1, 4});
    activations[4 * 2 + 3] = std::numeric_limits<double>::quiet_NaN();
    out.create<double>("head_weight", {2, 4});
    out.create<double>("head_bias", {2});
    out.text("pooling", "none");
    out.text("output", "softmax");
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "nan_activations", "1.0.0", R"toml(
summary = "one activation is NaN"
licence = "Apache-2.0"
citation = ""
needs = ["head_view"]
offers = ["head_view"]
seeded = false
)toml")
