// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/class_rows.h"
#include "plugins/explainers/sparse_autoencoders/dictionary.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"

namespace conoscope::explainers {

/// What every one of them has.
inline constexpr auto kDictionaryParameters = sdk::parameters(
    sdk::integer("latents", 0)
        .at_least(0)
        .counts_concepts()
        .help("concepts that all outputs share; 0: five per output"),
    sdk::real("epochs", 25)
        .between(0, 1e6)
        .help("passes over the training positions, in parts, too; 0: the start, untrained; ours"),
    sdk::integer("batch", 0)
        .at_least(0)
        .help("rows per step; 0: as the settings have it, ours 512"),
    sdk::real("learning_rate", 0)
        .at_least(0)
        .help("Adam's rate after the warm-up; 0: as the settings have it, ours 0.003"));

/// Of those that select codes.
inline constexpr auto kSelectionParameters = sdk::parameters(
    kDictionaryParameters,
    sdk::real("k", 5).at_least(1e-6).help(
        "concepts that are active in a row, on average, 5.5 for example; ours: published "
        "ones go with the width of language models"),
    sdk::real("aux_weight", 0.03125)
        .at_least(0)
        .help("weight of the loss by which latents that have not fired for 100 steps learn the "
              "residual; 1/32 is published, 100 steps are ours"));

/// More codes than latents is an error, in the method's name.
void need_at_most(const std::string& method, double k, Eigen::Index latents);

/// Of those that select codes, by options whose k is checked.
methods::Recipe selecting(const std::string& method, Eigen::Index latents,
                          const methods::TopKOptions& options);

/// A sparse autoencoder as an explanation: class-agnostic, the concepts are the atoms at norm 1,
/// psi is the encoder, importance is <w_c, d>. The decoder's bias b, if it is not 0, is one more
/// concept, of constant score |b| and direction b / |b|. Also answers for its twins, see Twin.
class SparseAutoencoder : public sdk::Explainer,
                          public sdk::Projection,
                          public sdk::Reconstruction {
 public:
  /// method  its id
  SparseAutoencoder(std::string method, const sdk::ParamsOf<kDictionaryParameters>& params)
      : method_(std::move(method)),
        latents_(params.integer("latents")),
        epochs_(params.real("epochs")),
        batch_(params.integer("batch")),
        rate_(params.real("learning_rate")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override;
  void project(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& rows,
               std::span<double> scores) override;
  void reconstruct(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& scores,
                   std::span<double> rows) override;

 protected:
  /// With its latents, and with the batch and the rate of its settings. width: of a row
  virtual methods::Recipe recipe(Eigen::Index latents, Eigen::Index width) const = 0;

 private:
  std::string method_;
  std::int64_t latents_;
  double epochs_;
  std::int64_t batch_;
  double rate_;
};

}  // namespace conoscope::explainers
