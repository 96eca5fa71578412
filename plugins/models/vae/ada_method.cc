// SPDX-License-Identifier: Apache-2.0
// Weak supervision by pairs: Ada-GVAE and Ada-ML-VAE.

#include <optional>
#include <stdexcept>
#include <string>

#include "plugins/models/vae/method.h"
#include "plugins/models/vae/methods.h"
#include "plugins/models/vae/pairs.h"

namespace conoscope::models {

namespace {

/// 1/2 (rec1 + rec2) + beta/2 (KL1 + KL2), of posteriors that share what did not change.
class Ada final : public VaeMethod {
 public:
  Ada(const sdk::ParamsOf<kAdaParameters>& params, Averaging averaging)
      : averaging_(averaging),
        beta_(params.real("beta")),
        changed_factors_(params.integer("changed_factors")),
        share_(params.text("share")) {
    if (share_ == "concepts" && changed_factors_ != 0)
      throw std::invalid_argument(
          "changed_factors is " + std::to_string(changed_factors_) +
          ", but share = \"concepts\" draws how many concepts of a pair differ");
  }

  void begin(const VaeTraining& training) override {
    const sdk::Tensor factors = training.dataset.get(share_);
    check_rows(factors, training.inputs.samples());
    const auto* first = training.train.data_ptr<std::int64_t>();
    rows_.assign(first, first + training.train.size(0));
    position_.assign(static_cast<std::size_t>(training.inputs.samples()), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      position_[static_cast<std::size_t>(rows_[i])] = static_cast<std::int64_t>(i);
    pairs_.emplace(factors, rows_, changed_factors_,
                   share_ == "concepts" ? Pairs::Changed::kAnyNumber : Pairs::Changed::kOneOrMore);
    random_.emplace(training.seed.child("pairs"));
  }

  VaeLoss loss(const VaeTraining& training, const Tensor& rows, std::int64_t) override {
    const Tensor x1 = training.inputs.batch(rows), x2 = training.inputs.batch(partners(rows));
    const Posterior own1 = training.network.encode(x1), own2 = training.network.encode(x2);
    const Tensor changed = changed_dimensions(pair_divergence(own1, own2));
    const PosteriorPair pair = share_unchanged(own1, own2, changed, averaging_);
    const auto reconstruction_of = [&training](const Posterior& posterior, const Tensor& x) {
      const Tensor outputs = training.network.decode(training.draw(posterior));
      return reconstruction_losses(training.likelihood, outputs, x).mean();
    };
    const Tensor first = reconstruction_of(pair.first, x1);
    const Tensor reconstruction = 0.5 * (first + reconstruction_of(pair.second, x2));
    const Tensor kl = 0.5 * (kl_divergence(pair.first.mean, pair.first.log_variance) +
                             kl_divergence(pair.second.mean, pair.second.log_variance));
    return {reconstruction + beta_ * kl, reconstruction, kl};
  }

 private:
  Tensor partners(const Tensor& rows) {
    Tensor result = torch::empty_like(rows);
    const auto* from = rows.data_ptr<std::int64_t>();
    auto* to = result.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      const std::int64_t position = position_[static_cast<std::size_t>(from[i])];
      to[i] = rows_[static_cast<std::size_t>(pairs_->partner(position, *random_))];
    }
    return result;
  }

  Averaging averaging_;
  double beta_;
  std::int64_t changed_factors_;
  std::string share_;                          ///< the array that pairs share values of
  std::vector<std::int64_t> rows_, position_;  ///< training rows; of a row: where it is there
  std::optional<Pairs> pairs_;
  std::optional<sdk::Random> random_;
};

}  // namespace

std::shared_ptr<VaeMethod> ada_gvae_method(const sdk::ParamsOf<kAdaParameters>& params) {
  return std::make_shared<Ada>(params, Averaging::kMean);
}

std::shared_ptr<VaeMethod> ada_mlvae_method(const sdk::ParamsOf<kAdaMlParameters>& params) {
  return std::make_shared<Ada>(params, params.text("shared_variance") == "harmonic_mean"
                                           ? Averaging::kHarmonicMean
                                           : Averaging::kProductOfExperts);
}

}  // namespace conoscope::models
