// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `truth`: how small a difference a metric can tell.

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

#include "numerics/statistics/correlation.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/to_vector.h"
#include "results/analysis/reliable_difference.h"
#include "results/analysis/seed_agreement.h"
#include "results/analysis/snapshots.h"
#include "results/analysis/variance_shares.h"
#include "results/formats/numbers.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using metrics::Index;
using metrics::Matrix;
using metrics::Vector;
using results::Noise;
using results::Scores;

constexpr double kMissing = -999.0;

Vector vector_of(const Case& one, const char* input) { return one.input(input).vector(); }
Matrix matrix_of(const Case& one, const char* input) { return one.input(input).matrix(); }
std::vector<double> list_of(const Vector& values) { return {values.begin(), values.end()}; }

/// Each row's numbers that are there.
std::vector<std::vector<double>> rows_of(const Matrix& scores) {
  std::vector<std::vector<double>> out;
  for (Index r = 0; r < scores.rows(); ++r) {
    out.emplace_back();
    for (const double value : scores.row(r))
      if (value != kMissing) out.back().push_back(value);
  }
  return out;
}

std::vector<Scores> things_of(const std::vector<std::vector<double>>& rows) {
  std::vector<Scores> out;
  for (const auto& row : rows)
    if (!row.empty()) out.push_back(results::scores_of(row));
  return out;
}

std::vector<double> means_of(const std::vector<Scores>& things) {
  std::vector<double> out;
  for (const Scores& one : things) out.push_back(one.mean);
  return out;
}

double rho_of(const std::vector<double>& a, const std::vector<double>& b) {
  return numerics::spearman(numerics::to_vector(a), numerics::to_vector(b)).r;
}

Outputs spearman_case(const Case& one) {
  Outputs out;
  const Vector a = vector_of(one, "a"), b = vector_of(one, "b");
  try {
    out.scalars = {{"rho", numerics::spearman(a, b).r}};
  } catch (const std::domain_error&) {
    out.scalars = {{"rho", nullptr}};
  }
  return out;
}

Outputs cv_case(const Case& one) {
  const Scores scores = results::scores_of(list_of(vector_of(one, "values")));
  return {{{"cv", results::coefficient_of_variation(scores)},
           {"sd", scores.sd},
           {"mrd", results::reliable_difference(results::pooled_noise({{scores}}), 1)}},
          {},
          {}};
}

/// In probability, where the case's tolerance holds: the reference's inverse of Student's t is not as exact as
/// the closed form for 4 degrees of freedom (t = 2.13184678632665 at 0.95), from which it is off by 2e-9.
void mrd_single_case(Answer& answer) {
  const Vector n = vector_of(answer, "n"), level = vector_of(answer, "level");
  const Vector expected = answer.array("mrd").vector();
  const double sd = answer.params().at("s"), abs = answer.tolerance().at("abs");
  answer.seen("mrd");
  for (Index i = 0; i < n.size(); ++i) {
    const auto dof = static_cast<std::int64_t>(n(i)) - 1;
    const double found = results::reliable_difference({.sd = sd, .dof = dof}, 1, level(i));
    const auto tail = [&](double mrd) {
      return numerics::student_two_sided_p(mrd / (sd * std::numbers::sqrt2), static_cast<double>(dof));
    };
    answer.close("mrd", tail(found), 1.0 - level(i), 1e-12, 0.0);
    answer.close("mrd", tail(expected(i)), 1.0 - level(i), abs, 0.0);
  }
}

Outputs mrd_means_case(const Case& one) {
  const Vector dof = vector_of(one, "df"), seeds = vector_of(one, "seeds");
  const double level = one.params().at("level"), power = one.params().at("power");
  Vector mrd(dof.size()), mde(dof.size());
  for (Index i = 0; i < dof.size(); ++i) {
    const Noise noise{.sd = one.params().at("s"), .dof = static_cast<std::int64_t>(dof(i))};
    const auto count = static_cast<std::int64_t>(seeds(i));
    mrd(i) = results::reliable_difference(noise, count, level);
    mde(i) = results::detectable_difference(noise, count, level, power);
  }
  return {{}, {{"mrd", flat(mrd)}, {"mde", flat(mde)}}, {}};
}

