// SPDX-License-Identifier: Apache-2.0
// Is fitted without a fault, and dies when it is loaded again to answer an explainer.

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/broken_plugins/image_model.h"

namespace {

namespace sdk = conoscope::sdk;

/// Of the job that this process is part of; its description is readable where nothing is confined.
bool explains() {
  std::ifstream job(std::string(std::getenv("HOME")) + "/../job.toml");
  for (std::string line; std::getline(job, line);)
    if (line.starts_with("stage = ") && line.find("explain") != line.npos) return true;
  return false;
}

class Broken final : public conoscope::broken::ImageModel, public sdk::Forward {
 public:
  explicit Broken(const sdk::Params& params) : ImageModel(params) {
    if (explains()) std::abort();
  }
  void forward(const sdk::Arrays&, const sdk::Tensor& inputs, const sdk::Context&,
               std::span<double> activations) override {
    inputs.for_each(
        [&](std::int64_t i, double value) { activations[static_cast<std::size_t>(i)] = value; });
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "dies_when_served", "1.0.0", R"toml(
summary = "has one fault"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view", "forward"]
seeded = false
)toml")
