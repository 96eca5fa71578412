// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "datasets/superposition/directions.h"
#include "datasets/superposition/head.h"
#include "datasets/superposition/world.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"
#include "tests/support/throws.h"

using namespace conoscope::testing;
using namespace conoscope::datasets::superposition;

namespace {

/// Thirteen features in one tree of thirteen, seven outside; all else small, too.
const Arguments kSmall = {{"features", 20},        {"width", 8},   {"roots", 1},
                          {"branching", 3},        {"depth", 2},   {"rank", 3},
                          {"annotated", 6},        {"classes", 3}, {"class_features", 2},
                          {"train", 400},          {"test", 300},  {"rate_min", 0.05},
                          {"orthogonal_steps", 20}};

Arguments with(Arguments more) {
  more.insert(kSmall.begin(), kSmall.end());
  return more;
}

Bundle load(const Arguments& more = {}, std::uint64_t seed = 0) {
  return loaded(plugin("superposition"), with(more), seed);
}

Rows rows_of(const Bundle& data, const std::string& name) {
  const auto values = data.values<float>(name);
  const Eigen::Index cols = data.shape(name).back();
  Rows out(static_cast<Eigen::Index>(values.size()) / cols, cols);
  for (std::size_t i = 0; i < values.size(); ++i) out.data()[i] = static_cast<double>(values[i]);
  return out;
}

Rows doubles_of(const Bundle& data, const std::string& name) { return matrix_of(data, name); }

}  // namespace

TEST_CASE("superposition: rates, by hand") {
  // r = 1, 1/2, 1/3 spread onto 0.5 ... 0.1: the middle one (1/2 - 1/3) / (2/3) = 1/4 of the way up.
  const Vector p = zipf_rates(3, 1.0, 0.5, 0.1);
  CHECK(p[0] == doctest::Approx(0.5));
  CHECK(p[1] == doctest::Approx(0.2));
  CHECK(p[2] == doctest::Approx(0.1));
  CHECK(zipf_rates(1, 2.0, 0.5, 0.1)[0] == 0.5);
  CHECK(zipf_rates(4, 0.0, 0.5, 0.1).minCoeff() == 0.5);
  CHECK_THROWS_SAYING(zipf_rates(0, 1.0, 0.5, 0.1), std::invalid_argument, "n = 0");
  CHECK_THROWS_SAYING(zipf_rates(3, -1.0, 0.5, 0.1), std::invalid_argument, "exponent");
  for (const auto& [most, least] : {std::pair{0.1, 0.5}, {1.1, 0.5}, {0.5, -0.1}})
    CHECK_THROWS_SAYING(zipf_rates(3, 1.0, most, least), std::invalid_argument,
                        "expected 0 <= least <= most <= 1");
}

TEST_CASE("superposition: a forest, and drawing rates that make up for what it silences") {
  const Forest forest = grow_forest(9, 2, 2, 2);
  CHECK(forest.parent == IndexVector{-1, -1, 0, 0, 1, 1, 2, 2, 3});
  CHECK(forest.level == IndexVector{0, 0, 1, 1, 1, 1, 2, 2, 2});
  CHECK(grow_forest(3, 1, 1, 0).level == IndexVector{0, -1, -1});
  CHECK(grow_forest(2, 5, 1, 1).level == IndexVector{0, 0});
  CHECK_THROWS_SAYING(grow_forest(0, 1, 1, 1), std::invalid_argument, "n = 0");
  CHECK_THROWS_SAYING(grow_forest(3, -1, 1, 1), std::invalid_argument, "roots = -1");
  CHECK_THROWS_SAYING(grow_forest(3, 1, 0, 1), std::invalid_argument, "branching = 0");
  CHECK_THROWS_SAYING(grow_forest(3, 1, 1, -1), std::invalid_argument, "depth = -1");

  Vector p(4);
  p << 0.5, 0.2, 0.1, 0.3;
  const IndexVector parent = {-1, 0, 0, -1};
  const DrawingRates exclusive = compensate(p, parent, true);
  CHECK(exclusive.rate[0] == 0.5);
  CHECK(exclusive.rate[1] == doctest::Approx(0.4 * 1.2));
  CHECK(exclusive.rate[2] == doctest::Approx(0.2 * 1.4));
  CHECK(exclusive.rate[3] == 0.3);
  CHECK(exclusive.cut == 0);
  CHECK(compensate(p, parent, false).rate[1] == doctest::Approx(0.4));
  p[1] = 0.49;
  const DrawingRates cut = compensate(p, parent, true);
  CHECK(cut.rate[1] == 1.0);
  CHECK(cut.cut == 1);
  CHECK_THROWS_SAYING(compensate(p, {-1, 0}, true), std::invalid_argument,
                      "4 targets and 2 parents");
  CHECK_THROWS_SAYING(compensate(p, {-1, 0, 9, -1}, true), std::invalid_argument, "parent[2] is 9");
  CHECK_THROWS_SAYING(compensate(p, {-1, 0, 2, -1}, true), std::invalid_argument, "parent[2] is 2");
  p[2] = 0.0;
  CHECK_THROWS_SAYING(compensate(p, parent, true), std::invalid_argument, "p[2] is 0");
}