Outputs mrd_published_case(const Case& one) {
  const Vector seeds = vector_of(one, "seeds");
  Vector mrd(seeds.size());
  for (Index i = 0; i < seeds.size(); ++i) {
    try {
      mrd(i) = results::published_reliable_difference(
          one.params().at("s"), static_cast<std::int64_t>(seeds(i)), one.params().at("level"));
    } catch (const std::invalid_argument&) {
      mrd(i) = kMissing;
    }
  }
  return {{}, {{"mrd", flat(mrd)}}, {}};
}

Outputs resolution_case(const Case& one) {
  const double level = one.params().at("level"), power = one.params().at("power");
  const Matrix scores = matrix_of(one, "scores"), truth = matrix_of(one, "truth");
  const auto things = things_of(rows_of(scores));
  const auto means = means_of(things);
  const Noise noise = results::pooled_noise(things);
  const double mrd = results::reliable_difference(noise, scores.cols(), level);
  std::vector<double> variations;
  for (const Scores& thing : things) variations.push_back(results::coefficient_of_variation(thing));
  const auto [lowest, highest] = std::ranges::minmax(means);
  return {{{"pooled_sd", noise.sd},
           {"df", noise.dof},
           {"sd_upper", results::noise_upper_bound(noise)},
           {"mrd_1", results::reliable_difference(noise, 1, level)},
           {"mrd_S", mrd},
           {"mde_S", results::detectable_difference(noise, scores.cols(), level, power)},
           {"rho_truth_means", rho_of(means, means_of(things_of(rows_of(truth))))},
           {"rho_truth_cells", rho_of(flat(scores), flat(truth))},
           {"range_over_mrd", (highest - lowest) / mrd},
           {"pairs_told_apart", results::told_apart(means, mrd)},
           {"cv_mean", numerics::mean(variations)}},
          {},
          {}};
}

Outputs pooled_sd_case(const Case& one) {
  const Noise noise = results::pooled_noise(things_of(rows_of(matrix_of(one, "scores"))));
  return {
      {{"sd", noise.sd}, {"df", noise.dof}, {"upper", results::noise_upper_bound(noise)}}, {}, {}};
}

Outputs paired_case(const Case& one) {
  const Vector differences = vector_of(one, "b") - vector_of(one, "a");
  const auto list = list_of(differences);
  return {{{"difference", numerics::mean(list)},
           {"mrd", results::paired_reliable_difference(list, one.params().at("level"))}},
          {},
          {}};
}

Outputs components_case(const Case& one) {
  const auto found = results::one_way_components(things_of(rows_of(matrix_of(one, "scores"))));
  return {{{"ms_within", found.ms_within},
           {"ms_between", found.ms_between},
           {"var_seed", found.var_within},
           {"var_level", found.var_between},
           {"icc", found.share_between}},
          {},
          {}};
}

Outputs store_case(const Case& one) {
  const Vector entry = vector_of(one, "entry"), value = vector_of(one, "value"),
               truth = vector_of(one, "truth");
  const double level = one.params().at("level");
  const std::int64_t asked = one.params().at("asked");
  const int digits = one.params().at("digits");
  std::map<double, std::vector<double>> values, truths;
  for (Index i = 0; i < entry.size(); ++i) {
    std::vector<double>& own = values[entry(i)];
    if (value(i) != kMissing) own.push_back(value(i));
    if (truth(i) != kMissing) truths[entry(i)].push_back(truth(i));
  }
  std::vector<Scores> things;
  std::vector<double> complete, means, of_truth;
  for (const auto& [id, numbers] : values) {
    if (numbers.empty()) continue;
    things.push_back(results::scores_of(numbers));
    if (things.back().n != asked) continue;
    complete.push_back(id);
    means.push_back(things.back().mean);
    of_truth.push_back(numerics::mean(truths.at(id)));
  }
  const Noise noise = results::pooled_noise(things);
  const double mrd = results::reliable_difference(noise, asked, level);
  const double single = results::reliable_difference(noise, 1, level);
  return {{{"pooled_sd", noise.sd},
           {"df", noise.dof},
           {"sd_largest_over_pooled", noise.largest_over},
           {"sd_upper", results::noise_upper_bound(noise)},
           {"mrd_1", single},
           {"mrd_asked", mrd},
           {"printed_1", results::rounded_up(single, digits)},
           {"printed_asked", results::rounded_up(mrd, digits)},
           {"rho_truth", rho_of(means, of_truth)},
           {"pairs_told_apart", results::told_apart(means, mrd)},
           {"neighbours_told_apart", results::neighbours_apart(means, mrd)},
           {"complete_levels", complete.size()}},
          {{"complete", complete}, {"means", means}},
          {}};
}

