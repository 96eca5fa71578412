// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "numerics/subspace.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;
namespace numerics = conoscope::numerics;

namespace {

/// Rows of three planes of eight dimensions: axes 0 and 1, 2 and 3, 4 and 5; of any length.
Rows planes(Eigen::Index rows, std::uint64_t seed) {
  conoscope::sdk::Random random{conoscope::sdk::Seed(seed)};
  Rows out = Rows::Zero(rows, 8);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index d = 0; d < 2; ++d) out(i, i % 3 * 2 + d) = 10.0 * random.normal();
  return out;
}

Arguments with(Arguments arguments, std::int64_t k, const std::string& clustering = "ssc") {
  arguments["k"] = k;
  arguments["clustering"] = clustering;
  return arguments;
}

const Rows kWeight{{3.0, 4.0, 0.0, 0.0, 0.0, 12.0, 0.0, 84.0}};

}  // namespace

TEST_CASE("mcd: finds planes, and what lies outside them is left out") {
  const Bundle head = head_bundle(planes(120, 1), 2, kWeight, {0.0}, "regression");
  const Arguments arguments = with({{"gamma", 10.0}}, 3);
  const Outcome outcome = plugin("mcd").fit_explainer(arguments, head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.texts.at("dimension") == "6 of 8");
  CHECK(outcome.out.shape("concept_dimension") == std::vector<std::int64_t>{1, 3});
  for (const std::int64_t dimension : outcome.out.values<std::int64_t>("concept_dimension"))
    CHECK(dimension == 2);
  const Rows cavs = matrix_of(outcome.out, "cavs");
  REQUIRE(cavs.rows() == 6);
  const auto importance = outcome.out.values<double>("importance");
  for (Eigen::Index v = 0; v < 6; ++v)
    CHECK(importance[static_cast<std::size_t>(v)] ==
          doctest::Approx(kWeight.row(0).dot(cavs.row(v))));
  // |w| = 85: 5 in the first plane, 0 in the second, 12 in the third, 84 outside.
  std::vector<double> shares;
  for (const double share : outcome.out.values<double>("global_relevance")) shares.push_back(share);
  REQUIRE(shares.size() == 4);
  CHECK(shares[3] == doctest::Approx(84.0 / 85.0));
  std::sort(shares.begin(), shares.begin() + 3);
  CHECK(shares[0] == doctest::Approx(0.0));
  CHECK(shares[1] == doctest::Approx(5.0 / 85.0));
  CHECK(shares[2] == doctest::Approx(12.0 / 85.0));
  CHECK(outcome.out.values<double>("completeness")[0] == doctest::Approx(13.0 / 85.0));

  const Rows h = normal_rows(4, 8, 5);
  const OwnedArray rows = OwnedArray::of<double>({4, 8}, flat(h));
  const Outcome scores = plugin("mcd").project(arguments, outcome.out, 0, rows, 6);
  REQUIRE(scores.error == "");
  const Outcome back =
      plugin("mcd").reconstruct(arguments, outcome.out, 0, scores.out.arrays.at("scores"), 8);
  REQUIRE(back.error == "");
  Rows within = h;
  within.rightCols(2).setZero();
  CHECK(matrix_of(back.out, "rows").isApprox(within, 1e-9));
}

TEST_CASE("mcd: oblique concepts are told apart by the pseudo-inverse") {
  Bundle explanation;
  explanation.arrays["cavs"] = OwnedArray::of<double>({2, 3}, {1, 0, 0, 0.6, 0.8, 0});
  explanation.arrays["counts"] = OwnedArray::of<std::int64_t>({2}, {0, 2});
  explanation.texts["scope"] = "class_specific";
  const OwnedArray rows = OwnedArray::of<double>({1, 3}, {2, 4, 7});
  const Outcome scores = plugin("mcd").project({}, explanation, 1, rows, 2);
  REQUIRE(scores.error == "");
  CHECK(scores.out.values<double>("scores")[0] == doctest::Approx(-1.0));
  CHECK(scores.out.values<double>("scores")[1] == doctest::Approx(5.0));
  CHECK(plugin("mcd").project({}, explanation, 0, rows, 0).error ==
        "");  // an output without concepts
}

TEST_CASE("mcd: the same bits again, whatever the threads; scale of rows does not matter") {
  const Rows rows = planes(90, 2);
  const Bundle head = head_bundle(rows, 1, kWeight, {0.0}, "regression");
  const Outcome once = plugin("mcd").fit_explainer(with({}, 3), head, {.seed = 4, .threads = 1});
  CHECK(
      (plugin("mcd").fit_explainer(with({}, 3), head, {.seed = 4, .threads = 8}).out == once.out));
  const Bundle larger = head_bundle(1024.0 * rows, 1, kWeight, {0.0}, "regression");
  CHECK((plugin("mcd").fit_explainer(with({}, 3), larger, {.seed = 4}).out == once.out));
}