TEST_CASE("superposition: firing, magnitudes and trees, by hand") {
  Matrix factor(2, 1);
  factor << 0.6, 0.0;
  const Vector own = bound_factor(factor);
  CHECK(own[0] == doctest::Approx(0.64));
  Matrix large = 10.0 * factor;
  CHECK(bound_factor(large)[0] == doctest::Approx(0.01));
  CHECK_THROWS_SAYING(bound_factor(large, 1.0), std::invalid_argument, "limit = 1");

  // z = (0.6 e + 0.8 eps_0, eps_1), against 0 where q is a half.
  Matrix common(3, 1), noise(3, 2);
  common << 1.0, 1.0, -1.0;
  noise << -0.7, 0.1, -0.8, -0.1, 1.0, 0.1;
  Vector q = Vector::Constant(2, 0.5);
  Fired expected(3, 2);
  expected << 1, 1, 0, 0, 1, 1;
  CHECK(fires(factor, own, q, common, noise) == expected);
  q << 1.0, 0.0;
  CHECK((fires(factor, own, q, common, noise).col(0).array() == 1).all());
  CHECK((fires(factor, own, q, common, noise).col(1).array() == 0).all());
  q[0] = 1.5;
  CHECK_THROWS_SAYING(fires(factor, own, q, common, noise), std::invalid_argument, "q[0] is 1.5");
  q[0] = 0.5;
  CHECK_THROWS_SAYING(fires(factor, -own, q, common, noise), std::invalid_argument,
                      "own[0] is -0.64");
  CHECK_THROWS_SAYING(fires(factor, own, q, common, noise.leftCols(1)), std::invalid_argument,
                      "noise 3 x 1");
  CHECK_THROWS_SAYING(fires(factor, own.head(1), q, common, noise), std::invalid_argument,
                      "own has 1 entries, expected 2");

  Vector mean(2), sd(2);
  mean << 2.0, 1.0;
  sd << 1.0, 0.5;
  const auto drawn = [](Index row, Index) { return row == 0 ? -3.0 : 1.0; };
  const Matrix a = magnitudes(expected, mean, sd, drawn);
  CHECK(a.row(0).isZero(0.0));  // fired, and still 0
  CHECK(a(2, 0) == 3.0);
  CHECK(a(2, 1) == 1.5);
  CHECK_THROWS_SAYING(magnitudes(expected, mean, -sd, drawn), std::invalid_argument, "sd[0] is -1");
  CHECK_THROWS_SAYING(magnitudes(expected, mean.head(1), sd, drawn), std::invalid_argument,
                      "mean has 1 entries");

  // A root with two children, of which the second has one child.
  const Forest forest{{-1, 0, 0, 2}, {0, 1, 1, 2}};
  Vector means = Vector::Constant(4, 2.0);
  Matrix rows(3, 4);
  rows << 1.0, 4.0, 4.0, 4.0, 0.0, 4.0, 4.0, 4.0, 2.0, 4.0, 0.0, 4.0;
  Matrix gated = rows;
  gate(gated, forest, means, {true, true}, [](Index, Index) { return 0.5; });
  Matrix left(3, 4);
  // The second of two siblings wins; it is half of its size, and its child a half times 2 / 2.
  left << 1.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0;
  CHECK(gated == left);
  gated = rows;
  gate(gated, forest, means, {false, false}, [](Index, Index) -> double { throw 0; });
  left << 1.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0;
  CHECK(gated == left);
  means[2] = 0.0;
  CHECK_THROWS_SAYING(gate(gated, forest, means, {}, nullptr), std::invalid_argument,
                      "mean[2] is 0.000000, but it has children");
  CHECK_THROWS_SAYING(gate(gated, {{-1}, {0}}, means, {}, nullptr), std::invalid_argument,
                      "parent has 1 entries, expected 4");
}

