// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/outcomes.h"
#include "tests/support/scratch.h"
#include "tests/support/write_npz.h"

using namespace conoscope::testing;
namespace datasets = conoscope::datasets;
namespace dsprites = conoscope::datasets::dsprites;
using dsprites::kPixels;

namespace {

Bundle load(const Arguments& arguments, std::uint64_t seed = 0) {
  return loaded(plugin("dsprites"), arguments, seed);
}

void refuses(const Arguments& arguments, const std::string& part) {
  check_refused(plugin("dsprites").load(arguments), part);
}

/// A file in the layout of the published one: rows of the full table, rendered by us.
struct Extract {
  std::vector<std::uint8_t> images;
  std::vector<std::int64_t> classes;  ///< with the colour
  std::size_t rows = 0;

  explicit Extract(std::size_t count, std::size_t step = 3001) : rows(count) {
    const auto table =
        datasets::every_combination({dsprites::kSizes.begin(), dsprites::kSizes.end()});
    images.resize(rows * kPixels);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = table.row(static_cast<std::int64_t>(i * step));
      dsprites::render(row, std::span(images).subspan(i * kPixels, kPixels));
      classes.push_back(0);
      classes.insert(classes.end(), row.begin(), row.end());
    }
  }
  std::string n() const { return std::to_string(rows); }
  ZipMember images_member() const {
    return {"imgs.npy", npy_bytes("|u1", "(" + n() + ", 64, 64)", images)};
  }
  ZipMember classes_member() const {
    return {"latents_classes.npy", npy_bytes("<i8", "(" + n() + ", 6)", classes)};
  }
  /// A pickle: reading it would run what it says.
  static ZipMember metadata() {
    return {"metadata.npy", npy_bytes<char>("|O", "()", {'c', 'o', 's', '\n', '.'})};
  }
  std::string write(const std::string& path) const {
    return write_zip(path, {metadata(), classes_member(), images_member()});
  }
};

}  // namespace

TEST_CASE("dsprites: images, factors, concepts and labels belong together") {
  const Bundle data = load({{"samples", 300}}, 4);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{300, 64, 64, 1});
  CHECK(data.shape("concepts") == std::vector<std::int64_t>{300, 5});
  CHECK(data.shape("factors") == std::vector<std::int64_t>{300, 5});
  CHECK(data.texts.at("task") == "classification");
  CHECK(data.shape("test_index")[0] == 60);
  const auto images = data.values<std::uint8_t>("inputs");
  const auto factors = data.values<float>("factors"), concepts = data.values<float>("concepts");
  const auto labels = data.values<std::int64_t>("labels");
  constexpr std::array<int, 5> below = {2, 3, 20, 16, 16}, strides = {1, 2, 4, 2, 2};
  std::vector<std::uint8_t> image(kPixels);
  std::set<std::vector<std::uint8_t>> seen;
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> row(5), bits(5);
    for (std::size_t f = 0; f < 5; ++f) {
      row[f] = static_cast<std::uint8_t>(factors[i * 5 + f]);
      bits[f] = row[f] < below[f];
      CHECK(row[f] % strides[f] == 0);
      REQUIRE(concepts[i * 5 + f] == bits[f]);
    }
    seen.insert(row);
    dsprites::render(row, image);
    REQUIRE(std::ranges::equal(image, images.subspan(i * kPixels, kPixels)));
    REQUIRE(labels[i] == dsprites::label(bits, dsprites::LabelRule::kLeakage));
  }
  CHECK(seen.size() == 300);  // without replacement
}

TEST_CASE("dsprites: the seed draws the samples; correlations follow their own seed") {
  CHECK((load({{"samples", 50}}, 1) == load({{"samples", 50}}, 1)));
  CHECK_FALSE((load({{"samples", 50}}, 1) == load({{"samples", 50}}, 2)));
  const auto scales = [](std::int64_t sets, std::uint64_t seed) {
    const Bundle data = load({{"samples", 2000}, {"gamma", 1}, {"sets_seed", sets}}, seed);
    std::set<std::pair<int, int>> pairs;
    const auto factors = data.values<float>("factors");
    for (std::size_t i = 0; i < factors.size(); i += 5)
      pairs.emplace(static_cast<int>(factors[i]), static_cast<int>(factors[i + 1]));
    return pairs;
  };
  CHECK(scales(0, 1).size() == 9);  // three scales for each shape
  CHECK(scales(0, 1) == scales(0, 2));
  CHECK(scales(0, 1) != scales(1, 1));
}

