// @ID@: each output's one concept points to the mean activation of its class, from that of all.
// Replace it with your method.

#include <cmath>
#include <vector>

#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::boolean("centre", true).help("measure each class mean from the mean of all samples"));

class @CLASS@ final : public sdk::Explainer {
 public:
  explicit @CLASS@(const sdk::ParamsOf<kParameters>& params) : centre_(params.boolean("centre")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    if (head.output() != "softmax" || head.pooling() == "flatten")
      throw sdk::NotApplicable("@ID@: works on classifiers with pooled activations");
    const std::int64_t samples = head.samples(), positions = head.positions();
    const auto width = static_cast<std::size_t>(head.width());
    const auto outputs = static_cast<std::size_t>(head.outputs());
    const auto predictions = head.predictions().values<const std::int64_t>();

    std::vector<double> mean(width), sums(outputs * width), members(outputs);
    head.activations().for_each([&](std::int64_t i, double value) {
      if (!std::isfinite(value))
        throw std::invalid_argument("@ID@: activation " + std::to_string(i) + " is not finite");
      const auto d = static_cast<std::size_t>(i) % width;
      const auto sample = static_cast<std::size_t>(i) / width / static_cast<std::size_t>(positions);
      mean[d] += value / static_cast<double>(samples * positions);
      sums[static_cast<std::size_t>(predictions[sample]) * width + d] +=
          value / static_cast<double>(positions);
    });
    for (const std::int64_t c : predictions) members[static_cast<std::size_t>(c)] += 1.0;
    context.check_cancelled();

    const std::vector<std::int64_t> one_each(outputs, 1);
    auto explanation = out.class_specific(one_each, head.width());  // cavs C x D, importance C
    for (std::size_t c = 0; c < outputs; ++c) {
      if (members[c] == 0.0) continue;  // nothing is predicted as c: its concept stays 0
      double squares = 0.0;
      for (std::size_t d = 0; d < width; ++d) {
        double& v = explanation.cavs[c * width + d];
        v = sums[c * width + d] / members[c] - (centre_ ? mean[d] : 0.0);
        squares += v * v;
      }
      if (squares == 0.0) continue;
      for (std::size_t d = 0; d < width; ++d)
        explanation.cavs[c * width + d] /= std::sqrt(squares);
    }
    head.weight().for_each([&](std::int64_t i, double w) {  // alpha_c = <w_c, cav_c>
      const auto at = static_cast<std::size_t>(i);
      explanation.importance[at / width] += w * explanation.cavs[at];
    });
  }

 private:
  bool centre_;
};

}  // namespace

CONOSCOPE_EXPLAINER(@CLASS@, "@ID@", "0.1.0", R"toml(
summary = "one line for `conoscope plugin list`"
licence = "Apache-2.0"
citation = "who should be cited for the method"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml", kParameters)
