// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/explainer.h"

#include <cmath>

#include "numerics/whole_blocks.h"

namespace conoscope::explainers {

using methods::Dictionary;
using methods::Reading;

void need_at_most(const std::string& method, double k, Eigen::Index latents) {
  if (k <= static_cast<double>(latents)) return;
  std::string number = std::to_string(k);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  throw std::invalid_argument(method + ": k = " + number + " is more than the " +
                              std::to_string(latents) + " latents");
}

methods::Recipe selecting(const std::string& method, Eigen::Index latents,
                          const methods::TopKOptions& options) {
  need_at_most(method, options.k, latents);
  methods::Recipe out;
  out.latents = latents;
  out.batch_k = options.k;
  out.objective = [options, latents](const methods::MatrixF&) {
    return std::make_unique<methods::TopKObjective<float>>(latents, options);
  };
  return out;
}

void SparseAutoencoder::fit(const sdk::HeadView& head, const sdk::Context& context,
                            sdk::ExplanationOut& out) {
  refuse_flattened(head, method_);
  const std::int64_t outputs = head.outputs(), width = head.width();
  methods::Recipe recipe = this->recipe(latents_ > 0 ? latents_ : 5 * outputs, width);
  recipe.schedule.epochs = epochs_;
  if (batch_ > 0) recipe.schedule.batch = batch_;
  if (rate_ > 0.0) recipe.schedule.rate = rate_;
  const methods::Twin twin = methods::twin_named(head.arrays().text("twin", ""));
  if (const std::string why = methods::twin_refusal(twin, recipe); !why.empty())
    throw sdk::NotApplicable(method_ + ": " + why);
  context.check_cancelled();
  const Dictionary found = methods::fit_dictionary(position_rows(head.activations()), recipe, twin,
                                                   context.seed(), [&context](double share) {
                                                     context.check_cancelled();
                                                     context.progress(share);
                                                   });

  const double constant = found.centre.norm();
  const std::int64_t latents = found.atoms.rows(), concepts = latents + (constant > 0.0 ? 1 : 0);
  sdk::Matrix cavs(concepts, width);
  cavs.topRows(latents) = found.atoms;
  if (constant > 0.0) cavs.row(latents) = found.centre.transpose() / constant;
  auto explanation = out.class_agnostic(concepts, outputs, width);
  sdk::as_matrix(explanation.cavs, concepts, width) = cavs;
  sdk::as_matrix(explanation.importance, outputs, concepts) =
      sdk::to_matrix(head.weight()) * cavs.transpose();
  auto is_constant = out.create<std::int64_t>("constant_concepts", {concepts});
  for (std::int64_t k = 0; k < concepts; ++k)
    is_constant[static_cast<std::size_t>(k)] = k >= latents;

  const auto vector = [&](const char* name, const methods::Vector& values) {
    if (values.size() > 0)
      sdk::as_matrix(out.create<double>(name, {values.size()}), values.size(), 1) = values;
  };
  sdk::as_matrix(out.create<double>("encoder", {latents, width}), latents, width) = found.encoder;
  vector("encoder_bias", found.bias);
  vector("threshold", found.threshold);
  vector("code_scale", found.scale);
  vector("decoder_bias", found.centre);
  vector("gain", found.gain);
  vector("magnitude_bias", found.magnitude);
  out.text("reading", std::to_string(static_cast<int>(found.reading)));
  out.text("rounds", std::to_string(found.pursuit.rounds));
  out.text("positive", found.pursuit.positive ? "1" : "0");
}

void SparseAutoencoder::project(const sdk::ExplanationIn& explanation, std::int64_t,
                                const sdk::Tensor& rows, std::span<double> scores) {
  const auto vector = [&](const char* name) -> methods::Vector {
    return sdk::to_matrix(explanation.get(name)).col(0);
  };
  Dictionary dictionary;
  dictionary.reading = static_cast<Reading>(std::stoi(explanation.text("reading")));
  dictionary.pursuit = {std::stoll(explanation.text("rounds")),
                        explanation.text("positive") == "1"};
  dictionary.encoder = sdk::to_matrix(explanation.get("encoder"));
  dictionary.bias = vector("encoder_bias");
  dictionary.threshold = vector("threshold");
  dictionary.scale = vector("code_scale");
  dictionary.centre = vector("decoder_bias");
  if (dictionary.reading == Reading::kGated) {
    dictionary.gain = vector("gain");
    dictionary.magnitude = vector("magnitude_bias");
  }
  const Eigen::Index latents = dictionary.encoder.rows();
  const sdk::Matrix cavs = sdk::to_matrix(explanation.cavs());
  dictionary.atoms = cavs.topRows(latents);
  auto out = sdk::as_matrix(scores, rows.rows(), cavs.rows());
  out.leftCols(latents) = methods::dictionary_codes(sdk::to_matrix(rows), dictionary);
  if (cavs.rows() > latents) out.col(latents).setConstant(dictionary.centre.norm());
}

void SparseAutoencoder::reconstruct(const sdk::ExplanationIn& explanation, std::int64_t,
                                    const sdk::Tensor& scores, std::span<double> rows) {
  const sdk::Matrix cavs = sdk::to_matrix(explanation.cavs());
  sdk::as_matrix(rows, scores.rows(), cavs.cols()) = numerics::product_by_whole_blocks<double>(
      sdk::to_matrix(scores), sdk::Matrix(cavs.transpose()));
}

}  // namespace conoscope::explainers
