// SPDX-License-Identifier: Apache-2.0
// A model of images that takes no training to speak of and runs new ones: four positions, the
// quadrants, each with its own pixels as features; a class's weights are the mean of its samples'
// quadrants, less the mean of all.

#include <algorithm>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::text("answer", "good").choices({"good", "fault", "nan"}).help("to a forward call"));

class Quadrants final : public sdk::Model, public sdk::Forward {
 public:
  explicit Quadrants(const sdk::ParamsOf<kParameters>& params) : answer_(params.text("answer")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor inputs = dataset.get("inputs");
    const std::int64_t width = inputs.shape(1) * inputs.shape(2) / 4;
    const auto activations = out.create<double>("activations", {inputs.rows(), 4, width});
    fill(inputs, activations);
    const auto labels = dataset.get("labels").values<const std::int64_t>();
    const std::int64_t classes = *std::ranges::max_element(labels) + 1;
    const auto weight = out.create<double>("head_weight", {classes, width});
    const auto train = dataset.get("train_index").values<const std::int64_t>();
    for (const std::int64_t row : train)
      for (std::int64_t i = 0; i < 4 * width; ++i) {
        const double value = activations[static_cast<std::size_t>(row * 4 * width + i)];
        for (std::int64_t c = 0; c < classes; ++c)
          weight[static_cast<std::size_t>(c * width + i % width)] +=
              value * ((c == labels[static_cast<std::size_t>(row)] ? 1.0 : 0.0) -
                       1.0 / static_cast<double>(classes));
      }
    for (double& w : weight) w /= static_cast<double>(train.size());
    out.create<double>("head_bias", {classes});
    out.text("pooling", "mean");
    out.text("output", "softmax");
  }

  void forward(const sdk::Arrays&, const sdk::Tensor& inputs, const sdk::Context&,
               std::span<double> activations) override {
    if (answer_ == "fault") throw std::domain_error("the lens cap is on");
    fill(inputs, activations);
    if (answer_ == "nan") activations[0] = 0.0 / (activations[0] * 0.0);
  }

 private:
  static void fill(const sdk::Tensor& inputs, std::span<double> activations) {
    const std::int64_t height = inputs.shape(1), width = inputs.shape(2);
    inputs.for_each([&](std::int64_t i, double value) {
      const std::int64_t x = i % width, y = i / width % height, sample = i / (width * height);
      const std::int64_t position = y / (height / 2) * 2 + x / (width / 2);
      const std::int64_t feature = y % (height / 2) * (width / 2) + x % (width / 2);
      activations[static_cast<std::size_t>((sample * 4 + position) * (height * width / 4) +
                                           feature)] = value;
    });
  }

  std::string answer_;
};

}  // namespace

CONOSCOPE_MODEL(Quadrants, "quadrants", "1.0.0", R"toml(
summary = "the quadrants of an image as positions, their pixels as features"
licence = "Apache-2.0"
citation = ""
needs = ["inputs", "labels"]
offers = ["head_view", "forward"]
seeded = false
)toml",
                kParameters)
