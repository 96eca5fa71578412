// SPDX-License-Identifier: Apache-2.0
// FactorVAE: adversarial training of the encoder and a discriminator of permuted codes.

#include <torch/optim/adam.h>

#include <cmath>
#include <optional>

#include "plugins/models/common/torch/joined_parameters.h"
#include "plugins/models/vae/method.h"
#include "plugins/models/vae/methods.h"

namespace conoscope::models {

namespace {

constexpr double kSlope = 0.2;  ///< of the leaky ReLU

/// Dense layers with leaky ReLUs: codes M x d -> logits M x 2 of "codes" and "permuted".
class Discriminator {
 public:
  Discriminator(std::int64_t latents, std::int64_t layers, std::int64_t width, sdk::Seed seed) {
    for (std::int64_t layer = 0; layer <= layers; ++layer) {
      const bool last = layer == layers;
      const std::int64_t from = layer == 0 ? latents : width, to = last ? 2 : width;
      const double gain = last ? 1.0 : std::sqrt(2.0 / (1.0 + kSlope * kSlope));
      weights_.push_back(
          initial_weights({to, from}, gain, seed.child(static_cast<std::uint64_t>(layer))));
      biases_.push_back(initial_bias(to));
    }
  }

  /// fixed  without gradients of the discriminator's own parameters
  Tensor logits(const Tensor& z, bool fixed) const {
    Tensor h = z;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const Tensor weight = fixed ? weights_[i].detach() : weights_[i];
      const Tensor bias = fixed ? biases_[i].detach() : biases_[i];
      h = torch::addmm(bias, h, weight.t());
      if (i + 1 < weights_.size()) h = torch::leaky_relu(h, kSlope);
    }
    return h;
  }

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = weights_;
    all.insert(all.end(), biases_.begin(), biases_.end());
    return all;
  }

 private:
  std::vector<Tensor> weights_, biases_;
};

class Factor final : public PenaltyMethod {
 public:
  explicit Factor(const sdk::ParamsOf<kFactorParameters>& params)
      : gamma_(params.real("gamma")),
        layers_(params.integer("discriminator_layers")),
        width_(params.integer("discriminator_width")),
        learning_rate_(params.real("discriminator_learning_rate")) {}

  void begin(const VaeTraining& training) override {
    const sdk::Seed seed = training.seed.child("discriminator");
    discriminator_.emplace(training.latents, layers_, width_, seed);
    parameters_ = joined_parameters(discriminator_->parameters());
    optimiser_.emplace(std::vector<Tensor>{parameters_},
                       torch::optim::AdamOptions(learning_rate_).betas({0.5, 0.9}));
    other_rows_.emplace(training.train, seed.child("rows"));
    random_.emplace(seed.child("permuted"));
  }

  void after_update(const VaeTraining& training) override {
    Tensor permuted;
    {
      const torch::NoGradGuard no_grad;
      const Posterior other = training.encode(other_rows_->next(training.batch_size));
      const Tensor noise = normal_noise(other.mean.sizes().vec(), *random_);
      permuted = permute_dimensions(sample(other.mean, other.log_variance, noise), *random_);
    }
    parameters_.grad().zero_();
    discriminator_loss(discriminator_->logits(codes_, false),
                       discriminator_->logits(permuted, false))
        .backward();
    optimiser_->step();
  }

 private:
  Tensor penalty(const VaeTraining&, const VaeTraining::Pass& pass, const Tensor& kl,
                 std::int64_t) override {
    codes_ = pass.z.detach();
    return kl + gamma_ * density_ratio_total_correlation(discriminator_->logits(pass.z, true));
  }

  double gamma_;
  std::int64_t layers_, width_;
  double learning_rate_;
  std::optional<Discriminator> discriminator_;
  Tensor parameters_;  ///< the discriminator's
  std::optional<torch::optim::Adam> optimiser_;
  std::optional<RowStream> other_rows_;
  std::optional<sdk::Random> random_;  ///< of the permuted codes, apart from the network's noise
  Tensor codes_;                       ///< of the step's first batch
};

}  // namespace

std::shared_ptr<VaeMethod> factor_method(const sdk::ParamsOf<kFactorParameters>& params) {
  return std::make_shared<Factor>(params);
}

}  // namespace conoscope::models
