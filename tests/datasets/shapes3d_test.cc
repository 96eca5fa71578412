// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "datasets/shapes3d/render.h"
#include "datasets/shapes3d/task.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/outcomes.h"
#include "tests/support/scratch.h"
#include "tests/support/write_npz.h"

using namespace conoscope::testing;
namespace datasets = conoscope::datasets;
namespace shapes3d = conoscope::datasets::shapes3d;
using shapes3d::kNumbers;

namespace {

Bundle load(const Arguments& arguments, std::uint64_t seed = 0) {
  return loaded(plugin("shapes3d"), arguments, seed);
}

void refuses(const Arguments& arguments, const std::string& part) {
  check_refused(plugin("shapes3d").load(arguments), part);
}

std::vector<std::uint8_t> rendered(const std::array<int, 6>& c) {
  std::vector<std::uint8_t> image(kNumbers);
  shapes3d::paint(shapes3d::Geometry(c[3], c[4], c[5]), c[0], c[1], c[2], image);
  return image;
}

std::array<int, 6> factors_of(const Bundle& data, std::size_t i) {
  std::array<int, 6> row;
  for (std::size_t f = 0; f < 6; ++f)
    row[f] = static_cast<int>(data.values<float>("factors")[i * 6 + f]);
  return row;
}

bool same_image(const Bundle& data, std::size_t i, const std::vector<std::uint8_t>& image) {
  return std::ranges::equal(data.values<float>("inputs").subspan(i * kNumbers, kNumbers), image, {},
                            {}, [](std::uint8_t v) { return static_cast<float>(v) / 255.0F; });
}

}  // namespace

TEST_CASE("shapes3d: images, factors, concepts and labels belong together") {
  const Bundle data = load({{"samples", 60}}, 4);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{60, 64, 64, 3});
  CHECK(data.shape("concepts") == std::vector<std::int64_t>{60, 6});
  CHECK(data.texts.at("task") == "classification");
  constexpr std::array<int, 6> below = {5, 5, 5, 4, 2, 7}, strides = {2, 2, 2, 1, 1, 4};
  for (std::size_t i = 0; i < 60; ++i) {
    const auto row = factors_of(data, i);
    std::array<std::uint8_t, 6> bits;
    for (std::size_t f = 0; f < 6; ++f) {
      CHECK(row[f] % strides[f] == 0);
      bits[f] = row[f] < below[f];
      CHECK(data.values<float>("concepts")[i * 6 + f] == bits[f]);
    }
    CHECK(data.values<std::int64_t>("labels")[i] ==
          shapes3d::label(bits, shapes3d::LabelRule::kLeakage));
    CHECK(same_image(data, i, rendered(row)));
  }
  CHECK((load({{"samples", 60}}, 4) == data));
  CHECK_FALSE((load({{"samples", 60}}, 5) == data));
}

TEST_CASE("shapes3d: correlation, label rules, the incomplete concept set, a crossed grid") {
  const Bundle tied = load({{"samples", 300}, {"gamma", 5}, {"label_rule", "robust_metrics"}});
  const auto sets = datasets::draw_conditional_sets(shapes3d::kSteps, conoscope::sdk::Seed(0));
  constexpr std::array<int, 6> below = {5, 5, 5, 4, 2, 7};
  for (std::size_t i = 0; i < 300; ++i) {
    const auto row = factors_of(tied, i);
    std::array<std::uint8_t, 6> bits;
    for (std::size_t f = 0; f < 6; ++f) bits[f] = row[f] < below[f];
    for (std::size_t step = 0; step < 5; ++step)
      REQUIRE(sets[step].allows(row[step], bits[step], row[step + 1]));
    REQUIRE(tied.values<std::int64_t>("labels")[i] ==
            shapes3d::label(bits, shapes3d::LabelRule::kRobustMetrics));
  }
  const Bundle whole = load({{"samples", 30}, {"label_rule", "misspecified"}}),
               fewer =
                   load({{"samples", 30}, {"label_rule", "misspecified"}, {"incomplete", true}});
  CHECK((fewer.arrays.at("labels") == whole.arrays.at("labels")));
  CHECK(fewer.shape("concepts") == std::vector<std::int64_t>{30, 4});
  for (std::size_t i = 0; i < 30; ++i) {
    constexpr std::array<std::size_t, 4> kept = {0, 1, 3, 4};
    for (std::size_t j = 0; j < 4; ++j)
      REQUIRE(fewer.values<float>("concepts")[i * 4 + j] ==
              whole.values<float>("concepts")[i * 6 + kept[j]]);
  }
  CHECK(load({{"selection", "grid"},
              {"every", std::vector<std::int64_t>{5, 5, 10, 7, 3, 14}},
              {"samples", 0}})
            .shape("inputs")[0] == 2 * 2 * 1 * 2 * 2 * 2);
  refuses({{"samples", 16001}}, "shapes3d: samples is 16001, but there are 16000 images");
  refuses({{"selection", "grid"}, {"every", std::vector<std::int64_t>{5}}},
          "shapes3d: every is [5], expected 6");
}

