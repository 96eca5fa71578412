// SPDX-License-Identifier: Apache-2.0
// The kind of the family `disentanglement` about the loss terms of variational autoencoders.

#include "tests/golden/kinds.h"

#ifdef CONOSCOPE_HAS_TORCH
#include "plugins/models/vae/losses.h"
#endif

namespace conoscope::tests::golden {

namespace {

#ifdef CONOSCOPE_HAS_TORCH

using namespace conoscope::models;

Tensor tensor(const Answer& answer, const std::string& name) {
  const metrics::Matrix values = answer.input(name).matrix();
  return torch::from_blob(const_cast<double*>(values.data()), {values.rows(), values.cols()},
                          torch::kFloat64)
      .clone();
}

void compare(Answer& answer, const std::string& output, const Tensor& result) {
  const Tensor values = result.to(torch::kFloat64).contiguous();
  if (values.dim() == 0) return answer.number(output, values.item<double>());
  answer.values(output, Eigen::Map<const metrics::Matrix>(values.data_ptr<double>(), values.size(0),
                                                          values.numel() / values.size(0)));
}

void vae_losses_case(Answer& answer) {
  const Posterior first{tensor(answer, "mu"), tensor(answer, "logvar")};
  const Posterior second{tensor(answer, "mu2"), tensor(answer, "logvar2")};
  const Tensor z = tensor(answer, "z");
  const double lambda_od = answer.params().at("lambda_od"),
               lambda_d = answer.params().at("lambda_d");

  compare(answer, "kl_mean", kl_divergence(first.mean, first.log_variance));
  compare(answer, "cov_mu", covariance(first.mean));
  compare(answer, "dip_i",
          dip_penalty(first.mean, first.log_variance, DipVariant::kOne, lambda_od, lambda_d));
  compare(answer, "dip_ii",
          dip_penalty(first.mean, first.log_variance, DipVariant::kTwo, lambda_od, lambda_d));

  const LogDensities of_set =
      log_densities(z, first.mean, first.log_variance, answer.params().at("dataset_size"));
  compare(answer, "log_qz_mws", of_set.aggregate);
  compare(answer, "tc_mws", (of_set.aggregate - of_set.product).mean());
  // Without the constants of M and N, the total correlation is less by (d - 1) log(M N).
  const double offset =
      static_cast<double>(z.size(1) - 1) *
      std::log(static_cast<double>(z.size(0)) * answer.params().at("dataset_size").get<double>());
  compare(answer, "tc_batch_no_constants", (of_set.aggregate - of_set.product).mean() - offset);

  const Tensor divergence = pair_divergence(first, second);
  const Tensor changed = changed_dimensions(divergence);
  compare(answer, "ada_kl_per_dim", divergence);
  compare(answer, "ada_keep_own_mask", changed);
  const auto shared = [&](Averaging averaging) {
    return share_unchanged(first, second, changed, averaging).first;
  };
  compare(answer, "ada_gvae_mu1", shared(Averaging::kMean).mean);
  compare(answer, "ada_gvae_logvar1", shared(Averaging::kMean).log_variance);
  compare(answer, "ada_mlvae_dlib_mu1", shared(Averaging::kHarmonicMean).mean);
  compare(answer, "ada_mlvae_dlib_logvar1", shared(Averaging::kHarmonicMean).log_variance);
  compare(answer, "ada_mlvae_product_of_experts_logvar1",
          shared(Averaging::kProductOfExperts).log_variance);
}

#else

void vae_losses_case(Answer&) { throw Skip("built without libtorch"); }

#endif

}  // namespace

void register_vae_losses(Kinds& kinds) { kinds.add("vae_losses", vae_losses_case); }

}  // namespace conoscope::tests::golden
