// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `settings` that are measures of leakage, calibration and interventions.

#include <algorithm>
#include <cmath>

#include "conoscope/sdk/dataset.h"
#include "metrics/faithfulness/surrogates/constant_surrogate.h"
#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_given.h"
#include "metrics/leakage/calibration.h"
#include "metrics/leakage/intervention.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/permutation_test.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

Outputs conditional_mi_null_case(const Case& one) {
  const IndexVector predicted = one.input("predicted").indices(),
                    truth = one.input("truth").indices(), labels = one.input("labels").indices();
  const Matrix permutations = one.input("permutations").matrix();
  const double value = mi_discrete_given(predicted, labels, truth).value;
  std::vector<double> null;
  for (const auto permutation : permutations.rowwise()) {
    IndexVector permuted;
    for (const double from : permutation) permuted.push_back(labels[static_cast<size_t>(from)]);
    null.push_back(mi_discrete_given(predicted, permuted, truth).value);
  }
  const numerics::PermutationTest test = numerics::permutation_test(value, null);
  Outputs out;
  out.scalars = {{"value", value},
                 {"share", value / entropy_discrete(labels)},
                 {"null_mean", test.null_mean},
                 {"excess", test.excess},
                 {"reached", test.reached},
                 {"p", test.p}};
  return out;
}

Outputs calibration_case(const Case& one) {
  Matrix p = one.input("probabilities").matrix();
  const IndexVector labels = one.input("labels").indices();
  if (p.rows() == 1) p.transposeInPlace();  // of presence, in a list
  Vector confidence(p.rows()), right(p.rows());
  const bool of_classes = p.cols() > 1;
  for (Index i = 0; i < p.rows(); ++i) {
    const Index label = labels[static_cast<size_t>(i)];
    Index chosen = 0;
    confidence(i) = p.row(i).maxCoeff(&chosen);
    right(i) = of_classes ? chosen == label : label == 1;
  }
  const Calibration found = calibration(confidence, right, one.params().at("bins"));
  Outputs out;
  out.scalars = {{"ece", found.ece},
                 {"rms", found.rms},
                 {"max", found.max},
                 {"brier", of_classes ? brier(p, labels) : brier(Vector(p.col(0)), right)}};
  out.arrays["bin_counts"] = flat(found.counts);
  return out;
}

Outputs calibration_concepts_case(const Case& one) {
  const Matrix p = one.input("probabilities").matrix(), present = one.input("concepts").matrix();
  std::vector<double> each, of_brier;
  for (Index j = 0; j < p.cols(); ++j) {
    each.push_back(calibration(p.col(j), present.col(j), one.params().at("bins")).ece);
    of_brier.push_back(brier(Vector(p.col(j)), Vector(present.col(j))));
  }
  Outputs out;
  out.arrays["each"] = each;
  out.scalars = {{"mean", numerics::mean(each)}, {"brier", numerics::mean(of_brier)}};
  out.not_compared = {{"pooled", "concepts are not pooled here"},
                      {"log_score", "the cross entropy of concepts is no metric here"}};
  return out;
}

Outputs uncertainty_case(const Case& one) {
  Outputs out;
  out.arrays["order"] = flat(
      uncertainty_order(one.input("probabilities").matrix(),
                        one.has_input("groups") ? one.input("groups").indices() : IndexVector()));
  return out;
}

Outputs group_curve_case(const Case& one) {
  const Matrix weight = one.input("W").matrix();
  const Vector bias = one.input("b").vector();
  InterventionProblem problem;
  problem.scores = one.input("probabilities").matrix();
  problem.truth = one.input("concepts").matrix();
  problem.labels = one.input("labels").indices();
  problem.groups = one.input("groups").indices();
  problem.active = Vector::Ones(problem.concepts());
  problem.inactive = Vector::Zero(problem.concepts());
  std::vector<Matrix> told;
  problem.head = [&](const MatrixRef& scores, const MatrixRef& mask) {
    told.push_back(mask);
    Matrix out = scores * weight.transpose();
    out.rowwise() += bias.transpose();
    return out;
  };
  Outputs out;
  out.arrays["accuracy"] =
      intervention_curve(problem, one.input("order").matrix().cast<Index>()).accuracy;
  out.arrays["told_mask_after_2"] = flat(told.at(2));
  return out;
}

Outputs competence_case(const Case& one) {
  const Matrix truth = one.input("concepts").matrix();
  const Matrix told =
      expert_answers(truth, one.input("competence").vector(), one.input("draws").matrix());
  Outputs out;
  out.arrays["told"] = flat(told);
  const Vector right = (told.array() == truth.array()).cast<double>().colwise().mean();
  out.arrays["right_share"] = flat(right);
  return out;
}

Outputs constant_surrogate_case(const Case& one) {
  const ConstantSurrogate found = constant_surrogate(one.input("logits").matrix());
  Outputs out;
  out.scalars = {{"top1", found.top1},
                 {"emd_one_hot", found.emd_one_hot},
                 {"emd_mean", found.emd_mean},
                 {"mae_median", found.mae}};
  return out;
}

Outputs age_strata_case(const Case& one) {
  const auto width = one.params().at("width").get<Index>();
  const auto share = one.params().at("test_share").get<double>();
  IndexVector bins;
  for (const Index age : one.input("ages").indices()) bins.push_back(age / width);
  const sdk::Split split = sdk::stratified_split(bins, share, sdk::Seed(1));
  const auto count_of = [&](Index bin) {
    return static_cast<double>(std::ranges::count(bins, bin));
  };
  Outputs out;
  out.arrays["bins"] = flat(bins);
  for (Index bin = 0; bin <= *std::ranges::max_element(bins); ++bin) {
    out.arrays["counts"].push_back(count_of(bin));
    out.arrays["quota"].push_back(share * count_of(bin));
    const auto taken = static_cast<double>(std::ranges::count_if(
        split.test, [&](Index row) { return bins[static_cast<size_t>(row)] == bin; }));
    if (std::abs(taken - share * count_of(bin)) >= 1.0)
      throw std::runtime_error("bin " + std::to_string(bin) + " gives " + std::to_string(taken));
  }
  out.scalars["test_total"] = split.test.size();
  return out;
}

}  // namespace

void register_settings_metrics(Kinds& kinds) {
  kinds.add("conditional_mi_null", conditional_mi_null_case);
  kinds.add("calibration", calibration_case);
  kinds.add("calibration_concepts", calibration_concepts_case);
  kinds.add("constant_surrogate_floor", constant_surrogate_case);
  kinds.add("age_strata", age_strata_case);
  kinds.add("policy_uncertainty", uncertainty_case);
  kinds.add("intervention_competence", competence_case);
  kinds.add("intervention_curve_groups", group_curve_case);
}

}  // namespace conoscope::tests::golden