TEST_CASE("shapes3d: by the paper's text, the shape decides where hues come from") {
  const Bundle data = load({{"samples", 1000}, {"gamma", 1}, {"selection", "published_text"}});
  bool below_the_codes_upper_pool = false;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto row = factors_of(data, i);
    const bool low = row[4] < 2;
    CHECK((low ? row[1] < 7 : row[1] >= 1));
    below_the_codes_upper_pool |= low && row[0] >= 5 && row[1] < 3;
  }
  CHECK(below_the_codes_upper_pool);  // where the floor's hue decided, there would be none
}

TEST_CASE("shapes3d: a file in the published layout, and what is refused") {
  const Scratch scratch;
  const std::vector<std::array<int, 6>> rows = {
      {0, 1, 2, 3, 0, 4}, {9, 0, 3, 7, 1, 14}, {5, 5, 5, 0, 2, 0}, {1, 2, 3, 4, 3, 7}};
  std::vector<std::uint8_t> images;
  std::vector<double> labels;
  for (const auto& row : rows) {
    const auto image = rendered(row);
    images.insert(images.end(), image.begin(), image.end());
    for (std::size_t f = 0; f < 3; ++f) labels.push_back(row[f] / 10.0);
    labels.push_back(0.75 + row[3] * 0.5 / 7);
    labels.push_back(row[4]);
    labels.push_back(-30 + row[5] * 60.0 / 14);
  }
  const ZipMember good_images = {"images.npy", npy_bytes("|u1", "(4, 64, 64, 3)", images)},
                  good_labels = {"labels.npy", npy_bytes("<f8", "(4, 6)", labels)};
  const auto path = write_zip(scratch.path("a.npz"), {good_labels, good_images});
  const Bundle data =
      load({{"file", path}, {"selection", "grid"}, {"samples", 0}, {"test_share", 0.5}});
  REQUIRE(data.shape("inputs")[0] == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(factors_of(data, i) == rows[i]);
    CHECK(same_image(data, i, rendered(rows[i])));
  }

  const auto bad = [&](const std::string& name, const std::vector<ZipMember>& members,
                       const std::string& part) {
    const auto file = write_zip(scratch.path(name), members);
    refuses({{"file", file}, {"selection", "grid"}, {"samples", 0}}, file + part);
  };
  bad("keys.npz", {good_images}, ": no array 'labels'; it holds images");
  bad("images.npz", {good_labels}, ": no array 'images'; it holds labels");
  bad("grey.npz", {good_labels, {"images.npy", npy_bytes("|u1", "(12, 64, 64)", images)}},
      ": images: 12 x 64 x 64 uint8, expected n x 64 x 64 x 3 uint8");
  bad("float.npz",
      {good_labels, {"images.npy", npy_bytes("<f4", "(0, 64, 64, 3)", std::vector<float>())}},
      ": images: 0 x 64 x 64 x 3 float32, expected n x 64 x 64 x 3 uint8");
  bad("columns.npz", {good_images, {"labels.npy", npy_bytes("<f8", "(6, 4)", labels)}},
      ": labels: 6 x 4, expected n x 6");
  bad("fewer.npz",
      {good_images,
       {"labels.npy", npy_bytes("<f8", "(1, 6)", std::vector(labels.begin(), labels.begin() + 6))}},
      ": images has 4 images, but there are labels of 1");
  labels[6 + 3] = 1.2;
  bad("scale.npz", {good_images, {"labels.npy", npy_bytes("<f8", "(4, 6)", labels)}},
      ": labels: scale at [1] is 1.2, expected 0.75 to 1.25 in steps of 0.0714286");
}
