// SPDX-License-Identifier: Apache-2.0
#pragma once

// What sets one variational autoencoder apart from another: its loss.

#include "plugins/models/vae/inputs.h"
#include "plugins/models/vae/network.h"
#include "plugins/models/vae/row_stream.h"

namespace conoscope::models {

/// One training, as the methods see it.
struct VaeTraining {
  const sdk::Arrays& dataset;
  const VaeInputs& inputs;
  const VaeNetwork& network;
  Likelihood likelihood;
  Tensor train;  ///< the training split's rows
  std::int64_t batch_size, steps, latents;
  sdk::Seed seed;      ///< for streams of the method's own
  sdk::Random& noise;  ///< of all samples from posteriors

  struct Pass {
    Posterior posterior;
    Tensor z, reconstruction_losses;
  };
  Posterior encode(const Tensor& rows) const { return network.encode(inputs.batch(rows)); }
  Tensor draw(const Posterior& posterior) const {
    return sample(posterior.mean, posterior.log_variance,
                  normal_noise(posterior.mean.sizes().vec(), noise));
  }
  /// Encoder, sample, decoder.
  Pass pass(const Tensor& rows) const;
};

struct VaeLoss {
  Tensor total;               ///< what is minimised
  Tensor reconstruction, kl;  ///< what is told about
};

class VaeMethod {
 public:
  virtual ~VaeMethod() = default;
  /// Before the first step; forgets a former training.
  virtual void begin(const VaeTraining&) {}
  /// On rows of the training split, at step t = 0, 1, ...
  virtual VaeLoss loss(const VaeTraining& training, const Tensor& rows, std::int64_t t) = 0;
  /// After the network's own update.
  virtual void after_update(const VaeTraining&) {}
};

/// Reconstruction loss + a term of the codes.
class PenaltyMethod : public VaeMethod {
 public:
  VaeLoss loss(const VaeTraining& training, const Tensor& rows, std::int64_t t) final;

 protected:
  /// kl  the divergence from the prior, which most of them weigh
  virtual Tensor penalty(const VaeTraining& training, const VaeTraining::Pass& pass,
                         const Tensor& kl, std::int64_t t) = 0;
};

}  // namespace conoscope::models
