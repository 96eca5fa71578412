// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `faithfulness` about Shapley values and the TopK sparse autoencoder.

#include <bit>
#include <stdexcept>

#include "plugins/explainers/c_shap/concept_shap.h"
#include "plugins/explainers/c_shap/shapley.h"
#include "plugins/explainers/topk_sae/sae.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::methods;
using namespace conoscope::numerics;

TopKSae<double> read_sae(const Case& one) {
  return {one.input("enc_weight").matrix(), one.input("enc_bias").vector(),
          one.input("dictionary_raw").matrix(), one.params().at("top_k")};
}

Outputs sae_topk_case(const Case& one) {
  if (one.params().at("aux_penalty") != 0.1) throw std::runtime_error("another aux_penalty");
  const Matrix x = one.input("X").matrix(), weight = one.input("W").matrix();
  const Vector bias = one.input("b").vector();
  const TopKSae<double> sae = read_sae(one);
  const Matrix codes = sae_encode<double>(x, sae), dictionary = sae_dictionary(sae);
  const Matrix rebuilt = codes * dictionary, alphas = weight * dictionary.transpose();
  const SaeLosses losses = sae_losses<double>(x, sae);
  Matrix model = x * weight.transpose(), surrogate = codes * alphas.transpose();
  model.rowwise() += bias.transpose();
  surrogate.rowwise() += bias.transpose();
  Outputs out;
  out.scalars = {{"mse", losses.mse},
                 {"loss_with_aux", losses.mse + 0.1 * losses.aux},
                 {"reanimation_term", losses.reanimation}};
  out.arrays = {{"dictionary", flat(dictionary)},
                {"codes", flat(codes)},
                {"reconstruction", flat(rebuilt)},
                {"alphas", flat(alphas)},
                {"surrogate_logits", flat(surrogate)}};
  put_measures(out, model, surrogate);
  for (Index i = 0; i < codes.rows(); ++i)
    out.arrays["active_per_row"].push_back(
        static_cast<double>((codes.row(i).array() > 0.0).count()));
  return out;
}

Outputs sae_topk_train_case(const Case& one) {
  const Json& params = one.params();
  if (params.at("loss") != "mse + 0.1 aux" || params.at("batch") != "full")
    throw std::runtime_error("another loss or batch");
  const Matrix x = one.input("X").matrix();
  SaeTrainer<double> trainer(read_sae(one), 0.1, params.at("clip_grad_norm"));
  Outputs out;
  for (int step = 0; step < params.at("steps"); ++step)
    out.arrays["losses"].push_back(trainer.step(x, params.at("lr")));
  out.arrays["enc_weight"] = flat(trainer.sae().encoder);
  out.arrays["enc_bias"] = flat(trainer.sae().bias);
  out.arrays["dictionary_raw"] = flat(trainer.sae().dictionary);
  return out;
}

/// Every coalition but the empty and the full one, with the kernel's weight.
Vector kernel_shap_of_all(const Vector& values) {
  const Coalitions all = all_coalitions(std::countr_zero(static_cast<unsigned>(values.size())));
  const Index inner = all.rows() - 2;
  Vector weights(inner);
  for (Index i = 0; i < inner; ++i)
    weights[i] = shapley_kernel(all.cols(), all.row(i + 1).cast<Index>().sum());
  return kernel_shap(all.middleRows(1, inner), values.segment(1, inner), weights, values[0],
                     values[values.size() - 1]);
}

Outputs class_accuracy_case(const Case& one) {
  const Matrix values = one.input("values").matrix(), scores = one.input("scores").matrix();
  const Npy labels = one.input("labels");
  // The game itself, too: hidden units that are the scores, which are not negative.
  if (scores.minCoeff() < 0.0) throw std::runtime_error("negative scores");
  const Index n = scores.rows(), players = scores.cols(), classes = values.cols();
  Coalitions targets = Coalitions::Zero(n, classes);
  for (Index i = 0; i < n; ++i)
    targets(i, static_cast<Index>(labels.values[static_cast<std::size_t>(i)])) = 1;
  const MatrixF identity = MatrixF::Identity(players, players);
  const FrozenHead<float> head{one.input("weights").matrix().cast<float>(),
                               Eigen::VectorXf::Zero(classes)};
  const Matrix played = coalition_recall(MatrixF(scores.cast<float>()), 1, identity, identity, head,
                                         targets, all_coalitions(players));
  Matrix phi(classes, players);
  for (Index c = 0; c < classes; ++c) {
    phi.row(c) = shapley_exact(played.col(c));
    if ((played.col(c) - values.col(c)).cwiseAbs().maxCoeff() > 1e-15)
      throw std::runtime_error("the recall of class " + std::to_string(c) + " differs");
  }
  Outputs out;
  out.arrays["phi"] = flat(phi);
  return out;
}

Outputs shapley_exact_case(const Case& one) {
  if (one.has_input("scores")) return class_accuracy_case(one);
  const Vector values = one.input("values").vector();
  Outputs out;
  out.arrays["phi"] = flat(shapley_exact(values));
  out.arrays["kernelshap_full"] = flat(kernel_shap_of_all(values));
  out.not_compared["kernelshap_reference_pinv"] = "without an intercept, which no explainer uses";
  return out;
}

Outputs kernelshap_sampled_case(const Case& one) {
  const Coalitions coalitions = one.input("coalitions").matrix().cast<std::uint8_t>();
  const Vector phi =
      kernel_shap(coalitions, one.input("values").vector(), Vector::Ones(coalitions.rows()),
                  one.input("v_empty").vector()[0], one.input("v_full").vector()[0]);
  Outputs out;
  out.arrays["phi"] = flat(phi);
  out.arrays["phi_exact"] = flat(phi);
  return out;
}

}  // namespace

void register_faithfulness_shap_sae(Kinds& kinds) {
  kinds.add("sae_topk", sae_topk_case);
  kinds.add("sae_topk_train", sae_topk_train_case);
  kinds.add("shapley_exact", shapley_exact_case);
  kinds.add("kernelshap_sampled", kernelshap_sampled_case);
}

}  // namespace conoscope::tests::golden