TEST_CASE("dsprites: a test split that is a crossed grid, in its order") {
  const Arguments grid = {{"selection", "grid"},
                          {"every", std::vector<std::int64_t>{1, 2, 10, 8, 8}},
                          {"samples", 0},
                          {"test_every", std::vector<std::int64_t>{1, 1, 2, 2, 3}}};
  const Bundle data = load(grid);
  const auto test = data.values<std::int64_t>("test_index"),
             train = data.values<std::int64_t>("train_index");
  CHECK(test.size() == 3 * 3 * 2 * 2 * 2);
  CHECK(test.size() + train.size() == 3 * 3 * 4 * 4 * 4);
  CHECK(std::ranges::is_sorted(test));
  const auto factors = data.values<float>("factors");
  std::set<std::vector<float>> combinations;
  for (const std::int64_t i : test) {
    const auto row = factors.subspan(static_cast<std::size_t>(i) * 5, 5);
    CHECK(static_cast<int>(row[2]) % 20 == 0);
    CHECK(static_cast<int>(row[4]) % 24 == 0);
    combinations.insert({row.begin(), row.end()});
  }
  CHECK(combinations.size() == test.size());
  CHECK((load(grid, 1) == data));  // nothing is drawn
  // dSprites(0) is crossed, too.
  CHECK(load({{"samples", 0}, {"test_every", std::vector<std::int64_t>{1, 1, 2, 4, 4}}})
            .shape("test_index")[0] == 3 * 3 * 5 * 4 * 4);
  refuses({{"test_every", std::vector<std::int64_t>{1, 1, 2, 4, 4}}},
          "combinations of the factors, which are not crossed");
  refuses({{"samples", 0}, {"gamma", 1}, {"test_every", std::vector<std::int64_t>{1, 1, 2, 4, 4}}},
          "which are not crossed; keep all images");
  refuses({{"samples", 0}, {"test_every", std::vector<std::int64_t>{1, 1, 1, 1, 1}}},
          "test_every takes all images, and none is left to train");
  refuses({{"test_every", std::vector<std::int64_t>{1, 2}}},
          "dsprites: test_every is [1, 2], expected 5");
}

TEST_CASE("dsprites: by the paper's text, the shape decides where orientations come from") {
  const Bundle data = load({{"samples", 4000}, {"gamma", 2}, {"selection", "published_text"}});
  const auto factors = data.values<float>("factors");
  bool below_the_codes_upper_pool = false;
  for (std::size_t i = 0; i < factors.size(); i += 5) {
    const bool low = factors[i] < 2;
    CHECK((low ? factors[i + 2] < 30 : factors[i + 2] >= 9));
    below_the_codes_upper_pool |= low && factors[i + 1] >= 3 && factors[i + 2] < 9;
  }
  CHECK(below_the_codes_upper_pool);  // where the scale decided, there would be none
}

TEST_CASE("dsprites: label rules and the incomplete concept set") {
  const Bundle whole = load({{"samples", 200}});
  const Bundle fewer = load({{"samples", 200}, {"incomplete", true}});
  CHECK(fewer.shape("concepts") == std::vector<std::int64_t>{200, 3});
  CHECK((fewer.arrays.at("labels") == whole.arrays.at("labels")));
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      REQUIRE(fewer.values<float>("concepts")[i * 3 + j] ==
              whole.values<float>("concepts")[i * 5 + j]);
  for (const auto& [name, rule] : std::map<std::string, dsprites::LabelRule>{
           {"robust_metrics", dsprites::LabelRule::kRobustMetrics},
           {"misspecified", dsprites::LabelRule::kMisspecified}}) {
    const Bundle other = load({{"samples", 200}, {"label_rule", name}});
    CHECK((other.arrays.at("inputs") == whole.arrays.at("inputs")));
    for (std::size_t i = 0; i < 200; ++i) {
      std::array<std::uint8_t, 5> bits;
      for (std::size_t f = 0; f < 5; ++f)
        bits[f] = static_cast<std::uint8_t>(other.values<float>("concepts")[i * 5 + f]);
      REQUIRE(other.values<std::int64_t>("labels")[i] == dsprites::label(bits, rule));
    }
  }
}

