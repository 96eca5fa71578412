// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies between a layer of a trained classifier and its outputs, as a function and its derivative.

#include <memory>
#include <span>
#include <vector>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/classifier.h"

namespace conoscope::models {

/// layer -> trunk.above() -> mean over positions -> head, in float64. A view: the trunk must outlive
/// it.
class NetworkAbove {
 public:
  struct Head {
    Tensor weight, bias;  ///< of the network's own last linear layer
  };

  /// layer  of any number of samples, the shape that the trunk gives it: n x D or n x D x h x w
  NetworkAbove(const Trunk& trunk, const Head& head, std::vector<std::int64_t> layer);
  /// As write() left it.
  NetworkAbove(const Trunk& trunk, const sdk::Arrays& model);

  /// Another network: the numbers of each of its weights, and of the trunk's, in a random order.
  void redraw(sdk::Seed seed);

  /// n x P x D in float64 -> n x C.
  Tensor outputs(const Tensor& activations, const sdk::Context& context) const;
  /// And of cotangents n x C: n x P x D, g_ipd = sum_c u_ic d output_ic / d activation_ipd.
  Tensor gradients(const Tensor& activations, const Tensor& cotangents,
                   const sdk::Context& context) const;
  /// How the network reads the layer in the mean over samples: C x D and C.
  ///
  ///   W_c = mean_i sum_p d output_ic / d activation_ip,   b = mean_i (output_i - W mean_p activation_ip)
  Head reading(const Tensor& activations, const sdk::Context& context) const;

  void write(sdk::Sink& out) const;

 private:
  Tensor run(const Tensor& activations) const;

  const Trunk& trunk_;
  Head head_;
  std::vector<std::int64_t> layer_;  ///< without the samples
};

/// What a trained model of images answers that is a trunk and a linear head; where the head view shows
/// the last layer, head() and vjp() are of that head, which nobody needs to have drawn anew.
class ImageClassifier : public sdk::Model,
                        public sdk::Forward,
                        public sdk::ForwardGradient,
                        public sdk::LinearHead,
                        public sdk::RedrawnHead {
 public:
  void forward(const sdk::Arrays& model, const sdk::Tensor& inputs, const sdk::Context& context,
               std::span<double> activations) override;
  void forward_gradient(const sdk::Arrays& model, const sdk::Tensor& inputs,
                        const sdk::Tensor& cotangents, const sdk::Context& context,
                        std::span<double> gradients) override;
  void head(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Context& context,
            std::span<double> outputs) override;
  void vjp(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Tensor& cotangents,
           const sdk::Context& context, std::span<double> gradients) override;
  void redrawn_head(const sdk::Arrays& model, const sdk::Tensor& activations,
                    const sdk::Context& context, std::span<double> outputs) override;
  void redrawn_vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                   const sdk::Tensor& cotangents, const sdk::Context& context,
                   std::span<double> gradients) override;

 protected:
  /// As its write() left it.
  virtual std::unique_ptr<Trunk> read_trunk(const sdk::Arrays& model) const = 0;
};

}  // namespace conoscope::models
