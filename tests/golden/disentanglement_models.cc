// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `disentanglement` that train trees, and Table 1 of the purity paper.

#include <cmath>
#include <stdexcept>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/r4.h"
#include "metrics/disentanglement/sap.h"
#include "numerics/gradient_boosting.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

double accuracy(const Matrix& probability, const IndexVector& labels) {
  double hits = 0.0;
  for (Index i = 0; i < probability.rows(); ++i) {
    Index best = 0;
    probability.row(i).maxCoeff(&best);
    hits += best == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  }
  return hits / static_cast<double>(probability.rows());
}

void boosting_case(Answer& answer) {
  const auto n = answer.params().at("n_train").get<Index>();
  const Matrix x = answer.input("V").matrix().col(answer.params().at("feature").get<Index>());
  const Vector target = answer.input("Z").matrix().col(0);
  const SortedFeatures sorted(x.topRows(n));
  const Matrix test = x.bottomRows(x.rows() - n);
  const Vector truth = target.tail(test.rows());
  const Vector predicted = GradientBoosting::regression(sorted, target.head(n)).predict(test);
  answer.values("reg_pred_test", predicted.transpose(), "regression");
  answer.number(
      "reg_r2_test",
      1.0 - (truth - predicted).squaredNorm() / (truth.array() - truth.mean()).square().sum(),
      "regression");
  for (const auto& [input, name, classes] :
       {std::tuple{"y3", "cls3", Index{3}}, std::tuple{"yb", "bin", Index{2}}}) {
    const IndexVector labels = answer.input(input).indices();
    const IndexVector train(labels.begin(), labels.begin() + n),
        rest(labels.begin() + n, labels.end());
    const Matrix probability =
        GradientBoosting::classification(sorted, train, classes).probabilities(test);
    answer.values(std::string(name) + "_proba_test",
                  classes == 2 ? Matrix(probability.col(1).transpose()) : probability);
    answer.number(std::string(name) + "_acc_test", accuracy(probability, rest));
  }
}

void dci_boosting_case(Answer& answer) {
  const auto train = answer.params().at("n_train").get<Index>(),
             test = answer.params().at("n_test").get<Index>();
  const DciFit fit = dci_boosting({answer.input("Z_train").matrix().topRows(train),
                                   answer.input("G_train").matrix().topRows(train),
                                   answer.input("Z_test").matrix().topRows(test),
                                   answer.input("G_test").matrix().topRows(test)});
  Matrix mean(1, 4);
  mean << dci_disentanglement(fit.importance).value, dci_completeness(fit.importance).value,
      fit.informativeness_train, fit.informativeness;
  answer.values("mean", mean);
  // The tolerance has an entry for each mean; importances are held to the first.
  answer.seen("importance_mean");
  const Npy wanted = answer.array("importance_mean");
  for (Index i = 0; i < fit.importance.size(); ++i)
    answer.close("importance_mean[" + std::to_string(i) + "]", fit.importance.data()[i],
                 wanted.values.at(static_cast<std::size_t>(i)),
                 answer.tolerance().at("abs").at(0).get<double>(), 0.0);
  answer.excuse("std", "the spread of the reference over row orders");
}

void dci_forest_case(Answer& answer) {
  if (answer.params().at("max_features") != 1) throw std::runtime_error("other max_features");
  const Matrix codes = answer.input("Z").matrix(), factors = answer.input("G").matrix();
  const auto seeds = answer.params().at("seeds").get<std::uint64_t>();
  Matrix mean = Matrix::Zero(1, 4), importance = Matrix::Zero(codes.cols(), factors.cols());
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const DciFit fit =
        dci_forest({codes, factors}, {.trees = answer.params().at("trees").get<Index>(),
                                      .min_leaf = answer.params().at("min_leaf").get<Index>(),
                                      .seed = seed});
    Matrix one(1, 4);
    one << dci_disentanglement(fit.importance).value, dci_disentanglement(fit.importance).mean,
        dci_completeness(fit.importance).value, fit.informativeness;
    mean += one / static_cast<double>(seeds);
    importance += fit.importance / static_cast<double>(seeds);
  }
  answer.values("mean", mean);
  answer.seen("importance_mean");
  const Npy wanted = answer.array("importance_mean"), spread = answer.array("importance_std");
  for (Index i = 0; i < importance.size(); ++i) {
    // Five standard errors of the difference of an 8-seed and a 24-seed mean.
    const auto at = static_cast<std::size_t>(i);
    answer.close("importance_mean[" + std::to_string(i) + "]", importance.data()[i],
                 wanted.values.at(at), 5.0 * spread.values.at(at) * std::sqrt(1.0 / 8 + 1.0 / 24),
                 0.0);
  }
  answer.excuse("std", "the spread of the reference over seeds");
  answer.excuse("importance_std", "the spread of the reference over seeds");
  for (const char* name : {"oob_classifier_accuracy_mean", "oob_classifier_accuracy_std"})
    answer.excuse(name, "of a forest of classifiers, which neither paper nor metric uses");
}

