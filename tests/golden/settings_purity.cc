// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `settings` about the papers on purity and on interventional robustness.

#include <cmath>
#include <stdexcept>
#include <vector>

#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/purity/nicher.h"
#include "metrics/purity/nis.h"
#include "numerics/statistics/correlation.h"
#include "numerics/statistics/t_test.h"
#include "tests/golden/kinds.h"

#ifdef CONOSCOPE_HAS_TORCH
#include "plugins/models/ccd/topics.h"
#include "plugins/models/cw/whitening.h"
#include "plugins/models/senn/scored.h"
#include "plugins/models/vae/network.h"
#endif

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

/// sigmoid(W v + b) as a network with two hidden layers: x = relu(x) - relu(-x).
NicheNetwork linear_network(const Matrix& weight, const Vector& bias) {
  const Index features = weight.cols();
  NicheNetwork network;
  network.weight[0].resize(features, 2 * features);
  network.weight[0] << Matrix::Identity(features, features), -Matrix::Identity(features, features);
  network.weight[1] = Matrix::Identity(2 * features, 2 * features);
  network.weight[2].resize(2 * features, weight.rows());
  network.weight[2] << weight.transpose(), -weight.transpose();
  network.bias[0] = network.bias[1] = Vector::Zero(2 * features);
  network.bias[2] = bias;
  return network;
}

Outputs nis_full_grid_case(const Case& one) {
  const NicheNetwork network = linear_network(one.input("W").matrix(), one.input("b").vector());
  const Matrix nicher =
      concept_nicher(one.input("c_soft_train").matrix(), 1, one.input("c_true_train").matrix());
  const auto impurity = [&](NicheVariant variant) {
    return niche_impurity(network, nicher, one.input("c_soft_test").matrix(), 1,
                          one.input("c_true_test").matrix(), variant);
  };
  const NicheImpurity masked = impurity(NicheVariant::kMasked),
                      softmax = impurity(NicheVariant::kSoftmax);
  Outputs out;
  out.arrays = {{"ni_per_beta", flat(masked.by_beta)},
                {"ni_softmax_per_beta", flat(softmax.by_beta)},
                {"nis", {masked.full}},
                {"nis_to_095", {masked.score}},
                {"nis_softmax", {softmax.full}},
                {"nis_softmax_to_095", {softmax.score}},
                {"rescaled", {2.0 * (masked.full - 0.5)}},
                {"rescaled_to_095", {2.0 * (masked.score - 0.5)}}};
  return out;
}

Outputs sap_split_case(const Case& one) {
  if (one.params().at("train_share") != 0.2) throw std::runtime_error("another share");
  const Matrix codes = one.input("codes").matrix();
  const Sap sap = sap_20_80({codes, one.input("factors").matrix()});
  Outputs out;
  out.arrays = {{"n_train", {std::ceil(0.2 * static_cast<double>(codes.rows()))}},
                {"scores", flat(sap.scores)},
                {"sap", {sap.value}}};
  return out;
}

Outputs dci_exchanged_case(const Case& one) {
  const Matrix codes = one.input("codes").matrix(), factors = one.input("factors").matrix();
  const IndexVector train = one.input("train_rows").indices(),
                    test = one.input("test_rows").indices();
  const Json& params = one.params();
  const ExchangedDci fit = dci_exchanged(
      {codes(train, Eigen::all), factors(train, Eigen::all), codes(test, Eigen::all),
       factors(test, Eigen::all)},
      {params.at("trees").get<Index>(), params.at("depth").get<Index>(), params.at("rate")});
  const DciScore disentanglement = dci_disentanglement(fit.importance),
                 completeness = dci_completeness(fit.importance);
  Outputs out;
  out.arrays = {{"importance", flat(fit.importance)},
                {"disentanglement", {disentanglement.value}},
                {"completeness", {completeness.value}},
                {"disentanglement_each", flat(disentanglement.each)},
                {"completeness_each", flat(completeness.each)},
                {"r2_test", flat(fit.r2)}};
  return out;
}

Outputs welch_from_moments_case(const Case& one) {
  const auto n = one.params().at("n").get<Index>();
  const Vector mean_a = one.input("mean_a").vector(), mean_b = one.input("mean_b").vector();
  const double of_sample = std::sqrt(static_cast<double>(n) / (static_cast<double>(n) - 1.0));
  const Vector sd_a = of_sample * one.input("pm_a").vector(),
               sd_b = of_sample * one.input("pm_b").vector();
  Outputs out;
  for (Index i = 0; i < mean_a.size(); ++i) {
    const TTest test = welch_t_test_of_moments({mean_a[i], sd_a[i], n}, {mean_b[i], sd_b[i], n});
    out.arrays["t"].push_back(test.t);
    out.arrays["dof"].push_back(test.dof);
    out.arrays["p"].push_back(test.p);
  }
  return out;
}

Outputs spearman_case(const Case& one) {
  const std::vector<double> mi = one.input("mi").values, irs = one.input("irs").values;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < mi.size(); ++i) {
    if (std::isnan(mi[i]) || std::isnan(irs[i])) continue;
    x.push_back(mi[i]);
    y.push_back(irs[i]);
  }
  const auto n = static_cast<Index>(x.size());
  const Correlation found =
      spearman(Eigen::Map<const Vector>(x.data(), n), Eigen::Map<const Vector>(y.data(), n));
  Outputs out;
  out.arrays = {{"n_used", {static_cast<double>(n)}}, {"rho", {found.r}}, {"p", {found.p}}};
  return out;
}

