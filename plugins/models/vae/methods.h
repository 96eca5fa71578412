// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods by name. Free of libtorch's headers, so that a plugin's own file is its metadata;
// shared pointers, because they need not know what they delete.

#include <memory>

#include "plugins/models/vae/parameters.h"

namespace conoscope::models {

class VaeMethod;

/// Reconstruction + beta KL; beta = 1: the VAE (Kingma & Welling, ICLR 2014); others: beta-VAE
/// (Higgins et al., ICLR 2017).
std::shared_ptr<VaeMethod> beta_method(double beta);

/// Reconstruction + gamma |KL - C(t)|, `gamma`, `capacity`, `annealing` (Burgess et al., 2018).
std::shared_ptr<VaeMethod> annealed_method(const sdk::ParamsOf<kAnnealedParameters>& params);

/// Reconstruction + KL + DIP penalty, `variant`, `lambda_od`, `lambda_d` (Kumar et al., ICLR 2018).
std::shared_ptr<VaeMethod> dip_method(const sdk::ParamsOf<kDipParameters>& params);

/// Reconstruction + KL + gamma TC by a discriminator, `gamma`, `discriminator_*` (Kim & Mnih, ICML
/// 2018).
std::shared_ptr<VaeMethod> factor_method(const sdk::ParamsOf<kFactorParameters>& params);

/// Reconstruction + decomposed KL, `beta` on its total correlation (Chen et al., NeurIPS 2018).
std::shared_ptr<VaeMethod> total_correlation_method(
    const sdk::ParamsOf<kTotalCorrelationParameters>& params);

/// Pairs of samples whose unchanged dimensions share a posterior, `beta`, `changed_factors`
/// (Locatello et al., ICML 2020).
std::shared_ptr<VaeMethod> ada_gvae_method(const sdk::ParamsOf<kAdaParameters>& params);
/// As ada_gvae_method(), with precision-weighted averages, `shared_variance`.
std::shared_ptr<VaeMethod> ada_mlvae_method(const sdk::ParamsOf<kAdaMlParameters>& params);

}  // namespace conoscope::models
