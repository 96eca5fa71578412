// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `truth`: sparse autoencoders and their twins.

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "metrics/truth/truth_ev.h"
#include "metrics/truth/truth_f1.h"
#include "metrics/truth/truth_mcc.h"
#include "metrics/truth/truth_uniqueness.h"
#include "plugins/explainers/sparse_autoencoders/archetypal.h"
#include "plugins/explainers/sparse_autoencoders/dictionary.h"
#include "plugins/explainers/sparse_autoencoders/gated.h"
#include "plugins/explainers/sparse_autoencoders/jumprelu.h"
#include "plugins/explainers/sparse_autoencoders/pursuit.h"
#include "plugins/explainers/sparse_autoencoders/relu.h"
#include "plugins/explainers/sparse_autoencoders/thresholds.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"
#include "plugins/explainers/sparse_autoencoders/trainer.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::methods;

/// The files' names of the parts.
const std::vector<std::pair<std::string, Part>> kNames = {
    {"enc", Part::kEncoder},         {"b_enc", Part::kEncoderBias},
    {"b_gate", Part::kEncoderBias},  {"dec", Part::kAtoms},
    {"b_dec", Part::kDecoderBias},   {"log_theta", Part::kThreshold},
    {"theta", Part::kThreshold},     {"r", Part::kGain},
    {"b_mag", Part::kMagnitudeBias}, {"W", Part::kWeights},
    {"relax", Part::kRelaxation},    {"log_scale", Part::kLogScale},
};

Matrix input_part(const Case& one, const std::string& name) {
  const Npy array = one.input(name);
  return array.shape.empty() ? array.matrix(1, 1) : array.matrix();
}

Parts<double> read_parts(const Case& one, const std::string& prefix) {
  Parts<double> out;
  for (const auto& [name, part] : kNames)
    if (one.has_input(prefix + name)) out[part] = input_part(one, prefix + name);
  return out;
}

template <typename Value>
Value param(const Case& one, const std::string& name, Value standard) {
  return one.params().contains(name) ? one.params().at(name).get<Value>() : standard;
}

TopKOptions topk_options(const Case& one) {
  TopKOptions out;
  out.k = param(one, "k", 0.0);
  out.whole_batch = one.params().at("learner") != "topk" && one.params().at("learner") != "ra_sae";
  out.prefixes = param(one, "prefixes", std::vector<Index>());
  out.prefix_weights = param(one, "prefix_weights", std::vector<double>());
  out.aux_weight = param(one, "aux_weight", 0.0);
  out.aux_k = param(one, "k_aux", Index{0});
  return out;
}

std::unique_ptr<Objective<double>> objective_of(const Case& one, Index latents) {
  const std::string learner = one.params().at("learner");
  if (learner == "topk" || learner == "batch_topk" || learner == "matryoshka")
    return std::make_unique<TopKObjective<double>>(latents, topk_options(one));
  if (learner == "jumprelu")
    return std::make_unique<JumpReluObjective<double>>(
        JumpReluOptions{.weight = one.params().at("l0_weight"),
                        .bandwidth = one.params().at("bandwidth"),
                        .target = param(one, "target_l0", 0.0),
                        .log_threshold = one.has_input("P_log_theta"),
                        .relu_first = param(one, "relu_first", false),
                        .window_of_codes = param(one, "step_on_codes", false),
                        .centred = param(one, "centre", false)});
  if (learner == "gated")
    return std::make_unique<GatedObjective<double>>(
        GatedOptions{.weight = one.params().at("l1_weight"),
                     .aux_trains_decoder = !param(one, "frozen_decoder_in_aux", true)});
  if (learner == "relu_l1")
    return std::make_unique<ReluObjective<double>>(ReluOptions{
        .weight = one.params().at("l1_weight"), .by_norms = param(one, "weighted", false)});
  if (learner == "ra_sae")
    return std::make_unique<ArchetypalObjective<double>>(
        one.input("points").matrix(), one.params().at("delta"), latents, topk_options(one));
  if (learner == "mp_sae")
    return std::make_unique<PursuitObjective<double>>(
        PursuitOptions{one.params().at("k"), one.params().at("positive")});
  throw Skip("no learner " + learner);
}

