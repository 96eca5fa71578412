#pragma once

#include <memory>
#include <string>

#include "conoscope/sdk/model.h"
#include "plugins/models/vae/methods.h"
#include "plugins/models/vae/parameters.h"

namespace conoscope::models {

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
class VaeModel : public sdk::Model {
 public:
  /// name  the plugin's id, for the log
  VaeModel(std::string name, const sdk::ParamsOf<kVaeParameters>& params,
           std::shared_ptr<VaeMethod> method);

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) final;

 private:
  std::string name_;
  std::shared_ptr<VaeMethod> method_;
  std::string likelihood_, architecture_;
  std::int64_t latents_;  ///< 0: as many as annotated concepts
  bool codes_are_samples_;
  std::int64_t hidden_, epochs_, steps_, batch_size_;
  double learning_rate_;
};

}  // namespace conoscope::models