TEST_CASE("superposition: directions are pushed apart, and the gradient is that of the loss") {
  const Matrix start = normal_rows(12, 6, 3).rowwise().normalized();
  const Matrix after = orthogonalised(start, 100, 0.01);
  CHECK((after.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-12);
  CHECK(largest_cosines(after).mean() < largest_cosines(start).mean());
  Matrix moved = start;
  const double step = 1e-6;
  moved(4, 2) += step;
  const double up = orthogonality(moved).loss;
  moved(4, 2) -= 2 * step;
  CHECK((up - orthogonality(moved).loss) / (2 * step) ==
        doctest::Approx(orthogonality(start).gradient(4, 2)).epsilon(1e-6));
  CHECK(orthogonality(Matrix::Identity(4, 4)).loss == 0.0);
  CHECK(largest_cosines(Matrix::Identity(4, 4)).maxCoeff() == 0.0);
  CHECK(superposition_stats(start).ratio == 2.0);
  CHECK_THROWS_SAYING(orthogonalised(start, -1, 0.01), std::invalid_argument, "steps = -1");
  CHECK_THROWS_SAYING(orthogonalised(start, 1, -0.1), std::invalid_argument, "rate");
  CHECK_THROWS_SAYING(orthogonalised(Matrix::Zero(2, 3), 0, 0.1), std::domain_error, "row 0 is 0");
  CHECK_THROWS_SAYING(largest_cosines(Matrix::Zero(2, 3)), std::invalid_argument,
                      "row 0 of directions is 0");
  CHECK_THROWS_SAYING(superposition_stats(start.topRows(1)), std::invalid_argument,
                      "rows of directions = 1");
  CHECK_THROWS_SAYING(orthogonality(Matrix(0, 3)), std::invalid_argument, "directions");
}

TEST_CASE("superposition: classes take one feature of each band; the head is least squares") {
  Vector rates(7);
  rates << 0.1, 0.9, 0.3, 0.8, 0.2, 0.7, 0.6;
  const auto sets = class_features(rates, 2, 3, Seed(1));
  // Bands by falling rate: {1, 3}, {5, 6}, {2, 4}.
  for (std::size_t k = 0; k < 3; ++k) {
    const IndexVector bands[] = {{1, 3}, {5, 6}, {2, 4}};
    IndexVector band = {sets[0][k], sets[1][k]};
    std::ranges::sort(band);
    CHECK(band == bands[k]);
  }
  CHECK_THROWS_SAYING(class_features(rates, 4, 2, Seed(1)), std::invalid_argument,
                      "4 classes of 2 features, but there are only 7");
  CHECK_THROWS_SAYING(class_features(rates, 1, 2, Seed(1)), std::invalid_argument, "classes = 1");
  CHECK_THROWS_SAYING(class_features(rates, 2, 0, Seed(1)), std::invalid_argument, "per_class = 0");

  // Without ridge, scores that are linear in x are found again.
  const Matrix x = normal_rows(50, 3, 5), weight = normal_rows(2, 3, 6);
  const Matrix scores = (x * weight.transpose()).array() + 0.5;
  const LinearHead head = fit_head(x, scores, 0.0);
  CHECK(head.weight.isApprox(weight, 1e-12));
  CHECK(head.bias.isApprox(Vector::Constant(2, 0.5), 1e-12));
  CHECK(fit_head(x, scores, 1.0).weight.norm() < weight.norm());
  CHECK_THROWS_SAYING(fit_head(x, scores.topRows(4), 0.0), std::invalid_argument, "scores 4");
  CHECK_THROWS_SAYING(fit_head(x, scores, -1.0), std::invalid_argument, "ridge");
  CHECK_THROWS_SAYING(fit_head(Matrix(Matrix::Ones(50, 3)), scores, 0.0), std::domain_error,
                      "do not determine a head");
  CHECK_THROWS_SAYING(Standard::of(Matrix::Ones(3, 2)), std::domain_error,
                      "class 0 are the same in all training rows");
  CHECK_THROWS_SAYING(class_scores(x, {{0, 9}, {1, 2}}, Matrix::Ones(2, 2)), std::invalid_argument,
                      "feature 9 of class 0");
  CHECK_THROWS_SAYING(class_scores(x, {{0}, {1}}, Matrix::Ones(2, 2)), std::invalid_argument,
                      "class 0 has 1 features");
  CHECK_THROWS_SAYING(class_scores(x, {{0, 1}}, Matrix::Ones(2, 2)), std::invalid_argument,
                      "1 classes");
}

TEST_CASE("superposition: rows are their own, whatever is drawn with them") {
  WorldOptions options;
  options.features = 30;
  options.width = 6;
  options.roots = 2;
  options.orthogonal_steps = 2;
  const World world = make_world(options, Seed(1));
  const Matrix all = draw_activations(world, 0, 300, Seed(2));
  CHECK(draw_activations(world, 7, 50, Seed(2)) == all.middleRows(7, 50));
  CHECK(realised_rates(world, 300, Seed(2)) ==
        Vector((all.array() > 0.0).cast<double>().colwise().mean().transpose()));
  const Matrix x = compose(all, world.directions, world.bias);
  CHECK(x.isApprox((all * world.directions).rowwise() + world.bias.transpose(), 1e-12));
  CHECK_THROWS_SAYING(compose(x, world.directions, world.bias), std::invalid_argument,
                      "a is 300 x 6");
  CHECK_THROWS_SAYING(draw_activations(world, -1, 1, Seed(2)), std::invalid_argument, "first = -1");
  CHECK_THROWS_SAYING(draw_activations(world, 0, 0, Seed(2)), std::invalid_argument, "count = 0");
  options.mean_last = 0.0;
  CHECK_THROWS_SAYING(make_world(options, Seed(1)), std::invalid_argument, "mean_last is 0");
  options.mean_last = 4.0;
  options.sd_spread = -1.0;
  CHECK_THROWS_SAYING(make_world(options, Seed(1)), std::invalid_argument, "sd_spread");
}

TEST_CASE("superposition: what is written fits together") {
  const Bundle data = load();
  const Rows x = rows_of(data, "activations"), a = rows_of(data, "truth_activations");
  const Rows directions = rows_of(data, "truth_directions"), bias = rows_of(data, "truth_bias");
  CHECK(data.shape("truth_activations") == std::vector<std::int64_t>{300, 20});
  CHECK(bias.norm() == doctest::Approx(0.5));
  CHECK((directions.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-6);
  // Rounded to float32 once: entries below 64 by less than 2^-18.
  const Rows made = (a * directions).rowwise() + bias.row(0);
  CHECK((x.bottomRows(300) - made).cwiseAbs().maxCoeff() < 0x1p-18);

  const Rows concepts = rows_of(data, "concepts"), factors = rows_of(data, "factors");
  CHECK(factors.bottomRows(300) == a.leftCols(6));
  CHECK(concepts == Rows((factors.array() > 0.0).cast<double>()));
  const auto parent = data.values<std::int64_t>("truth_parent");
  for (Eigen::Index i = 0; i < 20; ++i)
    if (const auto up = parent[static_cast<std::size_t>(i)]; up >= 0)
      CHECK((a.col(i).array() > 0.0 && a.col(up).array() == 0.0).count() == 0);
  CHECK(data.texts.at("concept_names") ==
        "feature 0 (a root),feature 1 below 0,feature 2 below 0,feature 3 below 0,feature 4 below "
        "1,feature 5 below 1");
  CHECK(data.texts.at("factor_names") == data.texts.at("concept_names"));

  // The rates are the world's: those of other rows agree, four standard errors of both.
  const Rows rates = doubles_of(data, "truth_rate");
  for (Eigen::Index i = 0; i < 20; ++i) {
    const double p = rates(0, i), seen = (a.col(i).array() > 0.0).cast<double>().mean();
    CAPTURE(i);
    CHECK(std::abs(seen - p) <= 4.0 * std::sqrt(p * (1.0 - p) * (1.0 / 300 + 1.0 / 20000)));
  }
  CHECK(data.values<std::int64_t>("train_index").size() == 400);
  CHECK(data.values<std::int64_t>("test_index").front() == 400);

  // Logits are true importances times activations, and what the bias adds.
  const Rows weight = doubles_of(data, "head_weight"), offset = doubles_of(data, "head_bias");
  const Rows logits = (x.bottomRows(300) * weight.transpose()).rowwise() + offset.row(0);
  const Rows rebuilt = (a * (weight * directions.transpose()).transpose()).rowwise() +
                       (bias * weight.transpose() + offset).row(0);
  CHECK((logits - rebuilt).cwiseAbs().maxCoeff() < 1e-4);
  const auto labels = data.values<std::int64_t>("labels");
  double right = 0.0;
  for (Eigen::Index i = 0; i < 300; ++i) {
    Eigen::Index said = 0;
    logits.row(i).maxCoeff(&said);
    right += said == labels[static_cast<std::size_t>(400 + i)];
  }
  CHECK(right / 300 > 0.6);  // three classes: a third by chance
}

TEST_CASE("superposition: the run's seed draws rows and nothing else; world_seed the rest") {
  const Bundle once = load(), again = load(), other = load({}, 1),
               moved = load({{"world_seed", 1}});
  CHECK(once == again);
  for (const char* same : {"truth_directions", "truth_bias", "truth_parent", "truth_rate"})
    CHECK(once.arrays.at(same) == other.arrays.at(same));
  CHECK(once.texts == other.texts);
  for (const char* drawn : {"activations", "truth_activations", "head_weight", "labels"})
    CHECK_FALSE(once.arrays.at(drawn) == other.arrays.at(drawn));
  for (const char* all : {"truth_directions", "truth_bias", "truth_rate", "activations"})
    CHECK_FALSE(once.arrays.at(all) == moved.arrays.at(all));
  // More training rows leave those that were there, and all test rows, as they are.
  const Bundle more = load({{"train", 500}});
  CHECK(more.arrays.at("truth_activations") == once.arrays.at("truth_activations"));
  CHECK(rows_of(more, "activations").topRows(400) == rows_of(once, "activations").topRows(400));
}

TEST_CASE("superposition: parameters that do not fit each other, and stopping") {
  const auto says = [](const Arguments& more, const std::string& why) {
    check_refused(plugin("superposition").load(with(more)), why);
  };
  says({{"annotated", 21}}, "annotated = 21, but features = 20");
  says({{"classes", 11}}, "classes = 11 of class_features = 2, but features = 20");
  says({{"rate_max", 0.01}}, "rate_min = 0.050000 is above rate_max = 0.010000");
  CHECK(plugin("superposition").load({}, {.cancelled = [] { return true; }}).status ==
        CONO_CANCELLED);
}
