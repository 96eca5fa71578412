// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models whose head(), vjp() or redrawn_head() is not what it should be.

#include <cmath>

#include "conoscope/sdk/model.h"

namespace conoscope::broken {

/// Passes the scene's head view on.
class PassOn : public sdk::Model, public sdk::LinearHead {
 public:
  explicit PassOn(const sdk::Params&) {}
  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    if (dataset.get("activations").rows() == 0) throw std::invalid_argument("activations: no row");
    for (const char* name : {"activations", "head_weight", "head_bias"}) {
      const sdk::Tensor from = dataset.get(name);
      const std::vector<std::int64_t> shape(from.raw().shape, from.raw().shape + from.dimensions());
      const auto to = out.create<double>(name, shape);
      from.for_each([&](std::int64_t i, double value) {
        if (!std::isfinite(value)) throw std::invalid_argument("not finite");
        to[static_cast<std::size_t>(i)] = value;
      });
    }
    out.text("pooling", dataset.text("pooling"));
    out.text("output", dataset.text("output"));
  }
};

/// Its network drawn anew is its own, times a number.
class Redrawn : public PassOn, public sdk::RedrawnHead {
 public:
  using PassOn::PassOn;
  virtual double factor(sdk::Seed seed) const = 0;
  void redrawn_head(const sdk::Arrays& model, const sdk::Tensor& activations,
                    const sdk::Context& context, std::span<double> outputs) override {
    head(model, activations, context, outputs);
    for (double& y : outputs) y *= factor(context.seed());
  }
  void redrawn_vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                   const sdk::Tensor& cotangents, const sdk::Context& context,
                   std::span<double> gradients) override {
    vjp(model, activations, cotangents, context, gradients);
    for (double& g : gradients) g *= factor(context.seed());
  }
};

}  // namespace conoscope::broken

#define BROKEN_HEAD_METADATA                                                 \
  "summary = \"has one fault\"\nlicence = \"Apache-2.0\"\ncitation = \"\"\n" \
  "needs = [\"inputs\"]\noffers = [\"head_view\", \"head\"]\nseeded = false\n"

#define BROKEN_REDRAWN_METADATA                                              \
  "summary = \"has one fault\"\nlicence = \"Apache-2.0\"\ncitation = \"\"\n" \
  "needs = [\"inputs\"]\noffers = [\"head_view\", \"head\", \"redrawn_head\"]\nseeded = false\n"
