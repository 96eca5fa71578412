// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

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
  std::map<std::string, Score> scores(const char* group = "irs") const {
    Views views{.latent = &latent, .annotations = &annotations};
    return score_group(views, group);
  }
  Score score(const char* name) const { return scores(name).begin()->second; }
};

/// The first `noisy` of three codes are noise, the others factors.
World world(Index noisy) {
  Random random(11);
  World out{{Matrix(600, 3)}, {}};
  out.annotations.factors.resize(600, 4);
  for (Index i = 0; i < 600; ++i) {
    for (Index k = 0; k < 3; ++k)
      out.annotations.factors(i, k) = static_cast<double>(random.below(4));
    out.annotations.factors(i, 3) = 1.0;
    for (Index l = 0; l < 3; ++l)
      out.latent.codes(i, l) =
          l < noisy ? random.uniform() : 2.0 * out.annotations.factors(i, l) + 1.0;
  }
  return out;
}

TEST_CASE("irs: perfect, half and fully random codes keep their order") {
  auto perfect = world(0).scores(), half = world(1).scores(), random = world(3).scores();
  CHECK(perfect["irs_score"].value == doctest::Approx(1.0));
  REQUIRE(perfect["irs_score"].parts.size() == 12);  // latents x factors, the constant one too
  CHECK(std::isnan(perfect["irs_score"].parts[3]));
  CHECK(perfect["irs_score"].parts[4 + 1] == doctest::Approx(1.0));
  CHECK(perfect["irs_score"].message == "1 factor left out: a single value");
  CHECK(perfect["irs_score"].value > half["irs_score"].value);
  CHECK(half["irs_score"].value > random["irs_score"].value);
  CHECK(perfect["irs_quantile"].value > random["irs_quantile"].value);
  REQUIRE(perfect["irs_domain_shift"].parts.size() == 4);
  CHECK(std::isnan(perfect["irs_domain_shift"].parts[3]));
  CHECK(perfect["irs_coverage"].value == doctest::Approx(1.0));
  CHECK(perfect["irs_active_latents"].value == 3.0);
}

TEST_CASE("irs_domain_shift: a grid with holes says less and less, and then nothing") {
  // The code is the first factor: full grids give 0.
  const auto scores_with = [](double kept) {
    Random random(3);
    std::vector<double> rows;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 20; ++b)
        for (int c = 0; c < 20; ++c)
          if (random.uniform() < kept)
            rows.insert(rows.end(),
                        {static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)});
    World out;
    const auto n = static_cast<Index>(rows.size() / 3);
    out.annotations.factors = Eigen::Map<const Matrix>(rows.data(), n, 3);
    out.latent.codes = out.annotations.factors.leftCols(1);
    return out.scores();
  };
  auto full = scores_with(1.0), holes = scores_with(0.95), half = scores_with(0.5),
       sparse = scores_with(0.02);
  for (const char* name : {"irs_score", "irs_quantile", "irs_domain_shift"}) {
    CAPTURE(std::string(name));
    CHECK(full[name].message == "");
  }
  CHECK(holes["irs_score"].message == "");
  CHECK(holes["irs_coverage"].value > 0.9);
  CHECK(sparse["irs_coverage"].value < 0.1);
  for (const char* name : {"irs_score", "irs_quantile"}) {
    CAPTURE(std::string(name));
    CHECK(sparse[name].message.find(" combinations of the factors, irs_coverage is 0.0") !=
          std::string::npos);
  }
  CHECK(sparse["irs_coverage"].message == "");
  CHECK(full["irs_domain_shift"].value == doctest::Approx(0.0));
  CHECK(full["irs_domain_shift_coverage"].value == 1.0);
  CHECK(holes["irs_domain_shift"].value < 0.1);
  CHECK(holes["irs_domain_shift_coverage"].value == doctest::Approx(0.95).epsilon(0.01));
  CHECK(half["irs_domain_shift"].reason == "undefined");
  CHECK(half["irs_domain_shift"].message.find("% occur where all others are held") !=
        std::string::npos);
  CHECK(half["irs_domain_shift_coverage"].value < 0.65);
  CHECK(sparse["irs_domain_shift"].reason == "undefined");
  CHECK(sparse["irs_domain_shift_coverage"].value < 0.3);
}

/// Two factors of 2 and 3 values, one of a single value between them, all combinations; latent 0 is the
/// first, latent 1 is 3 times the first and the second.
World small_grid() {
  World out{{Matrix(6, 2)}, {}};
  out.annotations.factors.resize(6, 3);
  for (Index i = 0; i < 6; ++i) {
    const double a = static_cast<double>(i / 3), b = static_cast<double>(i % 3);
    out.annotations.factors.row(i) << a, 7.0, b;
    out.latent.codes.row(i) << a, 3.0 * a + b;
  }
  return out;
}

