// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/leakage_null.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "metrics/information/mi_noise.h"
#include "metrics/information/strata.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// Three independent concepts, soft ones, and a label of their majority, leak times the label in
/// every one of them and leak times the next concept's score.
struct World {
  Matrix truth, soft;
  IndexVector labels;
  World(Index n, double leak, std::uint64_t seed) : truth(n, 3), soft(n, 3) {
    const Draws draw = normal_draws(seed);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < 3; ++j) truth(i, j) = draw() > 0.0;
      labels.push_back(truth.row(i).sum() >= 2.0);
      for (Index j = 0; j < 3; ++j)
        soft(i, j) = 4.0 * truth(i, j) + leak * static_cast<double>(labels.back()) + draw();
      for (Index j = 0; j < 3; ++j) soft(i, j) += 0.5 * leak * soft(i, (j + 1) % 3);
    }
  }
};

TEST_CASE("leakage null: perfect concepts are at 1, leaking ones at the smallest p there is") {
  const World none(300, 0.0, 1), much(300, 3.0, 1);
  CHECK(ctl_p_values(none.truth, none.truth, none.labels) == std::vector<double>(3, 1.0));
  CHECK(icl_p_values(none.truth, none.truth) == std::vector<double>(3, 1.0));
  CHECK(ctl_p_values(much.soft, much.truth, much.labels) == std::vector<double>(3, 1.0 / 200.0));
  CHECK(icl_p_values(much.soft, much.truth) == std::vector<double>(3, 1.0 / 200.0));
  CHECK(ctl_p_values(much.soft, much.truth, much.labels, {.permutations = 39})[0] == 1.0 / 40.0);
  Matrix hard = none.truth;
  for (Index i = 0; i < 300; ++i)
    hard(i, 1) = static_cast<double>(none.labels[static_cast<size_t>(i)]);
  const std::vector<double> task = ctl_p_values(hard, none.truth, none.labels);
  CHECK(task[0] == 1.0);
  CHECK(task[1] == 1.0 / 200.0);
  const std::vector<double> pairs = icl_p_values(hard, none.truth);
  CHECK(pairs[0] == 1.0 / 200.0);  // the label knows of concept 0, which is as annotated
  CHECK(pairs[1] == 1.0);          // (0, 2): both are as annotated
}

TEST_CASE("leakage null: by hand, two of six permutations say as much") {
  // One stratum of four: ln 2 for y = 0011 and 1100, less for the other four.
  const Matrix predicted = (Matrix(4, 1) << 0, 0, 1, 1).finished(), truth = Matrix::Zero(4, 1);
  const IndexVector labels{0, 0, 1, 1};
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double p = ctl_p_values(predicted, truth, labels, {.permutations = 999, .seed = seed})[0];
    sum += 9.0 / (10.0 / p - 1.0);  // unbiased where the tenth stops it
  }
  // sd of one is about 0.1, of the mean 0.006
  CHECK(sum / 300.0 == doctest::Approx(1.0 / 3.0).epsilon(0.06));
}

TEST_CASE("leakage null: where nothing leaks, p is at most 0.1 one time in ten") {
  int task = 0, between = 0, tests = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const World none(60, 0.0, seed);
    const LeakageNullOptions options{.permutations = 59, .seed = seed};
    for (const double p : ctl_p_values(none.soft, none.truth, none.labels, options)) {
      task += p <= 0.1;
      ++tests;
    }
    for (const double p : icl_p_values(none.soft, none.truth, options)) between += p <= 0.1;
  }
  // 36 of 360 are expected, with a standard deviation of 6
  CHECK(std::abs(task - tests / 10) < 18);
  CHECK(std::abs(between - tests / 10) < 18);
}

TEST_CASE("leakage null: the order of the samples, units and names of labels make no difference") {
  const World some(150, 0.2, 4);
  const std::vector<double> task = ctl_p_values(some.soft, some.truth, some.labels),
                            between = icl_p_values(some.soft, some.truth);
  CHECK(*std::max_element(task.begin(), task.end()) < 1.0);
  IndexVector labels(some.labels.rbegin(), some.labels.rend());
  for (Index& label : labels) label = 50 + 3 * label;
  const Matrix soft = 16.0 * some.soft.colwise().reverse(), truth = some.truth.colwise().reverse();
  CHECK(ctl_p_values(soft, truth, labels) == task);
  CHECK(icl_p_values(soft, truth) == between);
  CHECK(ctl_p_values(soft, truth, labels, {.seed = 1}) != task);
}

