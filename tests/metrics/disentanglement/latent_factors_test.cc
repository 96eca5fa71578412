// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "metrics/disentanglement/vae_scores.h"
#include "numerics/random.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

struct World {
  LatentView latent;
  Annotations annotations;
  std::map<std::string, Score> scores(const char* group = "disentanglement") const {
    Views views{.latent = &latent, .annotations = &annotations, .seed = 5};
    return score_group(views, group);
  }
};

/// The first `noisy` of three codes are noise, the others factors.
World world(Index noisy, Index n = 900) {
  Random random(11);
  World out{{Matrix(n, 3)}, {}};
  out.annotations.factors.resize(n, 4);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 3; ++k)
      out.annotations.factors(i, k) = static_cast<double>(random.below(4));
    out.annotations.factors(i, 3) = 1.0;
    for (Index l = 0; l < 3; ++l)
      out.latent.codes(i, l) = l < noisy
                                   ? random.uniform()
                                   : 2.0 * out.annotations.factors(i, l) + 0.2 * random.uniform();
  }
  return out;
}

TEST_CASE("disentanglement: perfect, half and fully random codes keep their order") {
  auto perfect = world(0).scores(), half = world(1).scores(), random = world(3).scores();
  for (const char* name :
       {"mig", "mig_ross", "sap_discrete", "sap_continuous", "sap_ross", "sap_20_80",
        "explicitness", "dci_informativeness", "r4", "factor_vae_score"}) {
    CAPTURE(std::string(name));
    CHECK(perfect[name].reason == "");
    CHECK(perfect[name].value > half[name].value);
    CHECK(half[name].value > random[name].value);
  }
  for (const char* name : {"modularity", "modularity_weighted", "dci_disentanglement",
                           "dci_completeness", "dci_exchanged"}) {
    CAPTURE(std::string(name));
    CHECK(perfect[name].value > 0.9);
    CHECK(perfect[name].value > random[name].value);
  }
  // Two of three factors in the codes give the third by elimination.
  CHECK(perfect["beta_vae_score"].value >= half["beta_vae_score"].value);
  CHECK(half["beta_vae_score"].value > random["beta_vae_score"].value + 0.3);
  REQUIRE(perfect["mig"].parts.size() == 4);  // a part's number is its factor's
  CHECK(std::isnan(perfect["mig"].parts[3]));
  CHECK(perfect["dci_disentanglement"].parts.size() == 3);  // codes
  CHECK(perfect["mig"].message == "1 factor left out: a single value");
  CHECK(perfect["factor_vae_score"].value > 0.99);
  for (const char* name :
       {"dci_forest_disentanglement", "dci_forest_completeness", "dci_forest_informativeness"}) {
    CAPTURE(std::string(name));
    CHECK(perfect[name].value > half[name].value);
    CHECK(half[name].value > random[name].value);
  }
  // 600 rows of a bootstrap sample do not fill two leaves of 500.
  const World world_of_900 = world(0);
  const Score leaves =
      world_of_900.scores("dci_forest_disentanglement(min_leaf=500)").begin()->second;
  CHECK(leaves.reason == "undefined");
  CHECK(leaves.message ==
        "no tree has a split, so no code has an importance: leaves hold at least 500 different "
        "rows, so it takes about 1581 rows, and there are 900");
}

TEST_CASE(
    "dci_forest: perfect codes beside five nearly dead ones are found, however few the rows") {
  Random random(12);
  constexpr Index kRows = 6000, kCodes = 5, kDead = 5;
  World all{{Matrix(kRows, kCodes + kDead)}, {}};
  all.annotations.factors.resize(kRows, kCodes);
  constexpr std::uint64_t kSizes[] = {3, 6, 40, 32, 32};  // dSprites'
  for (Index i = 0; i < kRows; ++i) {
    for (Index k = 0; k < kCodes; ++k)
      all.annotations.factors(i, k) = static_cast<double>(random.below(kSizes[k]));
    all.latent.codes.row(i).head(kCodes) = all.annotations.factors.row(i);
    for (Index l = kCodes; l < kCodes + kDead; ++l)
      all.latent.codes(i, l) = 1e-3 * random.uniform();
  }
  const auto score = [&](const char* name) { return all.scores(name).begin()->second.value; };
  // Table 1 of the paper has 0.74 to 0.82 for trained models.
  CHECK(score("dci_forest_informativeness") > 0.8);
  CHECK(score("dci_forest_informativeness(min_leaf=500)") < 0.5);
  CHECK(score("dci_forest_disentanglement") >
        score("dci_forest_disentanglement(min_leaf=500)") + 0.05);
}

