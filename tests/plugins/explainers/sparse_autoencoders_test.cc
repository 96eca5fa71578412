// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "plugins/explainers/sparse_autoencoders/archetypal.h"
#include "plugins/explainers/sparse_autoencoders/dictionary.h"
#include "plugins/explainers/sparse_autoencoders/gated.h"
#include "plugins/explainers/sparse_autoencoders/jumprelu.h"
#include "plugins/explainers/sparse_autoencoders/pursuit.h"
#include "plugins/explainers/sparse_autoencoders/relu.h"
#include "plugins/explainers/sparse_autoencoders/thresholds.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"
#include "tests/support/normals.h"
#include "tests/support/throws.h"

using namespace conoscope::methods;
using conoscope::numerics::Random;
using conoscope::numerics::Seed;
using conoscope::testing::normals;

namespace {

/// Rows that are mixes of two of `parts` hidden directions, about a mean that is not 0.
Matrix sparse_mixes(Index n, Index d, Index parts) {
  Random random{Seed(9)};
  const Matrix directions = normals(parts, d, 10).rowwise().normalized();
  Matrix weights = Matrix::Zero(n, parts);
  for (Index i = 0; i < n; ++i)
    for (int twice = 0; twice < 2; ++twice)
      weights(i, static_cast<Index>(random.below(static_cast<std::uint64_t>(parts)))) +=
          random.uniform(1.0, 2.0);
  return (weights * directions).array() + 0.3;
}

/// Pre-codes of x = (x0, x1) are x0, x1, x0 + x1 and -x0.
Parts<double> tiny() {
  Parts<double> out;
  out[Part::kEncoder] = Matrix{{1, 0}, {0, 1}, {1, 1}, {-1, 0}};
  out[Part::kEncoderBias] = Matrix{{0, 0, 0, 0}};
  out[Part::kAtoms] = Matrix{{1, 0}, {0, 1}, {0.6, 0.8}, {-1, 0}};
  out[Part::kDecoderBias] = Matrix{{0, 0}};
  return out;
}

TopKOptions topk(double k, bool whole_batch = true) {
  TopKOptions out;
  out.k = k;
  out.whole_batch = whole_batch;
  return out;
}

Recipe batch_topk_recipe(Index latents = 16, double k = 2) {
  Recipe out;
  out.latents = latents;
  out.batch_k = k;
  out.schedule.batch = 64;
  out.schedule.rate = 1e-2;
  out.objective = [latents, k](const MatrixF&) {
    return std::make_unique<TopKObjective<float>>(latents, topk(k));
  };
  return out;
}

double error_of(const Matrix& x, const Dictionary& dictionary) {
  Matrix rebuilt = dictionary_codes(x, dictionary) * dictionary.atoms;
  rebuilt.rowwise() += dictionary.centre.transpose();
  return (x - rebuilt).squaredNorm();
}

/// Every gradient beside differences of the loss, where these are not near a kink.
void check_gradient(Objective<double>& objective, const Matrix& x, const Parts<double>& at,
                    const StepState& state = {}) {
  Parts<double> gradient = at, scratch = at;
  objective.differentiate(x, at, state, gradient);
  const Parts<double> analytic = gradient;
  int compared = 0;
  for (std::size_t p = 0; p < kPartCount; ++p)
    for (Index i = 0; i < at.all[p].size(); ++i) {
      Parts<double> up = at, down = at;
      up.all[p].data()[i] += 1e-6;
      down.all[p].data()[i] -= 1e-6;
      const double slope = (objective.differentiate(x, up, state, scratch).loss -
                            objective.differentiate(x, down, state, scratch).loss) /
                           2e-6;
      CAPTURE(p);
      CAPTURE(i);
      CHECK(analytic.all[p].data()[i] == doctest::Approx(slope).epsilon(1e-5).scale(1.0));
      ++compared;
    }
  CHECK(compared > 30);
}

Parts<double> random_parts(Index latents, Index width) {
  Parts<double> out;
  out[Part::kAtoms] = normals(latents, width, 2).rowwise().normalized();
  out[Part::kEncoder] = normals(latents, width, 3);
  out[Part::kEncoderBias] = 0.1 * normals(1, latents, 4);
  out[Part::kDecoderBias] = 0.3 * normals(1, width, 5);
  return out;
}

}  // namespace