TEST_CASE("permutations within strata: samples change places with their like alone") {
  const IndexVector label{2, 2, 5, 2, 5, 9};
  const std::vector<std::int32_t> order{5, 4, 3, 2, 1, 0};
  detail::PermutationWithin within(label, order);
  numerics::Random random(1);
  bool moved = false;
  for (int draw = 0; draw < 20; ++draw) {
    const auto permutation = within.draw(random);
    std::vector<std::int32_t> sorted(permutation.begin(), permutation.end());
    for (size_t i = 0; i < label.size(); ++i) {
      CHECK(label[static_cast<size_t>(permutation[i])] == label[i]);
      moved = moved || permutation[i] != static_cast<std::int32_t>(i);
    }
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  }
  CHECK(moved);
  CHECK(detail::joint_label(std::vector<IndexVector>{{1, 1, 9, 9}, {4, 0, 4, 4}}) ==
        IndexVector{1, 0, 2, 2});
}

TEST_CASE("ctl_significant, icl_significant: the share that Benjamini and Hochberg leave") {
  const auto scores = [](const World& world) {
    ConceptView view;
    view.scores = view.probabilities = world.soft;
    Annotations annotations;
    annotations.concepts = world.truth;
    annotations.labels = world.labels;
    Views views{.concepts = &view, .annotations = &annotations};
    return score_group(views, "leakage");
  };
  const auto none = scores(World(300, 0.0, 1)), much = scores(World(300, 3.0, 1));
  for (const char* name : {"ctl_significant", "icl_significant"}) {
    CAPTURE(name);
    CHECK(none.at(name).value == 0.0);
    CHECK(much.at(name).value == 1.0);
    CHECK(much.at(name).parts == std::vector<double>(3, 1.0 / 200.0));
  }
  // Saturated scores, where ctl is undefined: noise breaks the ties of both sides of the test.
  World tied(300, 0.0, 1);
  tied.soft = tied.truth.array() * 0.5 + 0.25;
  const auto saturated = scores(tied);
  CHECK(saturated.at("ctl").message.starts_with("noise breaks ties"));
  CHECK(saturated.at("ctl_significant").value == 0.0);
  CHECK(saturated.at("icl_significant").value == 0.0);
  // One of twelve that leaks is found: p can be as small as the twelve tests ask for.
  World twelve(300, 0.0, 1);
  const World leaking(300, 3.0, 1);
  twelve.truth = twelve.truth.replicate(1, 4).eval();
  twelve.soft = twelve.truth;
  twelve.soft.col(5) = leaking.soft.col(2);
  twelve.soft(0, 0) = 0.5;  // soft
  const Score found = scores(twelve).at("ctl_significant");
  CHECK(found.value == doctest::Approx(1.0 / 12));
  CHECK(found.parts[5] == 1.0 / 240.0);
  World wide(30, 0.0, 1);
  wide.truth = wide.truth.replicate(1, 8).eval();
  wide.soft = wide.soft.replicate(1, 8).eval();
  CHECK(scores(wide).at("icl_significant").message ==
        "of 276 pairs of concepts at most 200 are tested; icl_significant(pairs=276) tests all");
}

TEST_CASE("leakage null: what is refused") {
  const World world(30, 0.0, 1);
  CHECK_THROWS_SAYING(ctl_p_values(world.soft.leftCols(2), world.truth, world.labels),
                      std::invalid_argument, "predicted is 30 x 2", "truth 30 x 3");
  CHECK_THROWS_SAYING(ctl_p_values(world.soft, world.truth, IndexVector{1}), std::invalid_argument,
                      "labels has 1");
  CHECK_THROWS_SAYING(ctl_p_values(world.soft, world.truth, world.labels, {.permutations = 0}),
                      std::invalid_argument, "permutations = 0");
  CHECK_THROWS_SAYING(icl_p_values(world.soft, world.soft), std::invalid_argument,
                      "truth is not made of whole");
  CHECK_THROWS_SAYING(icl_p_values(world.soft.leftCols(1), world.truth.leftCols(1)),
                      std::invalid_argument, "pairs need at least two");
  CHECK_THROWS_SAYING(icl_p_values(world.soft.topRows(3), world.truth.topRows(3)),
                      std::invalid_argument, "3 samples");
  IndexVector each;
  for (Index i = 0; i < 30; ++i) each.push_back(i);
  CHECK_THROWS_SAYING(ctl_p_values(world.soft, world.truth, each), std::domain_error,
                      "occurs once");
}

}  // namespace

}  // namespace conoscope::tests
