// Is fitted without a fault, and dies when it is loaded again to answer an explainer.

#include <cstdlib>
#include <fstream>
#include <string>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

/// Of the job that this process is part of; its description is readable where nothing is confined.
bool explains() {
  std::ifstream job(std::string(std::getenv("HOME")) + "/../job.toml");
  for (std::string line; std::getline(job, line);)
    if (line.starts_with("stage = ") && line.find("explain") != line.npos) return true;
  return false;
}

class Broken final : public sdk::Model, public sdk::Forward {
 public:
  explicit Broken(const sdk::Params&) {
    if (explains()) std::abort();
  }
  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor inputs = dataset.get("inputs");
    const std::int64_t width = inputs.size() / inputs.rows();
    const auto activations = out.create<double>("activations", {inputs.rows(), 1, width});
    inputs.for_each(
        [&](std::int64_t i, double value) { activations[static_cast<std::size_t>(i)] = value; });
    const auto weight = out.create<double>("head_weight", {2, width});
    for (std::size_t d = 0; d < weight.size(); ++d) weight[d] = d % 2 == 0 ? 1.0 : -1.0;
    out.create<double>("head_bias", {2});
    out.text("pooling", "none");
    out.text("output", "softmax");
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
