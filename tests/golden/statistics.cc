// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `leakage` that are statistics: tests, intervals, pooled correlations.

#include <cmath>

#include "metrics/leakage/leakage_criterion.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/rubin_pooling.h"
#include "numerics/statistics/sample_checks.h"
#include "numerics/statistics/t_test.h"
#include "results/boards/estimate.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

Outputs welch_case(const Case& one) {
  const TTest test = welch_t_test(one.input("a").vector(), one.input("b").vector());
  Outputs out;
  out.arrays = {{"t", {test.t}}, {"dof", {test.dof}}, {"p", {test.p}}};
  return out;
}

Outputs standard_error_case(const Case& one) {
  const Vector a = one.input("a").vector();
  const double sd = sample_sd(as_span(a));
  const auto n = static_cast<double>(a.size());
  Outputs out;
  out.arrays = {{"mean", {mean(as_span(a))}},
                {"se", {standard_error(as_span(a))}},
                {"half_width_normal_1_96", {1.96 * standard_error(as_span(a))}},
                {"half_width_student", {results::t_half_width(a.size(), sd)}},
                {"sd_population", {sd * std::sqrt((n - 1.0) / n)}}};
  return out;
}

Outputs criterion_case(const Case& one) {
  const LeakageCriterion result = leakage_criterion(
      one.input("A_CTL").vector(), one.input("A_ICL").vector(), one.input("B_CTL").vector(),
      one.input("B_ICL").vector(), one.params().at("alpha"));
  double code = 0.0;
  switch (result.verdict) {
    case LeakageVerdict::kCompatible:
      break;
    case LeakageVerdict::kMoreInA:
      code = 1.0;
      break;
    case LeakageVerdict::kMoreInB:
      code = -1.0;
      break;
    case LeakageVerdict::kNotApplicable:
      code = 2.0;
      break;
  }
  Outputs out;
  out.arrays = {{"verdict", {code}}, {"p_CTL", {result.ctl.p}}, {"p_ICL", {result.icl.p}}};
  return out;
}

Outputs rubin_case(const Case& one) {
  const PooledCorrelation pooled =
      pooled_correlation(one.input("x_draws").matrix(), one.input("y_draws").matrix());
  if (pooled.z.draws != one.params().at("M")) throw std::runtime_error("another number of draws");
  Outputs out;
  out.arrays = {{"z_bar", {pooled.z.mean}},    {"r_bar", {pooled.r_mean}},
                {"U", {pooled.z.within}},      {"B", {pooled.z.between}},
                {"T", {pooled.z.total}},       {"t_stat", {pooled.z.t}},
                {"dof", {pooled.z.dof_large}}, {"p_value", {pooled.z.p_large}}};
  return out;
}

Outputs rubin_from_errors_case(const Case& one) {
  MonteCarloOptions options;
  options.draws = one.params().at("M");
  options.seed = 1;
  const PooledCorrelation pooled =
      monte_carlo_correlation(one.input("x_mean").vector(), one.input("x_se").vector(),
                              one.input("y_mean").vector(), one.input("y_se").vector(), options);
  Outputs out;
  out.arrays = {{"z_bar", {pooled.z.mean}},
                {"r_bar", {pooled.r_mean}},
                {"t_stat", {pooled.z.t}},
                {"log10_p", {std::log10(pooled.z.p_large)}}};
  return out;
}

}  // namespace

void register_statistics(Kinds& kinds) {
  kinds.add("welch_t_test", welch_case);
  kinds.add("standard_error", standard_error_case);
  kinds.add("leakage_criterion", criterion_case);
  kinds.add("rubin_pearson", rubin_case);
  kinds.add("rubin_pearson_stochastic", rubin_from_errors_case);
}

}  // namespace conoscope::tests::golden