TEST_CASE("disentanglement: a factor that is left out moves no other's part") {
  World moved = world(1);
  moved.annotations.factors.col(3) = moved.annotations.factors.col(0);
  moved.annotations.factors.col(0).setConstant(2.0);
  auto before = world(1).scores(), after = moved.scores();
  for (const char* name : {"mig", "mig_ross", "sap_ross", "explicitness", "r4", "dci_completeness",
                           "dci_informativeness"}) {
    CAPTURE(std::string(name));
    REQUIRE(after[name].parts.size() == 4);
    CHECK(std::isnan(after[name].parts[0]));
    CHECK(std::isfinite(after[name].parts[1]));
  }
  CHECK(after["mig"].parts[1] == before["mig"].parts[1]);
  CHECK(after["mig"].parts[3] == before["mig"].parts[0]);
}

TEST_CASE("explicitness: a factor whose values are not in both parts is counted out") {
  World rare = world(0, 60);
  rare.annotations.factors.col(1).setZero();
  rare.annotations.factors(0, 1) = 1.0;  // in one part only
  const Score found = rare.scores()["explicitness"];
  REQUIRE(found.parts.size() == 4);
  CHECK(std::isnan(found.parts[1]));
  CHECK(found.message ==
        "1 factor left out: a single value; 1 factor left out: no two values in the training and "
        "in the test part");
}

TEST_CASE("disentanglement: what is missing or too small is named") {
  World one = world(0);
  one.latent.codes = one.latent.codes.leftCols(1).eval();
  CHECK(one.scores()["mig"].message == "needs at least 2 codes, there is 1");
  CHECK(one.scores()["explicitness"].reason == "");
  World few = world(0, 20);
  CHECK(few.scores()["mig"].message == "needs at least 30 samples, there are 20");
  World single = world(0);
  single.annotations.factors = single.annotations.factors.rightCols(1).eval();
  CHECK(single.scores()["mig"].message == "needs at least 1 factor that varies, there are 0");
  World cut = world(0);
  cut.annotations.factors = cut.annotations.factors.topRows(5).eval();
  CHECK_THROWS_SAYING(cut.scores(), std::invalid_argument, "codes and factors", "900 x 3");
  World constant = world(0);
  constant.latent.codes.setConstant(0.1);
  CHECK(constant.scores()["explicitness"].reason == "undefined");
  CHECK(constant.scores()["factor_vae_score"].value == 0.0);
}

