// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/model.h"
#include "plugins/models/vae/methods.h"
#include "plugins/models/vae/parameters.h"

namespace conoscope::models {

struct NetworkSpec;

/// Trains a variational autoencoder on the training split and writes its latent view.
///
/// Adam (Kingma & Ba, ICLR 2015; beta 0.9, 0.999) at a constant rate, for `steps` batches, or
/// `epochs` passes where that is 0. All randomness comes from the job's seed.
///
/// Arrays  for all rows: codes n x latents, the posteriors' means; codes_log_variance, of the same
///         shape; reconstruction_loss n, in nats, of one draw from each posterior. With codes = sample
///         that draw in place of the means, and no variances.
/// throws  std::invalid_argument, sdk::NotApplicable as VaeInputs, VaeNetwork and the method
///         std::domain_error: the loss is not finite
///         For decode(): decoder, the decoder's parameters one after the other; sample_shape; and
///         inputs_shift and inputs_unit, from the network's unit back to the dataset's.
class VaeModel : public sdk::Model, public sdk::Decode {
 public:
  /// name  the plugin's id, for the log
  VaeModel(std::string name, const sdk::ParamsOf<kVaeParameters>& params,
           std::shared_ptr<VaeMethod> method);

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) final;
  /// The mean of p(x | z), in the dataset's unit.
  void decode(const sdk::Arrays& model, const sdk::Tensor& codes, const sdk::Context& context,
              std::span<double> inputs) final;

 private:
  /// network.h's, which plugins' own files do not include.
  NetworkSpec spec_of(std::vector<std::int64_t> sample, std::int64_t latents) const;

  std::string name_;
  std::shared_ptr<VaeMethod> method_;
  std::string likelihood_, architecture_;
  std::int64_t latents_;  ///< 0: as many as annotated concepts
  bool codes_are_samples_;
  std::int64_t hidden_, epochs_, steps_, batch_size_;
  double learning_rate_;
};

}  // namespace conoscope::models
