// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters that several of the plugins share.

#include "conoscope/sdk/parameters.h"

namespace conoscope::models {

/// What every one of them has, with these defaults.
constexpr auto vae_parameters(std::int64_t epochs, std::int64_t batch_size, double learning_rate) {
  return sdk::parameters(
      sdk::integer("latents", 10)
          .between(0, 1000)
          .counts_concepts()
          .help("dimensions of the code; 0: as many as the dataset annotates concepts"),
      sdk::text("codes", "mean")
          .choices({"mean", "sample"})
          .help("what is scored: the mean of each posterior, or one sample from it"),
      sdk::text("likelihood", "bernoulli")
          .choices({"bernoulli", "gaussian"})
          .help("of the inputs: bernoulli for values in [0, 1]; gaussian (variance 1) for any, "
                "standardised by channel or feature"),
      sdk::text("architecture", "auto")
          .choices({"auto", "convolutional", "dense", "chen_mlp"})
          .help("auto: convolutional for images with both sides at least 8, else dense; chen_mlp: "
                "the networks of Chen et al., whose decoder has three layers with tanh"),
      sdk::integer("hidden", 256)
          .between(1, 65536)
          .help("units of the dense layer between convolutions and code, or of each of two dense "
                "layers (of chen_mlp's decoder, three)"),
      sdk::integer("epochs", epochs).between(1, 1000000).help("passes over the training split"),
      sdk::integer("steps", 0)
          .between(0, 100000000)
          .help("batches in all; 0: as many as epochs asks for"),
      sdk::integer("batch_size", batch_size)
          .between(1, 65536)
          .help("samples per step; at most the training split"),
      sdk::real("learning_rate", learning_rate).between(1e-8, 10.0).help("of Adam"));
}
inline constexpr auto kVaeParameters = vae_parameters(1, 1, 1e-3);

/// Of the methods by name.
inline constexpr auto kAnnealedParameters = sdk::parameters(
    sdk::real("gamma", 100.0).between(0.0, 1e6).help("weight of |KL - capacity|"),
    sdk::real("capacity", 20.0).between(0.0, 1e6).help("nats at the end of the annealing"),
    sdk::real("annealing", 0.0667)
        .between(0.0, 1.0)
        .help("share of the steps over which the capacity grows from 0; published: 100,000 of "
              "1,500,000"));

inline constexpr auto kDipParameters = sdk::parameters(
    sdk::text("variant", "i")
        .choices({"i", "ii"})
        .help("covariance of the posterior means: i, or of samples from the posteriors: ii"),
    sdk::real("lambda_od", 10.0).between(0.0, 1e6).help("weight of the squared covariances"),
    sdk::real("lambda_d", 100.0)
        .between(0.0, 1e6)
        .help("weight of the variances' squared distance from 1; published for variant ii: as "
              "lambda_od"));

inline constexpr auto kFactorParameters = sdk::parameters(
    sdk::real("gamma", 6.4).between(0.0, 1e6).help("weight of the total correlation; 0: the VAE"),
    sdk::integer("discriminator_layers", 6)
        .between(1, 100)
        .help("hidden layers of the discriminator"),
    sdk::integer("discriminator_width", 1000).between(1, 65536).help("units of each of them"),
    sdk::real("discriminator_learning_rate", 1e-4)
        .between(1e-8, 10.0)
        .help("of the discriminator's Adam, whose betas are 0.5 and 0.9"));

inline constexpr auto kTotalCorrelationParameters = sdk::parameters(
    sdk::real("beta", 6.0).between(0.0, 1e6).help("weight of the total correlation; 1: the VAE"));

/// Of the methods that draw pairs.
inline constexpr auto kAdaParameters = sdk::parameters(
    sdk::real("beta", 1.0).between(0.0, 1e6).help("weight of the divergence from the prior"),
    sdk::integer("changed_factors", 0)
        .between(0, 63)
        .help(
            "factors in which a pair may differ, or more where the data hold no such pair; 0: for "
            "each pair one, or with probability 1/2 a number drawn from 1 to all but one"),
    sdk::text("share", "factors")
        .choices({"factors", "concepts"})
        .help("of what a pair shares values: the dataset's factors or its annotated concepts; of k "
              "concepts it shares a number drawn from 1 to k - 1"));
inline constexpr auto kAdaMlParameters =
    sdk::parameters(sdk::text("shared_variance", "harmonic_mean")
                        .choices({"harmonic_mean", "product_of_experts"})
                        .help("2 v1 v2 / (v1 + v2), as in the published code, or half of it, as in "
                              "the paper on ML-VAE by Bouchacourt et al., AAAI 2018"),
                    kAdaParameters);

}  // namespace conoscope::models
