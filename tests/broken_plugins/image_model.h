// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conoscope/sdk/model.h"

namespace conoscope::broken {

/// The pixels themselves under a fixed head.
class ImageModel : public sdk::Model {
 public:
  explicit ImageModel(const sdk::Params&) {}
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
};

}  // namespace conoscope::broken