TEST_CASE("factor_vae_score: by hand") {
  // Code 0 stands still with factor 0, code 1 with factor 1; code 2 is constant.
  const Matrix codes = (Matrix(4, 3) << 0, 0, 7, 0, 1, 7, 1, 0, 7, 1, 1, 7).finished();
  const FactorVaeDraws draws{{0, 1, 2, 3}, {0, 1, 0, 1}, {{0, 1}, {0, 2}, {2, 3}, {1, 3}}, 2};
  const FactorVaeScore result = factor_vae_score(codes, 2, draws);
  CHECK(result.value == 1.0);
  CHECK(result.least == IndexVector{0, 1, 0, 1});
  CHECK(result.active == std::vector<bool>{true, true, false});
  CHECK(result.votes(0, 0) == 1.0);
  CHECK(factor_vae_score(Matrix::Ones(4, 1), 2, draws, 0.0).value == 0.0);
  // The mean of a constant 0.1 is rounded, so what is left of it varies.
  FactorVaeDraws many = draws;
  many.variance_rows.clear();
  for (Index i = 0; i < 10000; ++i) many.variance_rows.push_back(i);
  CHECK(factor_vae_score(Matrix::Constant(10000, 1, 0.1), 2, many, 0.0).active ==
        std::vector<bool>{false});
  FactorVaeDraws bad = draws;
  bad.train = 4;
  CHECK_THROWS_SAYING(factor_vae_score(codes, 2, bad), std::invalid_argument, "4 are for training");
  bad = draws;
  bad.batches[1] = {0};
  CHECK_THROWS_SAYING(factor_vae_score(codes, 2, bad), std::invalid_argument, "batches has 1 rows");
  bad.batches[1] = {0, 9};
  CHECK_THROWS_SAYING(factor_vae_score(codes, 2, bad), std::invalid_argument, "row 9");
  CHECK_THROWS_SAYING(factor_vae_score(codes, 1, draws), std::invalid_argument, "factor 1");
  bad = draws;
  bad.fixed_factor.pop_back();
  CHECK_THROWS_SAYING(factor_vae_score(codes, 2, bad), std::invalid_argument, "3 fixed factors");
  bad = draws;
  bad.variance_rows = {1};
  CHECK_THROWS_SAYING(factor_vae_score(codes, 2, bad), std::invalid_argument, "variance_rows");
  CHECK_THROWS_SAYING(factor_vae_score(Matrix(0, 2), 2, draws), std::invalid_argument, "0 x 2");
}

TEST_CASE("draws: batches share the factor's value") {
  const Matrix factors = world(0).annotations.factors;
  const VaeScoreOptions options{20, 10, 6, 50};
  const FactorVaeDraws draws = factor_vae_draws(factors, 3, options);
  CHECK(draws.batches.size() == 30);
  CHECK(draws.variance_rows.size() == 50);
  for (std::size_t t = 0; t < draws.batches.size(); ++t)
    for (const Index row : draws.batches[t])
      CHECK(factors(row, draws.fixed_factor[t]) ==
            factors(draws.batches[t][0], draws.fixed_factor[t]));
  const BetaVaeDraws pairs = beta_vae_draws(factors, 3, options);
  for (std::size_t t = 0; t < pairs.label.size(); ++t)
    for (std::size_t b = 0; b < 6; ++b)
      CHECK(factors(pairs.first[t][b], pairs.label[t]) ==
            factors(pairs.second[t][b], pairs.label[t]));
  CHECK(beta_vae_draws(factors, 3, options).first == pairs.first);
  CHECK(beta_vae_draws(factors, 4, options).first != pairs.first);
  CHECK_THROWS_SAYING(factor_vae_draws(factors, 1, {1, 1, 1, 5}), std::invalid_argument, "batch 1");
  CHECK_THROWS_SAYING(beta_vae_draws(factors, 1, {0, 1, 1, 5}), std::invalid_argument, "train 0");
}

TEST_CASE("beta_vae_score: features by hand, bad input") {
  const Matrix codes = (Matrix(4, 2) << 0, 0, 0, 2, 4, 0, 4, 2).finished();
  const BetaVaeDraws draws{
      {0, 1, 0, 1}, {{0, 0}, {0, 1}, {2, 2}, {0, 0}}, {{1, 0}, {2, 3}, {3, 3}, {2, 2}}, 2};
  const BetaVaeScore result = beta_vae_score(codes, 2, draws);
  CHECK(result.features == (Matrix(4, 2) << 0, 1, 4, 0, 0, 2, 4, 0).finished() * 1.0);
  CHECK(result.value == 1.0);
  BetaVaeDraws bad = draws;
  bad.second.pop_back();
  CHECK_THROWS_SAYING(beta_vae_score(codes, 2, bad), std::invalid_argument, "3 second batches");
  bad = draws;
  bad.first[0] = {0};
  CHECK_THROWS_SAYING(beta_vae_score(codes, 2, bad), std::invalid_argument, "batch 0 pairs 1 rows");
  CHECK_THROWS_SAYING(beta_vae_score(codes, 1, draws), std::invalid_argument, "factors is 1");
}

}  // namespace

}  // namespace conoscope::tests