TrainerOptions trainer_options(const Case& one) {
  const Json& params = one.params();
  if (params.at("project") != params.at("renorm") || params.at("project_eps") != 0.0 ||
      params.at("renorm_eps") != 0.0 || param(one, "adam_eps", 1e-8) != 1e-8)
    throw std::runtime_error("another order of the step");
  TrainerOptions out;
  out.beta1 = params.at("b1");
  out.beta2 = params.at("b2");
  out.clip = params.at("clip");
  out.unit_atoms = params.at("renorm");
  for (const std::string& frozen : param(one, "frozen", std::vector<std::string>()))
    for (const auto& [name, part] : kNames)
      if (name == frozen) out.frozen.push_back(part);
  return out;
}

Outputs sae_step_case(const Case& one) {
  const Matrix x = one.input("x").matrix();
  Parts<double> start = read_parts(one, "P_");
  const bool by_points = start.has(Part::kWeights);
  const Index latents = start[by_points ? Part::kWeights : Part::kAtoms].rows();
  StepState state;
  if (one.has_input("dead"))
    for (const Index dead : one.input("dead").indices())
      state.dead.push_back(static_cast<char>(dead));

  // The raw gradient, which the step itself then alters.
  const auto objective = objective_of(one, latents);
  Parts<double> at = start, gradient = start;
  objective->constrain(at);
  const SparseLosses losses = objective->differentiate(x, at, state, gradient);
  DictionaryTrainer<double> trainer(objective_of(one, latents), start, trainer_options(one));
  const Parts<double> mean = read_parts(one, "m_"), square = read_parts(one, "v_");
  for (const auto& [name, part] : kNames)
    if (start.has(part))
      trainer.resume(part, mean[part], square[part], one.params().at("step").get<long>() - 1);
  const SparseLosses stepped = trainer.step(x, one.params().at("lr"), state);

  Outputs out;
  out.scalars = {{"loss", losses.loss}, {"mse", losses.error},
                 {"aux", losses.aux},   {"sparsity", losses.sparsity},
                 {"l0", losses.active}, {"gradient_norm", stepped.gradient_norm}};
  const Matrix codes = objective->codes();
  Matrix atoms = at[Part::kAtoms];
  if (by_points) {
    const ArchetypalObjective<double> hull(one.input("points").matrix(), one.params().at("delta"),
                                           latents, topk_options(one));
    atoms = hull.atoms(at);
    out.arrays["dictionary"] = flat(atoms);
  }
  Matrix rebuilt = codes * atoms;
  if (at.has(Part::kDecoderBias)) rebuilt.rowwise() += at[Part::kDecoderBias].row(0);
  out.arrays["codes"] = flat(codes);
  out.arrays["recon"] = flat(rebuilt);
  out.arrays["prefix_losses"] = losses.prefixes;
  for (const auto& [name, part] : kNames)
    if (one.has_input("P_" + name)) {
      out.arrays["grad_" + name] = flat(gradient[part]);
      out.arrays["new_" + name] = flat(trainer.parts()[part]);
    }
  return out;
}

Outputs sae_run_case(const Case& one) {
  const Npy all = one.input("x");
  const Index steps = all.shape[0], rows = all.shape[1];
  const Matrix x = all.matrix();
  const Parts<double> start = read_parts(one, "P_");
  const Index latents = start[Part::kAtoms].rows();
  DictionaryTrainer<double> trainer(objective_of(one, latents), start, trainer_options(one));
  auto& objective = dynamic_cast<TopKObjective<double>&>(trainer.objective());
  auto average = RunningThreshold::dictionary_learning(one.params().at("beta"));
  auto from_zero = RunningThreshold::sae_lens(one.params().at("rate"));
  Outputs out;
  for (Index s = 0; s < steps; ++s) {
    out.arrays["losses"].push_back(
        trainer.step(x.middleRows(s * rows, rows), one.params().at("lr")).loss);
    average.update(objective.least_code());
    from_zero.update(objective.least_code());
    out.arrays["threshold_ema"].push_back(average.value);
    out.arrays["threshold_zero_start"].push_back(from_zero.value);
  }
  for (const auto& [name, part] : kNames)
    if (start.has(part)) out.arrays["new_" + name] = flat(trainer.parts()[part]);

  const Parts<double>& end = trainer.parts();
  const double mean =
      mean_batch_minimum<double>(RowSource(x), end, one.params().at("k"), one.params().at("batch"));
  out.scalars["threshold_mean_of_batches"] = mean;
  Matrix pre = (x.rowwise() - end[Part::kDecoderBias].row(0)) * end[Part::kEncoder].transpose();
  pre.rowwise() += end[Part::kEncoderBias].row(0);
  const double bound = counted_threshold(pre, one.params().at("k"));
  const Matrix codes = (pre.array() > bound).select(pre.array(), 0.0);
  out.scalars["threshold_quantile"] = bound;
  out.scalars["l0_at_quantile"] =
      static_cast<double>((codes.array() > 0.0).count()) / static_cast<double>(x.rows());
  out.arrays["codes_at_quantile"] = flat(codes);
  return out;
}