TEST_CASE("dsprites: a spurious background on three quarters of the training images") {
  const Bundle plain = load({{"samples", 400}});
  const Bundle spurious = load({{"samples", 400}, {"spurious_share", 0.75}});
  CHECK((plain.arrays.at("train_index") == spurious.arrays.at("train_index")));
  const auto images = spurious.values<float>("inputs");
  const auto sprites = plain.values<std::uint8_t>("inputs");
  const auto labels = spurious.values<std::int64_t>("labels");
  const auto background = [&](std::int64_t i) {  // also: sprites stay white
    const auto at = static_cast<std::size_t>(i) * kPixels;
    for (std::size_t p = 0; p < kPixels; ++p)
      REQUIRE(images[at + p] == (sprites[at + p] != 0 ? 1.0F : images[at]));
    return images[at];
  };
  int changed = 0, class_zero = 0;
  for (const auto i : spurious.values<std::int64_t>("train_index")) {
    const auto label = labels[static_cast<std::size_t>(i)];
    const float found = background(i);
    class_zero += label == 0;  // its background stays black
    if (found == 0.0F) continue;
    ++changed;
    CHECK(found == doctest::Approx(0.1 * static_cast<double>(label)).epsilon(1e-6));
  }
  CHECK(changed <= 240);  // 0.75 * 320
  CHECK(changed >= 240 - class_zero);
  for (const auto i : spurious.values<std::int64_t>("test_index")) CHECK(background(i) == 0.0F);

  const Bundle both = load({{"samples", 400}, {"spurious_share", 0.75}, {"spurious_test", true}});
  const auto shades = both.values<float>("inputs");
  for (const auto i : both.values<std::int64_t>("train_index"))
    CHECK(shades[static_cast<std::size_t>(i) * kPixels] == background(i));
  std::size_t grey = 0;
  const auto test = both.values<std::int64_t>("test_index");
  for (const auto i : test) {
    const float shade = shades[static_cast<std::size_t>(i) * kPixels];
    grey += shade > 0.0F;
    if (shade > 0.0F)
      CHECK(shade == 0.1F * static_cast<float>(labels[static_cast<std::size_t>(i)]));
  }
  CHECK(grey > test.size() / 2);  // three quarters, less those of label 0
  CHECK(grey < test.size());
}

TEST_CASE("dsprites: a crossed grid, whole") {
  const Bundle grid = load({{"selection", "grid"},
                            {"every", std::vector<std::int64_t>{1, 5, 20, 16, 31}},
                            {"samples", 0},
                            {"test_share", 0.5}});
  CHECK(grid.shape("inputs")[0] == 3 * 2 * 2 * 2 * 2);
  refuses({{"selection", "grid"}, {"gamma", 1}}, "gamma is 1, but selection = \"grid\"");
  refuses({{"every", std::vector<std::int64_t>{1, 1, 1, 1, 1}}},
          "dsprites: every goes with selection = \"grid\" only");
  refuses({{"selection", "grid"}, {"every", std::vector<std::int64_t>{1, 7, 1, 1, 1}}},
          "dsprites: every is [1, 7, 1, 1, 1], expected 5");
  refuses({{"samples", 23041}}, "dsprites: samples is 23041, but there are 23040 images");
}

