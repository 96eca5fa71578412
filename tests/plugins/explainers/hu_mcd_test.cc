// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "numerics/subspace.h"
#include "tests/support/image_bundle.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

const Rows kWeight{{3.0, 4.0, 0.0, 0.0, 0.0, 12.0, 0.0, 84.0}};

/// 40 samples with three segments each, one in each of three planes: axes 0 and 1, 2 and 3, 4 and
/// 5. The second axis of a plane varies less than a fifth as much as the first.
Bundle segmented(const std::string& output = "regression", double minor = 0.2) {
  conoscope::sdk::Random random{conoscope::sdk::Seed(3)};
  Rows segments = Rows::Zero(120, 8);
  std::vector<std::int64_t> sample;
  for (Eigen::Index s = 0; s < 120; ++s) {
    segments(s, s % 3 * 2) = 10.0 * random.normal();
    segments(s, s % 3 * 2 + 1) = 10.0 * minor * random.normal();
    sample.push_back(s / 3);
  }
  Bundle head = head_bundle(normal_rows(40, 8, 1, true), 1, kWeight, {0.0}, output);
  head.arrays["segment_embeddings"] = OwnedArray::of<double>({120, 8}, flat(segments));
  head.arrays["segment_sample"] = OwnedArray::of<std::int64_t>({120}, sample);
  return head;
}

const Arguments kSmall{{"min_segments", 30}};

}  // namespace

TEST_CASE("hu_mcd: as many clusters as segments per sample, dimensions by variance") {
  const Outcome narrow = plugin("hu_mcd").fit_explainer(kSmall, segmented());
  REQUIRE(narrow.error == "");
  CHECK(narrow.out.texts.at("dimension") == "3 of 8");  // 1 / 1.04 of the variance in one axis
  const Outcome wide = plugin("hu_mcd").fit_explainer(kSmall, segmented("regression", 1.0));
  REQUIRE(wide.error == "");
  CHECK(wide.out.texts.at("dimension") == "6 of 8");
  CHECK(wide.out.shape("concept_dimension") == std::vector<std::int64_t>{1, 3});
  const Rows cavs = matrix_of(wide.out, "cavs");
  CHECK(cavs.rightCols(2).isZero(1e-9));
  for (Eigen::Index v = 0; v < 6; ++v)
    CHECK(wide.out.values<double>("importance")[static_cast<std::size_t>(v)] ==
          doctest::Approx(kWeight.row(0).dot(cavs.row(v))));
  // Squared, and the planes are orthogonal: 5^2, 0, 12^2 and 84^2 of 85^2.
  double sum = 0.0;
  for (const double share : wide.out.values<double>("global_relevance")) sum += share;
  CHECK(sum == doctest::Approx(1.0));
  CHECK(wide.out.values<double>("global_relevance")[3] ==
        doctest::Approx(84.0 * 84.0 / (85.0 * 85.0)));
  CHECK(wide.out.values<double>("completeness")[0] == doctest::Approx(13.0 / 85.0));

  Arguments capped = kSmall;  // 8 features over 5 clusters: one dimension each
  capped["clusters"] = 5;
  capped["min_segments"] = 2;
  const Outcome five = plugin("hu_mcd").fit_explainer(capped, segmented("regression", 1.0));
  REQUIRE(five.error == "");
  for (const std::int64_t dimension : five.out.values<std::int64_t>("concept_dimension"))
    CHECK(dimension <= 8 / static_cast<std::int64_t>(five.out.shape("concept_dimension")[1]));
}

TEST_CASE("hu_mcd: psi gives back what lies in the subspaces") {
  const Outcome fit = plugin("hu_mcd").fit_explainer(kSmall, segmented("regression", 1.0));
  REQUIRE(fit.error == "");
  const Rows h = normal_rows(4, 8, 5);
  const Outcome scores =
      plugin("hu_mcd").project({}, fit.out, 0, OwnedArray::of<double>({4, 8}, flat(h)), 6);
  const Outcome back =
      plugin("hu_mcd").reconstruct({}, fit.out, 0, scores.out.arrays.at("scores"), 8);
  REQUIRE(back.error == "");
  Rows within = h;
  within.rightCols(2).setZero();
  CHECK(matrix_of(back.out, "rows").isApprox(within, 1e-9));
}

TEST_CASE("hu_mcd: zero segments do not count; samples above max_samples are drawn by the seed") {
  const Bundle head = segmented();
  Bundle more = head;
  Rows rows = Rows::Zero(130, 8);
  rows.topRows(120) = matrix_of(head, "segment_embeddings");
  const auto known = head.values<std::int64_t>("segment_sample");
  std::vector<std::int64_t> owners(known.begin(), known.end());
  owners.resize(130, 7);
  more.arrays["segment_embeddings"] = OwnedArray::of<double>({130, 8}, flat(rows));
  more.arrays["segment_sample"] = OwnedArray::of<std::int64_t>({130}, owners);
  const Outcome once = plugin("hu_mcd").fit_explainer(kSmall, head, {.seed = 2});
  CHECK((plugin("hu_mcd").fit_explainer(kSmall, more, {.seed = 2}).out == once.out));
  CHECK((plugin("hu_mcd").fit_explainer(kSmall, head, {.seed = 2, .threads = 8}).out == once.out));

  Arguments few = kSmall;
  few["max_samples"] = 20;
  few["min_segments"] = 20;
  const Outcome half = plugin("hu_mcd").fit_explainer(few, head);
  REQUIRE(half.error == "");
  CHECK(half.out.texts.at("dimension") == "3 of 8");
}