Outputs ratio_outputs(const results::SignalToNoise& found) {
  return {{{"snr", found.ratio}, {"signal", found.signal}, {"noise", found.noise}}, {}, {}};
}

Outputs snr_case(const Case& one) {
  return ratio_outputs(
      results::snapshot_signal_to_noise(matrix_of(one, "scores"), vector_of(one, "times")));
}

/// Another ratio of this name (Heineman et al., arXiv 2508.13144), which nothing here uses: the relative range of
/// variants over the relative spread of the last snapshots of one.
Outputs snr_dispersion_case(const Case& one) {
  const Vector final = vector_of(one, "final"), last = vector_of(one, "last");
  const double signal = (final.maxCoeff() - final.minCoeff()) / final.mean();
  const double spread = std::sqrt((last.array() - last.mean()).square().mean());
  const double noise = spread / last.mean();
  return ratio_outputs({signal / noise, signal, noise});
}

/// Variants x seeds x snapshots.
Outputs variance_shares_case(const Case& one) {
  const Npy input = one.input("scores");
  const Index variants = input.shape.at(0), seeds = input.shape.at(1),
              snapshots = input.shape.at(2);
  std::vector<Matrix> scores;
  for (Index v = 0; v < variants; ++v)
    scores.emplace_back(
        Eigen::Map<const Matrix>(input.values.data() + v * seeds * snapshots, seeds, snapshots));
  const auto found = results::variance_shares(scores);
  return {{{"variant", found.variant}, {"seed", found.seed}, {"snapshot", found.snapshot}}, {}, {}};
}

Outputs winners_case(const Case& one) {
  const auto found = results::seed_agreement(matrix_of(one, "scores"));
  return {{{"winners", found.winners},
           {"rank_agreement", found.rho ? Json(*found.rho) : Json(nullptr)}},
          {},
          {}};
}

Outputs slope_case(const Case& one) {
  return {{{"slope", results::training_slope(vector_of(one, "times"), vector_of(one, "scores"))}},
          {},
          {}};
}

Outputs decision_accuracy_case(const Case& one) {
  return {{{"accuracy",
            results::decision_accuracy(vector_of(one, "single"), vector_of(one, "target"))}},
          {},
          {}};
}

}  // namespace

void register_truth_audit(Kinds& kinds) {
  kinds.add("spearman", spearman_case);
  kinds.add("audit_cv", cv_case);
  kinds.add("audit_mrd_single", mrd_single_case);
  kinds.add("audit_mrd_means", mrd_means_case);
  kinds.add("audit_mrd_published", mrd_published_case);
  kinds.add("audit_resolution", resolution_case);
  kinds.add("audit_pooled_sd", pooled_sd_case);
  kinds.add("audit_paired", paired_case);
  kinds.add("audit_components", components_case);
  kinds.add("audit_store", store_case);
  kinds.add("audit_snr", snr_case);
  kinds.add("audit_snr_dispersion", snr_dispersion_case);
  kinds.add("audit_variance_shares", variance_shares_case);
  kinds.add("audit_winners", winners_case);
  kinds.add("audit_slope", slope_case);
  kinds.add("audit_decision_accuracy", decision_accuracy_case);
}

}  // namespace conoscope::tests::golden
