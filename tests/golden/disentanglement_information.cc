// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `disentanglement` about information, predictability and VAE scores.

#include <algorithm>
#include <stdexcept>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/disentanglement/vae_scores.h"
#include "metrics/factors/equal_width_bins.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

Matrix row(const std::vector<double>& values) {
  return Eigen::Map<const Matrix>(values.data(), 1, static_cast<Index>(values.size()));
}

void information_case(Answer& answer) {
  const Matrix codes = answer.input("Z_train").matrix(), factors = answer.input("G_train").matrix();
  const auto bins = answer.params().at("num_bins").get<Index>();
  answer.values("discretised_codes",  // the reference counts bins from 1
                (equal_width_bins(codes, bins).array() + 1).cast<double>().matrix());
  const CodeInformation information = code_information({codes, factors}, {bins, 0});
  answer.values("mutual_information_nats", information.mutual_information);
  answer.values("factor_entropy_nats", information.factor_entropy.transpose());
  const Mig gap = mig(information);
  const bool dropping = answer.expects("mig_dropping_one_valued_factor");
  answer.values(dropping ? "mig_per_factor_active" : "mig_per_factor", row(gap.by_factor));
  answer.number(dropping ? "mig_dropping_one_valued_factor" : "mig", gap.value);
  const Modularity modular = modularity(information.mutual_information);
  if (answer.expects("modularity_per_code"))
    answer.values("modularity_per_code", row(modular.by_code));
  answer.number("modularity", modular.value);
}

void mig_ross_case(Answer& answer) {
  const auto bins = answer.params().at("num_bins").get<Index>();
  answer.number("mig", mig(code_information(
                               {answer.input("Z_train").matrix(), answer.input("G_train").matrix()},
                               {bins, bins}))
                           .value);
}

void explicitness_case(Answer& answer) {
  if (answer.params().at("C") != 1.0) throw std::runtime_error("another C");
  const Explicitness result =
      explicitness({answer.input("Z_train").matrix(), answer.input("G_train").matrix(),
                    answer.input("Z_test").matrix(), answer.input("G_test").matrix()});
  Matrix both(result.by_factor.size(), 2);
  both << result.train_by_factor, result.by_factor;
  answer.values("per_factor_optimum", both);
  answer.values("per_factor_sklearn", both);
  answer.number("explicitness_train", result.train);
  answer.number("explicitness_test", result.value);
}

void sap_case(Answer& answer) {
  if (answer.params().at("C") != 0.01) throw std::runtime_error("another C");
  const Matrix codes = answer.input("Z_train").matrix(), factors = answer.input("G_train").matrix();
  const Sap discrete = sap_discrete(
      {codes, factors, answer.input("Z_test").matrix(), answer.input("G_test").matrix()});
  answer.values("discrete_matrix", discrete.scores);
  answer.values("discrete_matrix_sklearn", discrete.scores);
  answer.number("discrete_sap", discrete.value);
  const Sap continuous = sap_continuous({codes, factors});
  answer.values("continuous_matrix", continuous.scores, "continuous");
  answer.number("continuous_sap", continuous.value, "continuous");
  const Sap ross = sap_ross({codes, factors});
  answer.values("ross_matrix", ross.scores);
  answer.number("ross_sap", ross.value);
  answer.number("ross_sap_sklearn", ross.value);
}

void dci_aggregate_case(Answer& answer) {
  const Matrix importance = answer.input("R").matrix();
  const DciScore codes = dci_disentanglement(importance), factors = dci_completeness(importance);
  answer.values("per_code", codes.each.transpose());
  answer.values("per_factor", factors.each.transpose());
  answer.number("disentanglement", codes.value);
  answer.number("completeness", factors.value);
  answer.number("disentanglement_simple_mean", codes.mean);
}

std::vector<IndexVector> rows_of(const Npy& npy) {
  const Matrix matrix = npy.matrix();
  std::vector<IndexVector> out;
  for (Index i = 0; i < matrix.rows(); ++i) {
    out.emplace_back();
    for (Index j = 0; j < matrix.cols(); ++j)
      out.back().push_back(static_cast<Index>(matrix(i, j)));
  }
  return out;
}

void factor_vae_case(Answer& answer) {
  FactorVaeDraws draws;
  draws.variance_rows = answer.input("variance_idx").indices();
  draws.fixed_factor = answer.input("fixed_factor").indices();
  draws.batches = rows_of(answer.input("batch_idx"));
  draws.train = answer.params().at("n_train").get<Index>();
  const Index factors = 1 + *std::max_element(draws.fixed_factor.begin(), draws.fixed_factor.end());
  const FactorVaeScore result = factor_vae_score(answer.input("table").matrix(), factors, draws,
                                                 answer.params().at("prune_std_threshold"));
  answer.values("global_variances", result.variance.transpose());
  std::vector<double> active(result.active.begin(), result.active.end()),
      least(result.least.begin(), result.least.end());
  answer.values("active", row(active));
  answer.values("argmin", row(least));
  answer.values("train_votes", result.votes);
  answer.number("train_accuracy", result.train);
  answer.number("eval_accuracy", result.value);
  answer.number("true_num_active",
                static_cast<double>(std::count(result.active.begin(), result.active.end(), true)));
  answer.excuse("reference_num_active_dims_bug", "counts all latents, shown for contrast");
}

void beta_vae_case(Answer& answer) {
  BetaVaeDraws draws;
  draws.label = answer.input("label").indices();
  draws.first = rows_of(answer.input("idx1"));
  draws.second = rows_of(answer.input("idx2"));
  draws.train = answer.params().at("n_train").get<Index>();
  const Index factors = 1 + *std::max_element(draws.label.begin(), draws.label.end());
  const BetaVaeScore result = beta_vae_score(answer.input("table").matrix(), factors, draws);
  answer.values("features", result.features, "features");
  for (const char* how : {"optimum", "sklearn"}) {
    answer.number(std::string("train_accuracy_") + how, result.train);
    answer.number(std::string("eval_accuracy_") + how, result.value);
  }
}

}  // namespace

void register_disentanglement(Kinds& kinds) {
  kinds.add("mig_modularity", information_case);
  kinds.add("mig_ross", mig_ross_case);
  kinds.add("explicitness", explicitness_case);
  kinds.add("sap", sap_case);
  kinds.add("dci_aggregate", dci_aggregate_case);
  kinds.add("factor_vae_score", factor_vae_case);
  kinds.add("beta_vae_score", beta_vae_case);
}

}  // namespace conoscope::tests::golden