TEST_CASE("hu_mcd: what is refused") {
  check_fault(plugin("hu_mcd").fit_explainer({}, random_head_bundle(20, 1, 9, 2, 3)),
              CONO_NOT_APPLICABLE,
              "hu_mcd: the dataset has no segment_embeddings and segment_sample");

  check_fault(
      plugin("hu_mcd").fit_explainer({}, segmented()), CONO_UNDEFINED,
      "hu_mcd: output 0: none of 3 clusters of 120 segments holds min_segments = 50; lower it, "
      "or give more samples");

  check_fault(plugin("hu_mcd").fit_explainer({{"clusters", 121}}, segmented()),
              CONO_INVALID_ARGUMENT, "hu_mcd: output 0 has 120 rows, fewer than k = 121 concepts");

  Bundle bad = segmented();
  bad.arrays["segment_embeddings"] =
      OwnedArray::of<double>({120, 8}, flat(Rows::Constant(120, 8, 2.0)));
  check_fault(plugin("hu_mcd").fit_explainer({{"clusters", 1}}, bad), CONO_UNDEFINED,
              "hu_mcd: output 0: the segments of a cluster do not differ, in any cluster");

  bad.arrays["segment_embeddings"].shape = {160, 6};
  check_fault(plugin("hu_mcd").fit_explainer({}, bad), CONO_INVALID_ARGUMENT,
              "hu_mcd: segment_embeddings is 160 x 6 for 120 segment_sample and features of 8");

  bad = segmented();
  bad.arrays["segment_sample"] =
      OwnedArray::of<std::int64_t>({120}, std::vector<std::int64_t>(120, 40));
  check_fault(plugin("hu_mcd").fit_explainer({}, bad), CONO_INVALID_ARGUMENT,
              "hu_mcd: segment_sample[0] is 40, but there are 40 samples");

  CHECK(plugin("hu_mcd")
            .fit_explainer(kSmall, segmented(), {.cancelled = [] { return true; }})
            .status == CONO_CANCELLED);
}

TEST_CASE("hu_mcd: without given segments they are cut from images and run through the model") {
  const Arguments few{{"min_segments", 5}, {"clusters", 3}, {"segments", 4}, {"sigma", 0.0}};
  const Bundle head = image_bundle(40);
  const Outcome found = plugin("hu_mcd").fit_explainer_with(few, head, shades, {.seed = 1});
  REQUIRE(found.error == "");
  CHECK(found.out.values<std::int64_t>("counts")[0] > 0);
  CHECK(found.out.values<std::int64_t>("counts")[1] > 0);
  CHECK((plugin("hu_mcd").fit_explainer_with(few, head, shades, {.seed = 1, .threads = 8}).out ==
         found.out));
  Arguments mean = few;
  mean["fill"] = "mean";
  CHECK_FALSE(
      (plugin("hu_mcd").fit_explainer_with(mean, head, shades, {.seed = 1}).out == found.out));
}

TEST_CASE("hu_mcd: a segment keeps its pixels, and the fill is grey around it") {
  std::vector<double> seen;
  const auto watch = [&seen](const conoscope::sdk::Tensor& inputs, std::span<double> activations) {
    inputs.for_each([&](std::int64_t, double value) { seen.push_back(value); });
    return shades(inputs, activations);
  };
  const Bundle head = image_bundle(4);
  plugin("hu_mcd").fit_explainer_with({{"segments", 4}}, head, watch);
  REQUIRE(seen.size() % 64 == 0);
  const auto pixels = head.values<double>("inputs");
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  const double grey = *low + 117.0 / 255.0 * (*high - *low);
  // Together the pictures of an image's segments show each of its pixels once.
  std::size_t own = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != doctest::Approx(grey).epsilon(1e-12)) ++own;
  CHECK(own == 4 * 64);
}

TEST_CASE("hu_mcd: given segments win over a model that could be asked") {
  const auto never = [](const conoscope::sdk::Tensor&, std::span<double>) -> cono_status {
    return CONO_INTERNAL;
  };
  const Outcome given = plugin("hu_mcd").fit_explainer(kSmall, segmented());
  CHECK((plugin("hu_mcd").fit_explainer_with(kSmall, segmented(), never).out == given.out));
  CHECK(plugin("hu_mcd").fit_explainer_with(kSmall, image_bundle(40), never).status ==
        CONO_INTERNAL);
  CHECK(plugin("hu_mcd")
            .fit_explainer_with({}, image_bundle(40, "softmax", "flatten"), shades)
            .status == CONO_NOT_APPLICABLE);
}