TEST_CASE("irs_given, irs_empida, irs_pida, irs_domain_shift: chosen latents and factors") {
  const World world = small_grid();
  // All around the mean 2.5 within 2.5; with the first factor held, within 1.
  CHECK(world.score("irs_given(given=0,latents=1)").value == doctest::Approx(1.0 - 1.0 / 2.5));
  CHECK(world.score("irs_given(given=0,moved=2,latents=1)").value ==
        doctest::Approx(1.0 - 1.0 / 2.5));
  CHECK(world.score("irs_given(given=2,latents=1)").value == doctest::Approx(1.0 - 1.5 / 2.5));
  CHECK(world.score("irs_given(given=0,latents=0)").value == doctest::Approx(1.0));
  CHECK(world.score("irs_given(moved=2,latents=0)").value == doctest::Approx(1.0));
  const Score empida = world.score("irs_empida(given=2,latents=1)");
  CHECK(empida.value == doctest::Approx(1.5));
  CHECK(empida.parts.size() == 3);
  CHECK(empida.message == "1 factor left out: a single value");
  const Score pida = world.score("irs_pida(given=0,latents=1)");
  CHECK(pida.value == doctest::Approx(1.0));
  REQUIRE(pida.parts.size() == 6);
  CHECK(pida.parts[1] == doctest::Approx(0.0));
  // Latents together: the first factor moves them by (0.5, 1.5), all factors by (0.5, 2.5) at most.
  CHECK(world.score("irs_domain_shift(domain=0)").value ==
        doctest::Approx(1.0 - std::sqrt(2.5 / 6.5)));
  CHECK(world.score("irs_domain_shift(domain=0)").value == world.score("irs_domain_shift").value);
  CHECK(world.score("irs_domain_shift(domain=2)").value > world.score("irs_domain_shift").value);

  const auto says = [&](const char* name, const char* reason, const char* message) {
    CAPTURE(std::string(name));
    const Score found = world.score(name);
    CHECK(found.reason == reason);
    CHECK(found.message == message);
  };
  says("irs_given", "not_applicable",
       "0 by definition where all factors move: name some that are given, or moved");
  says("irs_given(given=3)", "not_applicable",
       "given names factor 3, there are 3, numbered from 0");
  says("irs_given(given=0,latents=2)", "not_applicable",
       "latents names latent 2, there are 2, numbered from 0");
  says("irs_given(given=0+2)", "not_applicable", "given: no factor is left to move");
  says("irs_given(given=0,moved=0)", "not_applicable", "factor 0 is in both given and moved");
  says("irs_given(given=1)", "undefined", "given: factor 1 has a single value");
  says("irs_domain_shift(domain=0+2)", "not_applicable", "domain: no factor is left to hold");
  World constant = small_grid();
  constant.latent.codes.col(0).setConstant(0.1);
  CHECK(constant.score("irs_given(given=0,latents=0)").message ==
        "all latents of the group are constant");

  World sparse = small_grid();  // one cell of six
  sparse.annotations.factors = sparse.annotations.factors.topRows(5).eval();
  sparse.latent.codes = sparse.latent.codes.topRows(5).eval();
  for (const char* name : {"irs_score", "irs_quantile", "irs_given(given=0)", "irs_empida(given=0)",
                           "irs_pida(given=0)"}) {
    CAPTURE(std::string(name));
    CHECK(sparse.score(name).message.find("5 samples have 5 of 6 combinations of the factors") !=
          std::string::npos);
  }
}

TEST_CASE("irs: constant latents, factors that are not integers, views that are missing") {
  World constant = world(0);
  constant.latent.codes.col(1).setConstant(0.1);
  CHECK(constant.scores()["irs_active_latents"].value == 2.0);
  const auto parts = constant.scores()["irs_score"].parts;
  REQUIRE(parts.size() == 12);
  for (std::size_t factor = 0; factor < 4; ++factor) CHECK(std::isnan(parts[4 + factor]));
  CHECK(std::isfinite(parts[8]));
  CHECK(std::isnan(constant.scores()["irs_quantile"].parts[1]));
  constant.latent.codes.setConstant(0.1);
  CHECK(constant.scores()["irs_score"].reason == "undefined");
  CHECK(constant.scores()["irs_active_latents"].value == 0.0);

  World continuous = world(0);
  continuous.annotations.factors.col(2) *= 0.37;
  CHECK(continuous.scores()["irs_score"].value == doctest::Approx(1.0));
  CHECK(continuous.scores()["irs_score"].message.find("1 factor in 20 bins") != std::string::npos);

  World single = world(0);
  single.annotations.factors = single.annotations.factors.rightCols(2).eval();
  CHECK(single.scores()["irs_score"].reason == "not_applicable");
  CHECK(single.scores()["irs_score"].message ==
        "needs at least two factors that vary, there are 1");
  World bare = world(0);
  bare.annotations.factors.resize(0, 0);
  CHECK(bare.scores()["irs_score"].message == "needs annotated factors");
  World cut = world(0);
  cut.annotations.factors = cut.annotations.factors.topRows(5).eval();
  CHECK_THROWS_SAYING(cut.scores(), std::invalid_argument, "codes and factors", "codes is 600 x 3");
}

}  // namespace

}  // namespace conoscope::tests