TEST_CASE("mcd: classes are the model's own; a class never predicted has no concepts") {
  const Rows weight = normal_rows(3, 8, 4);
  const Bundle head = head_bundle(normal_rows(400, 8, 3, true), 4, weight, {0.0, 0.0, -1e6});
  for (const char* clustering : {"ssc", "kmeans"}) {
    const Outcome outcome = plugin("mcd").fit_explainer(with({}, 2, clustering), head);
    REQUIRE(outcome.error == "");
    const auto counts = outcome.out.values<std::int64_t>("counts");
    const auto dimensions = outcome.out.values<std::int64_t>("concept_dimension");
    for (std::size_t c = 0; c < 3; ++c)
      CHECK(counts[c] == dimensions[2 * c] + dimensions[2 * c + 1]);
    CHECK(counts[0] > 0);
    CHECK(counts[2] == 0);
    CHECK(outcome.out.values<double>("completeness")[2] == 0.0);
    CHECK(outcome.out.values<double>("completeness")[0] <= 1.0 + 1e-12);
  }
}

TEST_CASE("mcd: one dimension per concept, at most") {
  const Bundle head = head_bundle(planes(120, 1), 1, kWeight, {0.0}, "regression");
  const Outcome outcome = plugin("mcd").fit_explainer(with({{"max_dimension", 1}}, 3), head);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.texts.at("dimension") == "3 of 8");
}

TEST_CASE("mcd: more concepts and dimensions than features stay solvable") {
  const Bundle head =
      head_bundle(normal_rows(200, 3, 6), 1, Rows{{1.0, 2.0, 3.0}}, {0.0}, "regression");
  const Outcome outcome = plugin("mcd").fit_explainer(with({}, 6), head);
  REQUIRE(outcome.error == "");
  const Rows cavs = matrix_of(outcome.out, "cavs");
  CHECK(cavs.rows() > 3);
  CHECK(outcome.out.values<double>("completeness")[0] == doctest::Approx(1.0));
  const Rows h = normal_rows(5, 3, 7);
  const Outcome scores = plugin("mcd").project(
      {}, outcome.out, 0, OwnedArray::of<double>({5, 3}, flat(h)), cavs.rows());
  CHECK((matrix_of(scores.out, "scores") * cavs).isApprox(h, 1e-9));
}

TEST_CASE("mcd: zero rows are dropped, rows above max_rows drawn by the seed") {
  Rows rows = planes(120, 1);
  const Bundle head = head_bundle(rows, 1, kWeight, {0.0}, "regression");
  Rows longer = Rows::Zero(150, 8);
  longer.topRows(120) = rows;
  const Bundle with_zeros = head_bundle(longer, 1, kWeight, {0.0}, "regression");
  CHECK((plugin("mcd").fit_explainer(with({}, 3), head).out ==
         plugin("mcd").fit_explainer(with({}, 3), with_zeros).out));

  const Arguments some = with({{"max_rows", 60}}, 3);
  const Outcome first = plugin("mcd").fit_explainer(some, head, {.seed = 1});
  CHECK(first.out.texts.at("dimension") == "6 of 8");
  CHECK((plugin("mcd").fit_explainer(some, head, {.seed = 1}).out == first.out));
}

TEST_CASE("mcd: what is refused") {
  check_fault(plugin("mcd").fit_explainer({}, random_head_bundle(4, 1, 9, 1, 3, "regression")),
              CONO_INVALID_ARGUMENT, "mcd: output 0 has 4 rows, fewer than k = 5 concepts");

  check_fault(plugin("mcd").fit_explainer(
                  {}, head_bundle(Rows::Zero(30, 4), 1, Rows::Ones(1, 4), {0.0}, "regression")),
              CONO_INVALID_ARGUMENT, "mcd: output 0 has 0 rows, fewer than k = 5 concepts");

  for (const char* clustering : {"ssc", "kmeans"}) {
    check_fault(
        plugin("mcd").fit_explainer(
            with({}, 2, clustering),
            head_bundle(Rows::Constant(30, 4, 2.0), 1, Rows::Ones(1, 4), {0.0}, "regression")),
        CONO_UNDEFINED, "mcd: output 0: the rows of a cluster do not differ, in any cluster");
  }

  check_fault(
      plugin("mcd").fit_explainer({}, random_head_bundle(20, 2, 9, 2, 3, "softmax", "flatten")),
      CONO_NOT_APPLICABLE, "mcd: a flattened head has one weight vector per position");

  CHECK(
      plugin("mcd")
          .fit_explainer({}, random_head_bundle(60, 1, 9, 2, 3), {.cancelled = [] { return true; }})
          .status == CONO_CANCELLED);
}