void r4_fixed_case(Answer& answer) {
  const Matrix train = answer.input("train_idx").matrix(), test = answer.input("test_idx").matrix();
  std::vector<R4Split> splits;
  for (Index s = 0; s < train.rows(); ++s) {
    R4Split split;
    for (Index i = 0; i < train.cols(); ++i) split.train.push_back(static_cast<Index>(train(s, i)));
    for (Index i = 0; i < test.cols(); ++i) split.test.push_back(static_cast<Index>(test(s, i)));
    splits.push_back(std::move(split));
  }
  const R4 result = r4({answer.input("Z").matrix(), answer.input("V").matrix()}, splits);
  answer.values("forward", result.forward, "regression_typical");  // no code is categorical
  answer.values("backward", result.backward);
  answer.values("per_factor", result.by_factor.transpose());
  answer.number("r4", result.value);
}

void r4_case(Answer& answer) {
  const Matrix factors = answer.input("V").matrix(), codes = answer.input("Z").matrix();
  const auto runs = answer.params().at("runs").get<std::uint64_t>();
  if (answer.params().at("test_size") != 0.25) throw std::runtime_error("another test_size");
  Vector mean = Vector::Zero(factors.cols());
  for (std::uint64_t run = 0; run < runs; ++run)
    mean += r4({codes, factors},
               r4_splits(factors.rows(), run, answer.params().at("iters").get<Index>()))
                .by_factor /
            static_cast<double>(runs);
  answer.values("per_factor_mean", mean.transpose());
  answer.excuse("per_factor_std", "the spread of the reference over runs");
  answer.excuse("mean", "follows from per_factor_mean");
  answer.excuse("runs", "single runs of the reference, on its own splits");
}

void table1_case(Answer& answer) {
  const Matrix concepts = answer.input("c").matrix(), codes = answer.input("Z").matrix();
  answer.number("MIG_ross20", mig_ross({codes, concepts}).value, "MIG");
  const Index train = codes.rows() / 5, test = codes.rows() - train;
  const Sap sap = sap_discrete({codes.topRows(train), concepts.topRows(train),
                                codes.bottomRows(test), concepts.bottomRows(test)});
  answer.number("SAP_as_coded", sap.value, "SAP");
  answer.values("SAP_matrix", sap.scores, "SAP");
  answer.number("SAP_train_on_all_test_on_all",
                sap_discrete({codes, concepts, codes, concepts}).value, "SAP");
  for (const char* dci : {"DCI_VZ_mean", "DCI_VZ_std"})
    answer.excuse(dci,
                  "of random splits that are not in the folder: dci_exchanged of `settings` is");
  answer.number("R4_mean", r4({codes, concepts}, r4_splits(codes.rows(), 1)).value, "R4");
  answer.excuse("five_datasets_measured", "means over datasets that are not in the folder");
  answer.excuse("paper_table1", "published numbers, for orientation");
}

}  // namespace

void register_disentanglement_models(Kinds& kinds) {
  kinds.add("gradient_boosting", boosting_case);
  kinds.add("dci_gbc", dci_boosting_case);
  kinds.add("dci_rf", dci_forest_case);
  kinds.add("r4_fixed_splits", r4_fixed_case);
  kinds.add("r4", r4_case);
  kinds.add("table1", table1_case);
}

}  // namespace conoscope::tests::golden