#ifdef CONOSCOPE_HAS_TORCH

torch::Tensor tensor_of(const Case& one, const std::string& name) {
  const Npy array = one.input(name);
  return torch::tensor(array.values, torch::kFloat64)
      .reshape(std::vector<std::int64_t>(array.shape.begin(), array.shape.end()));
}

std::vector<double> flat_of(const torch::Tensor& values) {
  const torch::Tensor rows = values.contiguous();
  return {rows.data_ptr<double>(), rows.data_ptr<double>() + rows.numel()};
}

Outputs chen_mlp_case(const Case& one) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = tensor_of(one, "x"), noise = tensor_of(one, "eps");
  const models::VaeNetwork network({{x.size(1)},
                                    models::VaeArchitecture::kChenMlp,
                                    noise.size(1),
                                    tensor_of(one, "e0_W").size(0)},
                                   sdk::Seed(0));
  const std::vector<torch::Tensor> parameters = network.parameters();
  std::size_t at = 0;
  for (const char* layer : {"e0", "e1", "e2", "d0", "d1", "d2", "d3"})
    for (const char* part : {"_W", "_b"})
      parameters.at(at++).set_data(tensor_of(one, std::string(layer) + part));
  const models::Posterior posterior = network.encode(x);
  const torch::Tensor z = models::sample(posterior.mean, posterior.log_variance, noise),
                      logits = network.decode(z);
  Outputs out;
  out.arrays = {
      {"mean", flat_of(posterior.mean)},
      {"log_sd", flat_of(0.5 * posterior.log_variance)},
      {"z", flat_of(z)},
      {"logits", flat_of(logits)},
      {"log_likelihood",
       flat_of(-models::reconstruction_losses(models::Likelihood::kBernoulli, logits, x))},
      {"kl", flat_of(models::kl_by_dimension(posterior.mean, posterior.log_variance).sum(1))}};
  return out;
}

Outputs cw_readouts_case(const Case& one) {
  const torch::Tensor maps = tensor_of(one, "maps");
  const auto k = one.params().at("k").get<std::int64_t>();
  Outputs out;
  out.arrays = {{"scores", flat_of(models::represented(maps, k, false))},
                {"map_representation", flat_of(models::represented(maps, k, true))}};
  return out;
}

Outputs senn_representation_case(const Case& one) {
  const auto classes = one.params().at("classes").get<std::int64_t>(),
             concepts = one.params().at("concepts").get<std::int64_t>();
  const torch::Tensor relevances =
      tensor_of(one, "theta").view({-1, classes, concepts}).transpose(1, 2);
  const torch::Tensor logits = torch::einsum("nkc,nk->nc", {relevances, tensor_of(one, "h")});
  Outputs out;
  out.arrays = {{"logits", flat_of(logits)},
                {"predicted", flat_of(logits.argmax(1).to(torch::kFloat64))},
                {"scored", flat_of(models::relevances_of_answer(relevances, logits))}};
  return out;
}

Outputs ccd_topic_scores_case(const Case& one) {
  const torch::Tensor phi = tensor_of(one, "phi"),
                      c = models::unit_rows(tensor_of(one, "concepts").t()),
                      cosines = models::unit_rows(phi).matmul(c.t()),
                      lengths = phi.norm(2, {1}, /*keepdim=*/true);
  if (one.params().at("thresholds") != Json{0.0, 0.5}) throw std::runtime_error("other thresholds");
  const auto scores = [&](double threshold) {
    return flat_of(models::topic_scores(cosines, lengths, threshold, models::TopicScale::kSum));
  };
  const auto number = [](const torch::Tensor& value) {
    return std::vector<double>{value.item<double>()};
  };
  Outputs out;
  out.arrays = {
      {"scores_threshold_0", scores(0.0)},
      {"scores_threshold_05", scores(0.5)},
      {"r1", number(models::nearness(cosines, one.params().at("top_k").get<std::int64_t>()))},
      {"r2", number(models::overlap(c, true))},
      {"r2_pairs", number(models::overlap(c, false))}};
  return out;
}

#else

void needs_torch(Answer&) { throw Skip("built without libtorch"); }
constexpr auto chen_mlp_case = needs_torch, cw_readouts_case = needs_torch,
               senn_representation_case = needs_torch, ccd_topic_scores_case = needs_torch;

#endif

}  // namespace

void register_settings_purity(Kinds& kinds) {
  kinds.add("vae_mlp_chen", chen_mlp_case);
  kinds.add("cw_readouts", cw_readouts_case);
  kinds.add("senn_representation", senn_representation_case);
  kinds.add("ccd_topic_scores", ccd_topic_scores_case);
  kinds.add("nis_full_grid", nis_full_grid_case);
  kinds.add("sap_split", sap_split_case);
  kinds.add("dci_exchanged", dci_exchanged_case);
  kinds.add("welch_from_moments", welch_from_moments_case);
  kinds.add("spearman_features", spearman_case);
}

}  // namespace conoscope::tests::golden
