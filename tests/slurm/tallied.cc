// SPDX-License-Identifier: Apache-2.0
// A model that says how often it was made: each fit adds a line to the file `tally`. Where `gate` is
// named, it then waits until that file is there. Its activations are an image's pixels, a class's
// weights the mean of its samples.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(sdk::text("tally", ""), sdk::text("gate", ""));

class Tallied final : public sdk::Model {
 public:
  explicit Tallied(const sdk::ParamsOf<kParameters>& params)
      : tally_(params.text("tally")), gate_(params.text("gate")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    std::ofstream(tally_, std::ios::app) << "made\n";
    while (!gate_.empty() && !std::filesystem::exists(gate_)) {
      context.check_cancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const sdk::Tensor inputs = dataset.get("inputs");
    const std::int64_t width = inputs.shape(1) * inputs.shape(2);
    const auto activations = out.create<double>("activations", {inputs.rows(), width});
    inputs.for_each(
        [&](std::int64_t i, double value) { activations[static_cast<std::size_t>(i)] = value; });
    const auto labels = dataset.get("labels").values<const std::int64_t>();
    const std::int64_t classes = *std::ranges::max_element(labels) + 1;
    const auto weight = out.create<double>("head_weight", {classes, width});
    const auto train = dataset.get("train_index").values<const std::int64_t>();
    for (const std::int64_t row : train)
      for (std::int64_t i = 0; i < width; ++i)
        weight[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)] * width + i)] +=
            activations[static_cast<std::size_t>(row * width + i)] /
            static_cast<double>(train.size());
    out.create<double>("head_bias", {classes});
    out.text("pooling", "none");
    out.text("output", "softmax");
  }

 private:
  std::string tally_, gate_;
};

}  // namespace

CONOSCOPE_MODEL(Tallied, "tallied", "1.0.0", R"toml(
summary = "pixels and class means, counted"
licence = "Apache-2.0"
citation = ""
needs = ["inputs", "labels"]
offers = ["head_view"]
)toml",
                kParameters)