TEST_CASE("TopK and BatchTopK: codes, losses and threshold, by hand") {
  const Matrix x{{1.0, 2.0}, {-1.0, 0.5}, {0.0, 0.0}};
  Parts<double> gradient;
  TopKObjective<double> rows(4, topk(1, false)), batch(4, topk(1));
  // Row 0: latent 2 with 3 leaves (1, 2) - (1.8, 2.4). Row 1: latent 3 with 1 leaves (0, 0.5).
  const SparseLosses of_rows = rows.differentiate(x, tiny(), {}, gradient);
  CHECK(rows.codes() == Matrix{{0, 0, 3, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}});
  CHECK(of_rows.loss == doctest::Approx((0.64 + 0.16 + 0.25) / 3.0));
  CHECK(of_rows.active == doctest::Approx(2.0 / 3.0));
  // The three largest of the batch are 3, 2 and, of the two 1s, the one in the lower row.
  batch.differentiate(x, tiny(), {}, gradient);
  CHECK(batch.codes() == Matrix{{1, 2, 3, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(batch.least_code() == 1.0);
  // Batches of two rows: floor(1.5 * 2) = 3 codes, least 1; of the last row none is above 0.
  CHECK(mean_batch_minimum<double>(RowSource(x), tiny(), 1.5, 2) == 1.0);
  // Batches of one row: 3, then 1.
  CHECK(mean_batch_minimum<double>(RowSource(x), tiny(), 1, 1) == 2.0);
}

TEST_CASE("BatchTopK: the last batch's codes say where to look, not how many stay") {
  Parts<double> at, gradient;
  at[Part::kEncoder] = at[Part::kAtoms] = Matrix{{1, 0}, {0, 1}};
  at[Part::kEncoderBias] = at[Part::kDecoderBias] = Matrix{{0, 0}};
  TopKObjective<double> objective(2, topk(1));
  objective.differentiate(Matrix{{10, 1}, {10, 1}}, at, {}, gradient);
  // Just as many as stay are near the last ones; then all are far below them; then far above.
  objective.differentiate(Matrix{{8, 1}, {9, 2}}, at, {}, gradient);
  CHECK(objective.codes() == Matrix{{8, 0}, {9, 0}});
  objective.differentiate(Matrix{{0.1, 0.4}, {0.2, 0.3}}, at, {}, gradient);
  CHECK(objective.codes() == Matrix{{0, 0.4}, {0, 0.3}});
  objective.differentiate(Matrix{{50, 40}, {60, 30}}, at, {}, gradient);
  CHECK(objective.codes() == Matrix{{50, 0}, {60, 0}});
}

TEST_CASE("Matryoshka: prefixes rebuild on their own, by hand") {
  TopKOptions options = topk(2);
  options.prefixes = {1, 4};
  options.prefix_weights = {0.5, 0.25};
  TopKObjective<double> objective(4, options);
  Parts<double> gradient;
  const Matrix x{{1.0, 2.0}};
  // Codes 2 of latent 1 and 3 of latent 2: the first prefix has none of them.
  const SparseLosses losses = objective.differentiate(x, tiny(), {}, gradient);
  REQUIRE(losses.prefixes.size() == 2);
  CHECK(losses.prefixes[0] == 5.0);
  CHECK(losses.prefixes[1] == doctest::Approx(0.64 + 5.76));
  CHECK(losses.loss == doctest::Approx(2.5 + 0.25 * 6.4));
}

TEST_CASE("the auxiliary loss: dead latents rebuild the residual without a bias, by hand") {
  TopKOptions options = topk(1, false);
  options.aux_weight = 0.5;
  options.aux_k = 1;
  TopKObjective<double> objective(4, options);
  const Matrix x{{1.0, 2.0}, {-1.0, 0.5}, {0.0, 0.0}};
  Parts<double> gradient;
  // Residuals (-0.8, -0.4), (0, 0.5), (0, 0); dead latent 1 has 2, 0.5 and 0.
  const double left = 0.64 + 2.4 * 2.4, spread = 0.64 * 2.0 / 3.0 + 0.41 - 0.01 / 3.0;
  const SparseLosses losses = objective.differentiate(x, tiny(), {{0, 1, 0, 0}}, gradient);
  CHECK(losses.aux == doctest::Approx(left / spread));
  CHECK(losses.loss == doctest::Approx(losses.error + 0.5 * left / spread));
  CHECK(objective.differentiate(x, tiny(), {}, gradient).aux == 0.0);
}

TEST_CASE("gradients are those of the losses") {
  const Matrix x = normals(6, 4, 1);
  Parts<double> at = random_parts(7, 4);
  SUBCASE("rows") {
    TopKObjective<double> objective(7, topk(2, false));
    check_gradient(objective, x, at);
  }
  SUBCASE("prefixes of a batch") {
    TopKOptions options = topk(2.5);
    options.prefixes = {2, 5, 7};
    options.prefix_weights = {1.0, 0.5, 0.25};
    TopKObjective<double> objective(7, options);
    check_gradient(objective, x, at);
  }
  SUBCASE("gated, where the third term trains all") {
    at[Part::kGain] = 0.2 * normals(1, 7, 6);
    at[Part::kMagnitudeBias] = 0.1 * normals(1, 7, 7);
    GatedObjective<double> objective({.weight = 0.3, .aux_trains_decoder = true});
    check_gradient(objective, x, at, {{}, 0.5});
  }
  SUBCASE("L1") {
    ReluObjective<double> objective({.weight = 0.3, .by_norms = false});
    check_gradient(objective, x, at, {{}, 0.5});
  }
  SUBCASE("L1 by norms") {
    at[Part::kAtoms] *= 1.7;
    ReluObjective<double> objective({.weight = 0.3, .by_norms = true});
    check_gradient(objective, x, at);
  }
  SUBCASE("archetypes") {
    Parts<double> hull;
    hull[Part::kEncoder] = at[Part::kEncoder];
    hull[Part::kEncoderBias] = at[Part::kEncoderBias];
    hull[Part::kWeights] = normals(7, 3, 8).cwiseAbs();
    hull[Part::kRelaxation] = 0.1 * normals(7, 4, 9);
    hull[Part::kLogScale] = Matrix{{0.2}};
    ArchetypalObjective<double> objective(normals(3, 4, 11), 1.0, 7, topk(2, false));
    check_gradient(objective, x, hull);
  }
  SUBCASE("pursuit") {
    Parts<double> pursued;
    pursued[Part::kAtoms] = at[Part::kAtoms];
    pursued[Part::kDecoderBias] = at[Part::kDecoderBias];
    PursuitObjective<double> objective({.rounds = 3, .positive = true});
    check_gradient(objective, x, pursued);
  }
}

TEST_CASE("JumpReLU: a threshold learns through its window, by hand") {
  JumpReluObjective<double> objective({.weight = 0.5, .bandwidth = 0.4, .log_threshold = false});
  Parts<double> at, gradient;
  at[Part::kEncoder] = at[Part::kAtoms] = Matrix{{1, 0}, {0, 1}};
  at[Part::kEncoderBias] = at[Part::kDecoderBias] = Matrix{{0, 0}};
  at[Part::kThreshold] = Matrix{{1.0, 1.0}};
  gradient = at;
  // z = (1.1, 0.9): the first fires, both lie in the window. e = (0, 0.9), dL/df = (0, -1.8).
  const SparseLosses losses = objective.differentiate(Matrix{{1.1, 0.9}}, at, {}, gradient);
  CHECK(objective.codes() == Matrix{{1.1, 0}});
  CHECK(losses.loss == doctest::Approx(0.81 + 0.5));
  // dL/dtheta = -dL/df theta / eps - lambda / eps.
  CHECK(gradient[Part::kThreshold].isApprox(Matrix{{-1.25, 4.5 - 1.25}}, 1e-12));
  CHECK(gradient[Part::kEncoderBias].isZero(1e-12));  // a window trains thresholds alone
}

TEST_CASE("pursuit takes the best atom, then the best of what is left") {
  PursuitObjective<double> positive({.rounds = 3, .positive = true});
  PursuitObjective<double> any({.rounds = 1, .positive = false});
  Parts<double> at, gradient;
  at[Part::kAtoms] = Matrix{{1, 0}, {0.6, 0.8}};
  // <x, w> = (1, 2.2): 2.2 of the second leaves (-0.32, 0.24), whose products are -0.32 and 0.
  CHECK(positive.differentiate(Matrix{{1.0, 2.0}}, at, {}, gradient).loss ==
        doctest::Approx(0.32 * 0.32 + 0.24 * 0.24));
  CHECK(positive.codes().isApprox(Matrix{{0, 2.2}}, 1e-12));
  any.differentiate(Matrix{{-1.0, -2.0}}, at, {}, gradient);
  CHECK(any.codes() == Matrix{{-1, 0}});  // the largest product, though below 0
}

TEST_CASE("archetypes: weights are shares, relaxations stay short") {
  const ArchetypalObjective<double> objective(Matrix{{2, 0}, {0, 2}}, 0.5, 2, topk(1));
  Parts<double> parts;
  parts[Part::kWeights] = Matrix{{3, 1}, {-1, 2}};
  parts[Part::kRelaxation] = Matrix{{0, 3}, {0.1, 0}};
  parts[Part::kLogScale] = Matrix{{std::log(2.0)}};
  objective.constrain(parts);
  CHECK(parts[Part::kWeights].isApprox(Matrix{{0.75, 0.25}, {0, 1}}, 1e-7));
  CHECK(parts[Part::kRelaxation] == Matrix{{0, 0.5}, {0.1, 0}});
  CHECK(objective.atoms(parts).isApprox(Matrix{{3, 2}, {0.2, 4}}, 1e-7));
}

TEST_CASE("a step leaves atoms at norm 1, and frozen parts where they were") {
  const Matrix x = normals(20, 4, 1);
  const Parts<double> start = random_parts(7, 4);
  const auto stepped = [&](std::vector<Part> frozen, double least_cosine = -1.0) {
    TrainerOptions options;
    options.frozen = std::move(frozen);
    options.least_cosine = least_cosine;
    DictionaryTrainer<double> trainer(std::make_unique<TopKObjective<double>>(7, topk(2)), start,
                                      options);
    for (int s = 0; s < 30; ++s) trainer.step(x, 0.05);
    return trainer.parts();
  };
  const auto cosines = [&](const Parts<double>& parts) {
    return Vector((parts[Part::kAtoms].array() * start[Part::kAtoms].array()).rowwise().sum());
  };
  const Parts<double> free = stepped({});
  CHECK(free[Part::kAtoms].rowwise().norm().isApproxToConstant(1.0, 1e-12));
  CHECK(cosines(free).minCoeff() < 0.9);
  CHECK(stepped({Part::kAtoms})[Part::kAtoms] == start[Part::kAtoms]);
  CHECK(stepped({Part::kAtoms})[Part::kEncoder] != start[Part::kEncoder]);
  CHECK(stepped({Part::kEncoder})[Part::kEncoder] == start[Part::kEncoder]);
  CHECK(cosines(stepped({}, 0.95)).minCoeff() >= 0.95 - 1e-12);
}

TEST_CASE("cones, counts and quantiles, by hand") {
  Matrix atoms{{0, 1}, {1, 0}, {-1, 0}};
  const Matrix start{{1, 0}, {0.8, 0.6}, {1, 0}};
  CHECK(keep_in_cones<double>(atoms, start, 0.8) == 2);
  CHECK(atoms.isApprox(Matrix{{0.8, 0.6}, {1, 0}, {1, 0}}, 1e-12));
  const Matrix pre{{5, 1}, {4, 2}, {3, -1}};
  CHECK(counted_threshold(pre, 1.0) == 2.0);  // three of six are larger
  CHECK(quantile_threshold(pre, 1.0) == doctest::Approx(2.5));
  CHECK_THROWS_SAYING(counted_threshold(pre, 2.0), std::invalid_argument, "l0 = 2", "2 latents");
  CHECK_THROWS_SAYING(quantile_threshold(pre, -1.0), std::invalid_argument, "l0 = -1");
  // Of a diagonal covariance the root is that of the entries.
  CHECK(covariance_atoms(Matrix{{1, 1}}, Matrix{{9, 0}, {0, 16}}).isApprox(Matrix{{0.6, 0.8}}));
}

TEST_CASE("schedule: a warm-up, a fall in the last fifth, passes in parts") {
  const Schedule schedule;
  CHECK(schedule.steps(20000) == 1000);
  CHECK(Schedule{.epochs = 2.5}.steps(20000) == 100);
  CHECK(Schedule{.epochs = 0}.steps(20000) == 0);
  CHECK(schedule.rate_at(0, 1000) == doctest::Approx(3e-3 / 50));
  CHECK(schedule.rate_at(49, 1000) == doctest::Approx(3e-3));
  CHECK(schedule.rate_at(800, 1000) == doctest::Approx(3e-3));
  CHECK(schedule.rate_at(900, 1000) == doctest::Approx(1.5e-3));
  CHECK(Schedule{.pressure_share = 0.5}.pressure_at(250, 1000) == 0.5);
  CHECK(Schedule{.pressure_steps = 10}.pressure_at(250, 1000) == 1.0);
}

TEST_CASE("fit: learns sparse mixes; same bits again and in eight threads at once") {
  const Matrix x = sparse_mixes(600, 12, 8);
  const Recipe recipe = batch_topk_recipe();
  const Dictionary fitted = fit_dictionary(x, recipe, Twin::kNone, Seed(3));
  CHECK(error_of(x, fitted) <
        0.3 * error_of(x, fit_dictionary(x, recipe, Twin::kUntrained, Seed(3))));
  CHECK(fitted.atoms.rowwise().norm().isApproxToConstant(1.0, 1e-12));
  const double active =
      static_cast<double>((dictionary_codes(x, fitted).array() > 0.0).count()) / 600.0;
  CHECK(active == doctest::Approx(2.0).epsilon(0.1));  // the threshold is fitted to these rows
  std::vector<Dictionary> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all)
    threads.emplace_back([&] { one = fit_dictionary(x, recipe, Twin::kNone, Seed(3)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) CHECK((one.atoms == fitted.atoms && one.encoder == fitted.encoder));
  CHECK(fit_dictionary(x, recipe, Twin::kNone, Seed(4)).atoms != fitted.atoms);
}

TEST_CASE("fit: rows four times as large have codes four times as large, bit by bit") {
  const Matrix x = sparse_mixes(300, 8, 6);
  const Dictionary one = fit_dictionary(x, batch_topk_recipe(), Twin::kNone, Seed(3));
  const Dictionary four =
      fit_dictionary(Matrix(4.0 * x), batch_topk_recipe(), Twin::kNone, Seed(3));
  CHECK(four.atoms == one.atoms);
  CHECK(four.centre == 4.0 * one.centre);
  CHECK(dictionary_codes(Matrix(4.0 * x), four) == 4.0 * dictionary_codes(x, one));
}

TEST_CASE("twins keep of the start what their names say, and learn the rest") {
  const Matrix x = sparse_mixes(400, 10, 8);
  const Recipe recipe = batch_topk_recipe();
  const auto fit = [&](const char* name) {
    return fit_dictionary(x, recipe, twin_named(name), Seed(3));
  };
  const Dictionary start = fit("untrained_dictionary"), trained = fit("");
  const auto cosines = [&](const Dictionary& of) {
    return Vector((of.atoms.array() * start.atoms.array()).rowwise().sum());
  };
  CHECK(start.encoder.isApprox(start.atoms, 1e-6));
  CHECK(cosines(trained).minCoeff() < 0.8);
  CHECK(trained.encoder != start.encoder);
  const Dictionary decoder = fit("frozen_decoder");
  CHECK(decoder.atoms == start.atoms);
  CHECK(decoder.encoder != start.encoder);
  CHECK(decoder.centre != start.centre);
  const Dictionary covariance = fit("frozen_decoder_covariance");
  CHECK(covariance.atoms != start.atoms);
  CHECK(cosines(covariance).minCoeff() > 0.0);  // the same numbers drawn, reshaped
  const Dictionary encoder = fit("frozen_encoder");
  CHECK(encoder.encoder == start.encoder);
  CHECK(encoder.bias != start.bias);
  CHECK(encoder.atoms != start.atoms);
  const Dictionary soft = fit("soft_frozen_decoder");
  CHECK(cosines(soft).minCoeff() > 0.8 - 1e-6);
  CHECK(cosines(soft).maxCoeff() < 1.0);
  const Dictionary random = fit("random_l0");
  CHECK(random.atoms.isApprox(start.atoms, 1e-6));
  const auto active = [&](const Dictionary& of) {
    return (dictionary_codes(x, of).array() > 0.0).count();
  };
  CHECK(active(random) == active(trained));
  CHECK(error_of(x, trained) < error_of(x, soft));
  CHECK(error_of(x, soft) < error_of(x, decoder));
  CHECK_THROWS_SAYING(twin_named("frozen"), std::invalid_argument, "no twin frozen");
}

TEST_CASE("what is refused") {
  const Matrix x = sparse_mixes(50, 6, 4);
  Recipe recipe = batch_topk_recipe();
  CHECK_THROWS_SAYING(batch_topk_recipe(3, 4).objective({}), std::invalid_argument, "k = 4",
                      "3 latents");
  CHECK_THROWS_SAYING(fit_dictionary(Matrix(Matrix::Ones(9, 3)), recipe, Twin::kNone, Seed(1)),
                      std::domain_error, "the rows of x do not differ");
  Matrix bad = x;
  bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(fit_dictionary(bad, recipe, Twin::kNone, Seed(1)), std::invalid_argument,
                      "x");
  recipe.schedule.rate = 1e30;
  CHECK_THROWS_SAYING(fit_dictionary(x, recipe, Twin::kNone, Seed(1)), std::domain_error,
                      "the loss is");
  recipe = batch_topk_recipe();
  recipe.schedule.batch = 0;
  CHECK_THROWS_SAYING(fit_dictionary(x, recipe, Twin::kNone, Seed(1)), std::invalid_argument,
                      "batch = 0");
  recipe = batch_topk_recipe();
  recipe.reading = Reading::kPursuit;
  CHECK_THROWS_SAYING(fit_dictionary(x, recipe, Twin::kFrozenEncoder, Seed(1)),
                      std::invalid_argument, "no encoder to freeze");
  TopKOptions options = topk(1);
  options.prefixes = {2, 3};
  options.prefix_weights = {1, 1};
  CHECK_THROWS_SAYING(TopKObjective<double>(4, options), std::invalid_argument,
                      "the last prefix is 3");
  CHECK_THROWS_SAYING(JumpReluObjective<double>({.bandwidth = 0.0}), std::invalid_argument,
                      "bandwidth = 0");
  CHECK_THROWS_SAYING(PursuitObjective<double>({.rounds = 0}), std::invalid_argument, "rounds = 0");
  CHECK_THROWS_SAYING(GatedObjective<double>({.weight = -1.0}), std::invalid_argument, "weight");
}
