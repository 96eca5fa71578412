// SPDX-License-Identifier: Apache-2.0
// The kinds of the family `disentanglement` about interventional robustness.

#include <algorithm>
#include <stdexcept>

#include "conoscope/sdk/random.h"
#include "metrics/factors/equal_width_bins.h"
#include "metrics/robustness/interventional_effects.h"
#include "metrics/robustness/irs.h"
#include "metrics/robustness/irs_matrix.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

constexpr double kUndefined = -999.0;
constexpr double kTie = 1e-6;

Matrix columns(const Matrix& from, const IndexVector& which) {
  Matrix out(from.rows(), static_cast<Index>(which.size()));
  for (std::size_t j = 0; j < which.size(); ++j)
    out.col(static_cast<Index>(j)) = from.col(which[j]);
  return out;
}

Matrix as_matrix(const IndexVector& values) {
  Matrix out(1, static_cast<Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    out(0, static_cast<Index>(i)) = static_cast<double>(values[i]);
  return out;
}

/// Ties are decided by rounding: those parents are taken as they are expected.
IndexVector parents_but_ties(const IrsMatrix& result, const Npy& expected) {
  IndexVector parents = result.parent;
  for (std::size_t l = 0; l < parents.size(); ++l) {
    if (parents[l] < 0) continue;
    const auto row = result.irs.row(static_cast<Index>(l));
    const auto wanted = static_cast<Index>(expected.values.at(l));
    if (wanted >= 0 && row[parents[l]] - row[wanted] <= kTie) parents[l] = wanted;
  }
  return parents;
}

void compare(Answer& answer, const std::string& prefix, const IrsMatrix& result) {
  Matrix irs = result.irs, d = result.disentanglement.transpose();
  for (Index l = 0; l < irs.rows(); ++l)
    if (!result.defined(l)) {
      irs.row(l).setConstant(kUndefined);
      d(0, l) = kUndefined;
    }
  answer.values(prefix + "IRS_matrix", irs);
  if (answer.expects(prefix + "EMPIDA_matrix"))
    answer.values(prefix + "EMPIDA_matrix", result.empida);
  if (answer.expects(prefix + "normaliser"))
    answer.values(prefix + "normaliser", result.normaliser.transpose());
  if (answer.expects(prefix + "max_deviations"))
    answer.values(prefix + "max_deviations", result.normaliser.transpose());
  answer.values(prefix + "D", d);
  if (answer.expects(prefix + "parents"))
    answer.values(prefix + "parents",
                  as_matrix(parents_but_ties(result, answer.array(prefix + "parents"))));
  answer.number(prefix + "avg", result.score);
}

void irs_case(Answer& answer) {
  const Matrix codes = answer.input("Z").matrix();
  Matrix factors = answer.input("G").matrix();
  if (answer.params().contains("bins")) {
    const Json& bins = answer.params().at("bins");
    for (Index k = 0; k < factors.cols(); ++k) {
      const Json& count = bins.at(static_cast<std::size_t>(k));
      if (!count.is_null())
        factors.col(k) =
            equal_width_bins(Matrix(factors.col(k)), count.get<Index>()).cast<double>();
    }
    answer.values("discretised", factors);
    answer.number("n_observed_cells", static_cast<double>(factor_cells(codes, factors).cells()));
    double possible = 1.0;
    for (const auto& values : factor_levels("golden", factors).values)
      possible *= static_cast<double>(values.size());
    answer.number("n_possible_cells", possible);
  }
  const IrsMatrix result = irs_matrix(codes, factors);
  // The way over the cells must say the same as the one pass over a grid.
  const IrsMatrix slow = irs_matrix(factor_cells(codes, factors));
  answer.close("one pass", (slow.empida - result.empida).cwiseAbs().maxCoeff(), 0.0, 1e-12, 0.0);
  if (answer.expects("active")) {
    answer.number("active", static_cast<double>(result.active));
    answer.number("avg", result.score);
    return;
  }
  const bool both = answer.expects("dlib_q100.avg");
  compare(answer, answer.expects("paper.avg") ? "paper." : "", result);
  if (answer.expects("null_code")) answer.excuse("null_code", "how undefined values are written");
  if (!both) return;
  compare(answer, "dlib_q100.", irs_quantile(codes, factors, {.quantile = 1.0, .bins = 0}));
  compare(answer, "dlib_q099.", irs_quantile(codes, factors, {.quantile = 0.99, .bins = 0}));
}

void mean_do_case(Answer& answer) {
  const Matrix codes = answer.input("Z").matrix(), factors = answer.input("G").matrix();
  const FactorCells cells = factor_cells(codes, factors);
  if (answer.expects("mean_do_literal")) {
    const IndexVector s = answer.params().at("S").get<IndexVector>();
    const InterventionalMeans own = mean_do(cells, s);
    answer.values("values", own.values);
    answer.values("mean_do_self_normalised", own.mean);
    answer.values("mean_do_literal", mean_do(cells, s, InterventionWeights::kLiteral).mean);
    answer.values("coverage", own.coverage.transpose());
    answer.number("n_observed_cells", static_cast<double>(cells.cells()));
    double possible = 1.0;
    for (const auto& values : cells.values) possible *= static_cast<double>(values.size());
    answer.number("n_possible_cells", possible);
    for (const IndexVector& set : {IndexVector{0, 1}, IndexVector{0, 1, 2}}) {
      std::string name = "unseen_S";
      double all = 1.0;
      for (const Index k : set) {
        name += std::to_string(k);
        all *= static_cast<double>(cells.values[static_cast<std::size_t>(k)].size());
      }
      const InterventionalMeans seen = mean_do(cells, set);
      answer.seen(name);
      answer.close(name, all - static_cast<double>(seen.mean.rows()),
                   static_cast<double>(answer.expected().at(name).size()), 0.0, 0.0);
      for (const Json& unseen : answer.expected().at(name)) {
        const auto values = unseen.get<std::vector<double>>();
        for (Index g = 0; g < seen.values.rows(); ++g)
          if (std::ranges::equal(values, seen.values.row(g)))
            answer.fail(name + ": an unseen combination has a mean");
      }
    }
    return;
  }
  for (const Json& set : answer.params().at("S")) {
    const IndexVector s = set.get<IndexVector>();
    std::string name = "S";
    for (const Index k : s) name += std::to_string(k);
    if (s.empty()) name += "empty";
    for (const InterventionWeights weights :
         {InterventionWeights::kSelfNormalised, InterventionWeights::kLiteral}) {
      const InterventionalMeans result = mean_do(cells, s, weights);
      answer.values(name + ".values", result.values);
      answer.values(name + ".mean_do", result.mean);
      answer.values(name + ".coverage", result.coverage.transpose());
    }
    if (answer.expects(name + ".naive_conditional_mean"))
      answer.excuse(name + ".naive_conditional_mean", "the wrong answer, shown for contrast");
  }
}

void weights_case(Answer& answer) {
  const Matrix factors =
      answer.input("G").matrix().topRows(answer.params().at("rows").get<Index>());
  // A code that is 1 for one sample alone has that sample's weight for a mean.
  const FactorCells cells = factor_cells(Matrix::Identity(factors.rows(), factors.rows()), factors);
  const InterventionalMeans means =
      mean_do(cells, answer.params().at("S").get<IndexVector>(), InterventionWeights::kLiteral);
  answer.values("w", means.mean.colwise().sum());
}

IrsOptions options_of(const Json& one) {
  IrsOptions options;
  if (one.at("weights") == "literal_eq7")
    options.weights = InterventionWeights::kLiteral;
  else if (one.at("weights") != "self_normalised")
    throw std::runtime_error("other weights");
  if (one.at("outer_average") == "uniform")
    options.average = OuterAverage::kUniform;
  else if (one.at("outer_average") != "empirical")
    throw std::runtime_error("another average");
  const std::string distance = one.at("distance");
  options.distance = distance == "l2"     ? CodeDistance::kL2
                     : distance == "l1"   ? CodeDistance::kL1
                     : distance == "linf" ? CodeDistance::kLinf
                                          : throw std::runtime_error("another distance");
  return options;
}

void groups_case(Answer& answer) {
  const FactorCells cells = factor_cells(answer.input("Z").matrix(), answer.input("G").matrix());
  const double abs = answer.tolerance().at("abs"), rel = answer.tolerance().at("rel");
  answer.seen("results");
  for (const Json& one : answer.expected().at("results")) {
    const Irs result = irs(cells, one.at("L").get<IndexVector>(), one.at("I").get<IndexVector>(),
                           one.at("J").get<IndexVector>(), options_of(one));
    const std::string what = one.dump();
    // With literal weights the constant latent's shrunken mean still moves; there is no score.
    answer.close("EMPIDA of " + what, result.empida, one.at("EMPIDA"), abs, rel);
    answer.close("normaliser of " + what, result.normaliser, one.at("normaliser"), abs, rel);
    if (one.at("IRS").is_null() != !result.value.has_value())
      answer.fail("IRS is defined or not of " + what);
    else if (result.value)
      answer.close("IRS of " + what, *result.value, one.at("IRS"), abs, rel);
    for (const auto& [key, value] : one.items())
      if (key.find("coverage") != key.npos)
        answer.close(key + " of " + what, result.coverage, value, abs, rel);
  }
}

void simulation_case(Answer& answer) {
  const Matrix p_c = answer.input("pC").matrix();
  const Npy f = answer.input("F");
  std::vector<Matrix> p_g;
  for (int k = 0; k < 4; ++k) p_g.push_back(answer.input("pG" + std::to_string(k)).matrix());
  const auto n = answer.params().at("n").get<Index>();
  const double sigma = answer.params().at("sigma");
  const auto latents = static_cast<Index>(f.shape.at(4));
  sdk::Random random{sdk::Seed(7)};
  const auto draw = [&random](const auto& probabilities) {
    double u = random.uniform();
    for (Index v = 0; v + 1 < probabilities.size(); ++v) {
      u -= probabilities[v];
      if (u < 0.0) return v;
    }
    return static_cast<Index>(probabilities.size() - 1);
  };
  Matrix codes(n, latents), factors(n, 4);
  for (Index i = 0; i < n; ++i) {
    const Index c = draw(p_c.reshaped());
    std::size_t at = 0;
    for (Index k = 0; k < 4; ++k) {
      const Index g = draw(p_g[static_cast<std::size_t>(k)].row(c));
      factors(i, k) = static_cast<double>(g);
      at = at * static_cast<std::size_t>(f.shape[static_cast<std::size_t>(k)]) +
           static_cast<std::size_t>(g);
    }
    for (Index l = 0; l < latents; ++l)
      codes(i, l) = f.values[at * static_cast<std::size_t>(latents) + static_cast<std::size_t>(l)] +
                    sigma * random.normal();
  }
  const FactorCells cells = factor_cells(codes, factors);
  const double abs = answer.tolerance().at("abs_n1e6");
  answer.seen("exact");
  for (const Json& one : answer.expected().at("exact")) {
    const Irs result = irs(cells, one.at("L").get<IndexVector>(), one.at("I").get<IndexVector>(),
                           one.at("J").get<IndexVector>());
    answer.close("IRS of " + one.dump(), result.value.value(), one.at("IRS"), abs, 0.0);
  }
  answer.values("exact_mean_do_S0", mean_do(cells, {0}).mean, "mean_do_n1e6");
  answer.values("exact_mean_do_S13", mean_do(cells, {1, 3}).mean, "mean_do_n1e6");
}

void quantile_case(Answer& answer) {
  const Matrix codes = answer.input("Z").matrix(), factors = answer.input("G").matrix();
  const auto bins = answer.params().at("num_bins").get<Index>();
  // The reference counts bins from 1.
  answer.values("discretised_factors",
                (equal_width_bins(factors, bins).array() + 1).cast<double>().matrix());
  const auto active_rows = [](const IrsMatrix& result) {
    IrsMatrix out = result;
    Index row = 0;
    for (Index l = 0; l < result.irs.rows(); ++l)
      if (result.defined(l)) {
        out.irs.row(row) = result.irs.row(l);
        out.disentanglement[row++] = result.disentanglement[l];
      }
    out.irs.conservativeResize(row, Eigen::NoChange);
    out.disentanglement.conservativeResize(row);
    return out;
  };
  for (const auto& [name, q] : {std::pair{"q099.", 0.99}, {"q100.", 1.0}, {"q090.", 0.9}}) {
    const IrsMatrix all = irs_quantile(codes, factors, {q, bins});
    Matrix active(1, codes.cols());
    for (Index l = 0; l < codes.cols(); ++l) active(0, l) = all.defined(l) ? 1.0 : 0.0;
    answer.values("active", active);
    const IrsMatrix kept = active_rows(all);
    answer.values(std::string(name) + "IRS_matrix", kept.irs);
    answer.values(std::string(name) + "D", kept.disentanglement.transpose());
    answer.number(std::string(name) + "avg", kept.score);
  }
  answer.values("undiscretised_factors_2_3_only.q100.IRS_matrix",
                active_rows(irs_quantile(codes, columns(factors, {2, 3}), {1.0, 0})).irs);
}

void effects_case(Answer& answer) {
  const Matrix codes = answer.input("Z").matrix(), factors = answer.input("G").matrix();
  const IrsMatrix paper = irs_matrix(codes, factors);
  const IrsMatrix library = irs_quantile(codes, factors, {.quantile = 0.99, .bins = 0});
  answer.values("parents_paper", as_matrix(parents_but_ties(paper, answer.array("parents_paper"))));
  answer.values("parents_dlib_q099",
                as_matrix(parents_but_ties(library, answer.array("parents_dlib_q099"))));
  const auto coded = [](const Matrix& values) {
    return Matrix(values.array().isNaN().select(kUndefined, values.array()));
  };
  for (const LatentEffects& effects : interventional_effects(codes, factors, paper.parent)) {
    const std::string latent = "l" + std::to_string(effects.latent) + ".";
    Matrix curve(effects.curve.mean.size(), 4);
    curve << effects.curve.mean, effects.curve.median, effects.curve.standard_deviation,
        effects.curve.samples;
    answer.values(latent + "parent_curve_mean_median_std_n", curve);
    for (const EffectLines& lines : effects.lines) {
      const std::string name = latent + "j" + std::to_string(lines.factor) + ".";
      answer.values(name + "conditional_mean", coded(lines.conditional_mean));
      answer.values(name + "count", lines.samples);
      // On the crossed grid the three coincide, and the file holds them once.
      const bool crossed = !answer.expects(name + "do_both");
      answer.values(name + (crossed ? "conditional_mean" : "do_both"), coded(lines.do_both));
      answer.values(name + (crossed ? "conditional_mean" : "given_i_do_j"),
                    coded(lines.given_parent));
    }
  }
}

void violin_case(Answer& answer) {
  if (answer.params().at("bw") != "scott") throw std::runtime_error("another bandwidth");
  const Matrix codes = answer.input("Z").matrix(), factors = answer.input("G").matrix();
  for (const auto& [name, json] : answer.expected().items()) {
    int l = 0, j = 0, v = 0;
    if (std::sscanf(name.c_str(), "l%d.j%d.v%d", &l, &j, &v) != 3) continue;
    const auto all = violins(codes.col(l), factors.col(j), answer.params().at("points"));
    const auto found = std::find_if(all.begin(), all.end(),
                                    [v](const Violin& violin) { return violin.value == v; });
    if (found == all.end()) {
      answer.fail(name + ": no such value");
      continue;
    }
    Matrix both(found->position.size(), 2);
    both << found->position, found->density;
    answer.values(name, both);
  }
}

}  // namespace

void register_robustness(Kinds& kinds) {
  kinds.add("irs", irs_case);
  kinds.add("irs_mean_do", mean_do_case);
  kinds.add("irs_weights", weights_case);
  kinds.add("irs_groups", groups_case);
  kinds.add("irs_simulation", simulation_case);
  kinds.add("irs_dlib", quantile_case);
  kinds.add("interventional_effects", effects_case);
  kinds.add("violin", violin_case);
}

}  // namespace conoscope::tests::golden