TEST_CASE("dsprites: the published file gives what is drawn, its pickle untouched") {
  const Scratch scratch;
  const Extract extract(40, 18432);  // 18 orientations apart: every one on the strides of gamma 0
  const auto path = extract.write(scratch.path("dsprites.npz"));
  const Arguments arguments = {{"file", path}, {"selection", "grid"}, {"samples", 0}};
  const Bundle data = load(arguments);
  CHECK(data.shape("inputs")[0] == 40);
  CHECK(std::ranges::equal(data.values<std::uint8_t>("inputs"), extract.images));
  const auto factors = data.values<float>("factors");
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t f = 0; f < 5; ++f)
      CHECK(factors[i * 5 + f] == static_cast<float>(extract.classes[i * 6 + f + 1]));
  // A part of it, by the seed: the rows that the factors say.
  Arguments fewer = arguments;
  fewer["samples"] = 10;
  const Bundle part = load(fewer, 3);
  std::vector<std::uint8_t> image(kPixels);
  for (std::size_t i = 0; i < 10; ++i) {
    std::array<std::uint8_t, 5> row;
    for (std::size_t f = 0; f < 5; ++f)
      row[f] = static_cast<std::uint8_t>(part.values<float>("factors")[i * 5 + f]);
    dsprites::render(row, image);
    CHECK(std::ranges::equal(image,
                             part.values<std::uint8_t>("inputs").subspan(i * kPixels, kPixels)));
  }
  constexpr std::array<int, 5> strides = {1, 2, 4, 2, 2};
  std::int64_t on_strides = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    bool on = true;
    for (std::size_t f = 0; f < 5; ++f) on = on && extract.classes[i * 6 + f + 1] % strides[f] == 0;
    on_strides += on ? 1 : 0;
  }
  CHECK(load({{"file", path}, {"samples", 0}}).shape("inputs")[0] == on_strides);
}

TEST_CASE("dsprites: a file that is not as published is refused, naming file and member") {
  const Scratch scratch;
  Extract extract(12);
  const auto bad = [&](const std::string& name, const std::vector<ZipMember>& members,
                       const std::string& part) {
    const auto path = write_zip(scratch.path(name), members);
    refuses({{"file", path}, {"selection", "grid"}, {"samples", 0}}, path + part);
  };
  const ZipMember images = extract.images_member(), classes = extract.classes_member();
  bad("keys.npz", {images, Extract::metadata()},
      ": no array 'latents_classes'; it holds imgs, metadata");
  bad("images.npz", {classes}, ": no array 'imgs'; it holds latents_classes");
  bad("dtype.npz",
      {{"imgs.npy", npy_bytes("<f4", "(12, 64, 64)", std::vector<float>(12 * kPixels))}, classes},
      ": imgs: 12 x 64 x 64 float32, expected n x 64 x 64 uint8");
  bad("rank.npz", {{"imgs.npy", npy_bytes("|u1", "(12, 4096)", extract.images)}, classes},
      ": imgs: 12 x 4096 uint8, expected n x 64 x 64 uint8");
  bad("values.npz",
      {images, {"latents_classes.npy", npy_bytes("<f8", "(12, 6)", std::vector<double>(72))}},
      ": latents_classes: 12 x 6 float64, expected n x 6 whole numbers");
  bad("rows.npz",
      {images, {"latents_classes.npy", npy_bytes("<i8", "(2, 6)", std::vector<std::int64_t>(12))}},
      ": imgs has 12 images, but there are classes of 2");
  bad("short.npz", {{"imgs.npy", images.bytes.substr(0, images.bytes.size() - 100)}, classes},
      ": imgs: cut short: row 11 of 12 has 3996 of 4096 bytes");
  extract.images[5 * kPixels + 9] = 255;
  bad("pixels.npz", {extract.images_member(), classes},
      ": imgs: a pixel of image 5 is 255, expected 0 or 1");
  extract.classes[6 * 3 + 2] = 6;
  bad("classes.npz", {images, extract.classes_member()},
      ": latents_classes: scale at [3] is 6, expected 0 to 5");
  extract.classes[6 * 2] = 1;
  bad("colour.npz", {images, extract.classes_member()},
      ": latents_classes: color at [2] is 1, expected 0 to 0");

  const Extract good(12);
  const auto path = good.write(scratch.path("good.npz"));
  refuses({{"file", path}, {"samples", 13}, {"selection", "grid"}},
          "dsprites (" + path + "): samples is 13, but there are 12 images");
  refuses({{"file", path}, {"images_key", "images"}}, path + ": no array 'images'; it holds");
}