Outputs threshold_case(const Case& one) {
  const Npy codes = one.input("codes");
  const Index batches = codes.shape[0];
  const Matrix all = codes.matrix(batches, codes.size() / batches);
  auto mean = RunningThreshold::dictionary_learning(one.params().at("beta"));
  auto from_zero = RunningThreshold::sae_lens(one.params().at("rate"));
  auto kth = RunningThreshold::overcomplete(one.params().at("momentum"));
  Outputs out;
  for (Index b = 0; b < batches; ++b) {
    double least = 0.0;
    for (Index e = 0; e < all.cols(); ++e)
      if (all(b, e) > 0.0 && (least == 0.0 || all(b, e) < least)) least = all(b, e);
    mean.update(least);
    from_zero.update(least);
    out.arrays["dictionary_learning"].push_back(mean.value);
    out.arrays["sae_lens"].push_back(from_zero.value);
  }
  const metrics::Vector largest = one.input("kth").vector();
  for (const double value : largest) {
    kth.update(value);
    out.arrays["overcomplete"].push_back(kth.value);
  }
  return out;
}

Outputs soft_frozen_case(const Case& one) {
  Matrix atoms = one.input("d").matrix();
  Outputs out;
  out.scalars["moved"] =
      keep_in_cones<double>(atoms, one.input("d0").matrix(), one.params().at("tau"));
  out.arrays["after"] = flat(atoms);
  return out;
}

Outputs covariance_start_case(const Case& one) {
  const Matrix x = one.input("x").matrix();
  const Matrix centred = x.rowwise() - x.colwise().mean();
  const Matrix covariance = centred.transpose() * centred / static_cast<double>(x.rows() - 1);
  Outputs out;
  out.arrays["dec"] = flat(covariance_atoms(one.input("g").matrix(), covariance));
  return out;
}

Outputs l0_matched_case(const Case& one) {
  const Matrix pre = one.input("pre").matrix();
  const double l0 = one.params().at("l0"), bound = counted_threshold(pre, l0);
  Outputs out;
  out.scalars = {{"threshold_quantile_interpolated", quantile_threshold(pre, l0)},
                 {"threshold_counted", bound},
                 {"l0_counted", static_cast<double>((pre.array() > bound).count()) /
                                    static_cast<double>(pre.rows())}};
  return out;
}

/// The true dictionary of the first latents, and the same with atom perm[j] beside code j.
Outputs permuted_decoder_case(const Case& one) {
  using namespace conoscope::metrics;
  const IndexVector perm = one.input("perm").indices();
  const auto latents = static_cast<Index>(perm.size());
  const Matrix all = one.input("a").matrix(), x = one.input("x").matrix();
  const Matrix truth = one.input("d").matrix(), codes = all.leftCols(latents);
  const Eigen::RowVectorXd bias = one.input("b").vector().transpose();
  Outputs out;
  const auto judge = [&](const std::string& when, const Matrix& atoms) {
    const TruthMatching matching = truth_matching(atoms, truth);
    const MatrixF activations = all.cast<float>();
    double f1 = 0.0;
    for (const Firing& of : truth_firing(codes, activations, matching.closest))
      f1 += of.f1() / static_cast<double>(latents);
    Matrix rebuilt = codes * atoms;
    rebuilt.rowwise() += bias;
    out.scalars["mcc_" + when] = truth_mcc(matching);
    out.scalars["uniqueness_" + when] = truth_uniqueness(matching);
    out.scalars["f1_" + when] = f1;
    out.scalars["ev_" + when] = explained_variance(x, rebuilt);
  };
  judge("before", truth.topRows(latents));
  judge("after", truth(perm, Eigen::all));
  return out;
}

}  // namespace

void register_truth_learners(Kinds& kinds) {
  kinds.add("sae_step", sae_step_case);
  kinds.add("sae_run", sae_run_case);
  kinds.add("threshold", threshold_case);
  kinds.add("soft_frozen", soft_frozen_case);
  kinds.add("covariance_start", covariance_start_case);
  kinds.add("l0_matched", l0_matched_case);
  kinds.add("permuted_decoder", permuted_decoder_case);
}

}  // namespace conoscope::tests::golden
