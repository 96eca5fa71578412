// SPDX-License-Identifier: Apache-2.0
// The methods that add a term of the codes to the reconstruction loss.

#include "plugins/models/vae/method.h"
#include "plugins/models/vae/methods.h"

namespace conoscope::models {

namespace {

using Pass = VaeTraining::Pass;

class Beta final : public PenaltyMethod {
 public:
  explicit Beta(double beta) : beta_(beta) {}

 private:
  Tensor penalty(const VaeTraining&, const Pass&, const Tensor& kl, std::int64_t) override {
    return beta_ * kl;
  }

  double beta_;
};

class Annealed final : public PenaltyMethod {
 public:
  explicit Annealed(const sdk::ParamsOf<kAnnealedParameters>& params)
      : gamma_(params.real("gamma")),
        capacity_(params.real("capacity")),
        annealing_(params.real("annealing")) {}

 private:
  Tensor penalty(const VaeTraining& training, const Pass&, const Tensor& kl,
                 std::int64_t t) override {
    const double steps = annealing_ * static_cast<double>(training.steps);
    return gamma_ * (kl - annealed_capacity(capacity_, static_cast<double>(t), steps)).abs();
  }

  double gamma_, capacity_, annealing_;
};

class Dip final : public PenaltyMethod {
 public:
  explicit Dip(const sdk::ParamsOf<kDipParameters>& params)
      : variant_(params.text("variant") == "i" ? DipVariant::kOne : DipVariant::kTwo),
        lambda_od_(params.real("lambda_od")),
        lambda_d_(params.real("lambda_d")) {}

 private:
  Tensor penalty(const VaeTraining&, const Pass& pass, const Tensor& kl, std::int64_t) override {
    return kl + dip_penalty(pass.posterior.mean, pass.posterior.log_variance, variant_, lambda_od_,
                            lambda_d_);
  }

  DipVariant variant_;
  double lambda_od_, lambda_d_;
};

class TotalCorrelation final : public PenaltyMethod {
 public:
  explicit TotalCorrelation(const sdk::ParamsOf<kTotalCorrelationParameters>& params)
      : beta_(params.real("beta")) {}

 private:
  Tensor penalty(const VaeTraining& training, const Pass& pass, const Tensor&,
                 std::int64_t) override {
    return decomposed_kl(log_densities(pass.z, pass.posterior.mean, pass.posterior.log_variance,
                                       training.train.size(0)),
                         beta_);
  }

  double beta_;
};

}  // namespace

std::shared_ptr<VaeMethod> beta_method(double beta) { return std::make_shared<Beta>(beta); }

std::shared_ptr<VaeMethod> annealed_method(const sdk::ParamsOf<kAnnealedParameters>& params) {
  return std::make_shared<Annealed>(params);
}

std::shared_ptr<VaeMethod> dip_method(const sdk::ParamsOf<kDipParameters>& params) {
  return std::make_shared<Dip>(params);
}

std::shared_ptr<VaeMethod> total_correlation_method(
    const sdk::ParamsOf<kTotalCorrelationParameters>& params) {
  return std::make_shared<TotalCorrelation>(params);
}

}  // namespace conoscope::models
