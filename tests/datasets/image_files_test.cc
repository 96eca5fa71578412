// SPDX-License-Identifier: Apache-2.0
// image_folder, celeba and utkface on small files in the layouts that are distributed.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "tests/support/outcomes.h"
#include "tests/support/scratch.h"
#include "tests/support/write_image.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// A folder of images, each of one colour that tells it from the others.
struct Images {
  Scratch scratch;
  int made = 0;

  /// Returns the red of the image, 0 to 255; green is 100.
  int add(const std::string& name, int height = 20, int width = 16) {
    const auto red = static_cast<std::uint8_t>(++made * 8 % 256);
    fs::create_directories(fs::path(scratch.path(name)).parent_path());
    const auto numbers = plain_rgb(height, width, red, 100, 50);
    scratch.write(name, name.ends_with(".png") ? png_bytes(height, width, 3, numbers)
                                               : jpeg_bytes(height, width, 3, numbers));
    return red;
  }
};

Bundle load(const std::string& name, const Arguments& arguments, std::uint64_t seed = 0) {
  return loaded(plugin(name), arguments, seed);
}

void refuses(const std::string& name, const Arguments& arguments, const std::string& part) {
  check_refused(plugin(name).load(arguments), part);
}

/// The red of an image's first pixel, 0 to 255.
int red_of(const Bundle& data, std::size_t i) {
  const auto& shape = data.shape("inputs");
  const auto step = static_cast<std::size_t>(shape[1] * shape[2] * shape[3]);
  return static_cast<int>(std::lround(data.values<float>("inputs")[i * step] * 255));
}

bool near(int a, int b) { return std::abs(a - b) <= 2; }  // JPEG rounds

}  // namespace

TEST_CASE("image_folder: folders are classes, in the order of their names") {
  Images images;
  std::vector<int> reds;
  for (const char* name :
       {"set/ant/image_0001.jpg", "set/ant/image_0002.JPG", "set/bee/image_0001.png",
        "set/bee/image_0002.jpg", "set/bee/image_0003.jpeg"})
    reds.push_back(images.add(name, 10 + images.made, 30));
  images.scratch.write("set/bee/Thumbs.db", "no image");
  images.scratch.write("set/bee/._image_0001.png", "no image");
  images.scratch.write("set/LICENCE", "no class");
  images.add("set/BACKGROUND_Google/image_0001.jpg");
  images.add("set/BACKGROUND_Google/image_0002.jpg");
  const Arguments arguments = {{"folder", images.scratch.path("set")},
                               {"exclude", std::vector<std::string>{"BACKGROUND_Google"}},
                               {"size", 8},
                               {"test_share", 0.4}};
  const Bundle data = load("image_folder", arguments);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{5, 8, 8, 3});
  const auto labels = data.values<std::int64_t>("labels");
  CHECK(std::vector(labels.begin(), labels.end()) == std::vector<std::int64_t>{0, 0, 1, 1, 1});
  CHECK(data.texts.at("classes") == "ant,bee");
  CHECK(data.texts.at("task") == "classification");
  CHECK(data.shape("test_index")[0] == 2);
  for (std::size_t i = 0; i < 5; ++i) CHECK(near(red_of(data, i), reds[i]));

  Arguments grey = arguments;
  grey["colour"] = "grey";
  CHECK(load("image_folder", grey).shape("inputs") == std::vector<std::int64_t>{5, 8, 8, 1});

  Arguments fewer = arguments;
  fewer["images_per_class"] = 2;
  std::set<int> second;  // which of bee's three come first
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Bundle drawn = load("image_folder", fewer, seed);
    CHECK(drawn.shape("inputs")[0] == 4);
    CHECK((drawn == load("image_folder", fewer, seed)));
    second.insert(red_of(drawn, 2));
  }
  CHECK(second.size() == 2);
}

TEST_CASE("image_folder: a folder whose name has a comma is one class among the names, too") {
  Images images;
  for (const char* name : {"set/ant, red/1.png", "set/ant, red/2.png", "set/bee/1.png",
                           "set/bee/2.png", "set/say \"c\"/1.png", "set/say \"c\"/2.png"})
    images.add(name);
  const Bundle data = load("image_folder", {{"folder", images.scratch.path("set")}, {"size", 8}});
  CHECK(data.texts.at("classes") == "\"ant, red\",bee,say 'c'");
}

TEST_CASE("image_folder: what it refuses, naming the file") {
  Images images;
  images.add("set/a/1.png", 6, 6);
  images.add("set/a/2.png", 6, 6);
  images.add("set/b/1.png", 6, 6);
  images.add("set/b/2.png", 6, 7);
  const auto path = [&](const std::string& name) { return images.scratch.path("set/" + name); };
  const Arguments as_they_are = {{"folder", images.scratch.path("set")}, {"size", 0}};
  refuses("image_folder", as_they_are,
          path("b/2.png") + ": 6 x 7 pixels, but " + path("a/1.png") +
              " has 6 x 6; give a size that all are brought to");
  images.add("set/b/2.png", 6, 6);
  CHECK(load("image_folder",
             {{"folder", images.scratch.path("set")}, {"size", 0}, {"test_share", 0.5}})
            .shape("inputs") == std::vector<std::int64_t>{4, 6, 6, 3});
  images.scratch.write("set/b/2.png", "words");
  refuses("image_folder", as_they_are, path("b/2.png") + ": neither a PNG nor a JPEG file");
  images.scratch.write("set/b/2.png", png_bytes(6, 6, 3, plain_rgb(6, 6, 1, 2, 3)).substr(0, 50));
  refuses("image_folder", as_they_are, path("b/2.png") + ": damaged PNG file: ");
  fs::create_directories(path("c"));
  refuses("image_folder", as_they_are, path("c") + ": no .png, .jpg or .jpeg file");
  refuses("image_folder",
          {{"folder", images.scratch.path("set")}, {"exclude", std::vector<std::string>{"d"}}},
          images.scratch.path("set") + ": exclude names 'd', but there is no such folder");
  refuses("image_folder", {{"folder", path("a")}}, path("a") + ": 0 class folders, expected 2");
  refuses("image_folder", {{"folder", path("none")}}, path("none") + ": No such file");
}

namespace {

/// Ten faces with three attributes: Smiling alternates, Male is the first five.
struct Faces : Images {
  std::vector<int> reds;
  std::string attributes = "10\nMale Smiling Young \n", partition;
  Faces() {
    for (int i = 0; i < 10; ++i) {
      const std::string name = "00000" + std::to_string(i) + ".jpg";
      reds.push_back(add("img_align_celeba/" + name));
      attributes += name + (i < 5 ? "  1" : " -1") + (i % 2 ? "  1" : " -1") + "  1\n";
      partition += name + (i < 6 ? " 0\n" : i < 8 ? " 1\n" : " 2\n");
    }
  }
  Arguments arguments(const std::string& text) {
    return {{"images", scratch.path("img_align_celeba")},
            {"attributes", scratch.write("list_attr_celeba.txt", text)},
            {"samples", 0},
            {"size", 8}};
  }
  Arguments arguments() { return arguments(attributes); }
};

}  // namespace

TEST_CASE("celeba: an attribute to predict, the others as concepts") {
  Faces faces;
  const Bundle data = load("celeba", faces.arguments());
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{10, 8, 8, 3});
  CHECK(data.shape("concepts") == std::vector<std::int64_t>{10, 2});
  CHECK(data.shape("test_index")[0] == 2);
  CHECK(data.texts.at("task") == "classification");
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(near(red_of(data, i), faces.reds[i]));
    CHECK(data.values<std::int64_t>("labels")[i] == static_cast<std::int64_t>(i % 2));
    CHECK(data.values<float>("concepts")[i * 2] == (i < 5 ? 1.0F : 0.0F));
    CHECK(data.values<float>("concepts")[i * 2 + 1] == 1.0F);
  }
  Arguments other = faces.arguments();
  other["target"] = "Male";
  other["concept_names"] = std::vector<std::string>{"Smiling"};
  const Bundle male = load("celeba", other);
  CHECK(male.shape("concepts") == std::vector<std::int64_t>{10, 1});
  CHECK(male.values<std::int64_t>("labels")[0] == 1);
  CHECK(male.values<float>("concepts")[1] == 1.0F);

  Arguments all = faces.arguments();
  all["task"] = "attributes";
  const Bundle every = load("celeba", all);
  CHECK(every.shape("targets") == std::vector<std::int64_t>{10, 3});
  CHECK(every.shape("concepts") == std::vector<std::int64_t>{10, 3});
  CHECK_FALSE(every.has("labels"));
  CHECK(every.texts.at("task") == "attributes");
}

TEST_CASE("celeba: the partition that comes with it, and a part of the images") {
  Faces faces;
  Arguments arguments = faces.arguments();
  arguments["partition"] = faces.scratch.write("list_eval_partition.txt", faces.partition);
  const Bundle data = load("celeba", arguments);
  CHECK(data.shape("inputs")[0] == 8);  // without the validation images
  const auto train = data.values<std::int64_t>("train_index"),
             test = data.values<std::int64_t>("test_index");
  CHECK(std::vector(train.begin(), train.end()) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(std::vector(test.begin(), test.end()) == std::vector<std::int64_t>{6, 7});
  CHECK(near(red_of(data, 6), faces.reds[8]));

  Arguments own_test = arguments;
  own_test["samples"] = 0;
  own_test["train_rows"] = 3;
  const Bundle drawn = load("celeba", own_test);
  CHECK(drawn.shape("train_index")[0] == 3);
  CHECK(drawn.shape("test_index")[0] == 2);
  own_test["train_rows"] = 7;
  refuses("celeba", own_test, "train_rows: samples is 7, but there are 6 images");
  own_test["samples"] = 5;
  refuses("celeba", own_test, "goes with samples = 0");

  Arguments few = faces.arguments();
  few["samples"] = 6;
  CHECK(load("celeba", few).shape("inputs")[0] == 6);
  few["samples"] = 11;
  refuses("celeba", few, "samples is 11, but there are 10 images");
  arguments["partition"] = faces.scratch.write("p.txt", "000000.jpg 0\n000001.jpg 3\n");
  refuses("celeba", arguments, faces.scratch.path("p.txt") + ":2: expected the name of an image");
  arguments["partition"] = faces.scratch.write("p.txt", "000000.jpg 0\n");
  refuses("celeba", arguments, faces.scratch.path("p.txt") + ": no line for 000001.jpg");
  std::string all_train = faces.partition;
  for (std::size_t at; (at = all_train.find(" 2\n")) != std::string::npos;) all_train[at + 1] = '1';
  arguments["partition"] = faces.scratch.write("p.txt", all_train);
  refuses("celeba", arguments, "6 are for training and 0 for testing");
}

TEST_CASE("celeba: what it refuses, naming file and line") {
  Faces faces;
  const auto text = faces.scratch.path("list_attr_celeba.txt");
  const auto bad = [&](const std::string& from, const std::string& to, const std::string& part) {
    std::string changed = faces.attributes;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    refuses("celeba", faces.arguments(changed), part);
  };
  bad("000003.jpg  1  1  1", "000003.jpg  1  1",
      text + ":6: 3 fields, expected a name and 3 attributes");
  bad("000003.jpg  1  1  1", "000003.jpg  1  0  1", text + ":6: Smiling is '0', expected 1 or -1");
  bad("000003.jpg", "000002.jpg", text + ":6: 000002.jpg has a line already");
  bad("10\n", "eleven\n", text + ":1: expected the number of images");
  bad("10\n", "11\n", "the file ends after 10 images, of 11 that its first line says");
  bad("Smiling", "Frowning", text + ": no attribute 'Smiling'; it has Male, Frowning, Young");
  bad("000003.jpg", "000033.jpg",
      faces.scratch.path("img_align_celeba/000003.jpg") + ": has no line in " + text);
  fs::remove(faces.scratch.path("img_align_celeba/000003.jpg"));
  refuses("celeba", faces.arguments(),
          faces.scratch.path("img_align_celeba/000003.jpg") + ": no such image, but " + text);
  Arguments same = faces.arguments();
  same["concept_names"] = std::vector<std::string>{"Male", "Smiling"};
  refuses("celeba", same, "celeba: concept_names has Smiling, which is the target");
  same["concept_names"] = std::vector<std::string>{"Male", "Young", "Male"};
  refuses("celeba", same, "celeba: concept_names names Male twice");
  refuses("celeba", faces.arguments(""), text + ":1: expected the number of images");
}

TEST_CASE("utkface: age, gender and race from the names of the files") {
  Images images;
  // In the order of their names.
  const int first = images.add("UTKFace/1_0_2_20161219140530307.jpg.chip.jpg");
  const int second = images.add("UTKFace/26_1_0_20170116174525125.jpg");
  const int third = images.add("UTKFace/61_1_4_20170109150557335.jpg.chip.jpg");
  const int fourth = images.add("UTKFace/7_0_3_20170109150557335.jpg.chip.jpg");
  const Arguments arguments = {{"images", images.scratch.path("UTKFace")},
                               {"samples", 0},
                               {"size", 4},
                               {"test_share", 0.25}};
  const Bundle age = load("utkface", arguments);
  CHECK(age.shape("inputs") == std::vector<std::int64_t>{4, 4, 4, 3});
  CHECK(age.texts.at("task") == "regression");
  const auto ages = age.values<float>("targets");
  CHECK(std::vector(ages.begin(), ages.end()) == std::vector<float>{1, 26, 61, 7});
  const std::vector<int> reds = {first, second, third, fourth};
  for (std::size_t i = 0; i < 4; ++i) CHECK(near(red_of(age, i), reds[i]));
  const auto factors = age.values<float>("factors");
  CHECK(std::vector(factors.begin(), factors.end()) ==
        std::vector<float>{1, 0, 2, 26, 1, 0, 61, 1, 4, 7, 0, 3});
  const auto concepts = age.values<float>("concepts");  // female, then the races
  CHECK(std::vector(concepts.begin(), concepts.end()) == std::vector<float>{0, 0, 0, 1, 0, 0,  //
                                                                            1, 1, 0, 0, 0, 0,  //
                                                                            1, 0, 0, 0, 0, 1,  //
                                                                            0, 0, 0, 0, 1, 0});
  CHECK_FALSE(age.has("labels"));

  Arguments other = arguments;
  other["task"] = "gender";
  other["test_share"] = 0.5;
  const Bundle gender = load("utkface", other);
  CHECK(gender.shape("concepts") == std::vector<std::int64_t>{4, 5});
  const auto genders = gender.values<std::int64_t>("labels");
  CHECK(std::vector(genders.begin(), genders.end()) == std::vector<std::int64_t>{0, 1, 1, 0});
  other["task"] = "race";
  const Bundle race = load("utkface", other);
  CHECK(race.shape("concepts") == std::vector<std::int64_t>{4, 1});
  const auto races = race.values<std::int64_t>("labels");
  CHECK(std::vector(races.begin(), races.end()) == std::vector<std::int64_t>{2, 0, 4, 3});
}

TEST_CASE("utkface: a split that keeps the shares of ages") {
  Images images;
  for (int i = 0; i < 12; ++i)  // six of 30 to 39, six of 40 to 49
    images.add("UTKFace/" + std::to_string(i < 6 ? 30 + i : 40 + i - 6) + "_0_2_2016.jpg");
  Arguments arguments = {{"images", images.scratch.path("UTKFace")},
                         {"samples", 0},
                         {"size", 4},
                         {"test_share", 1.0 / 3},
                         {"age_strata", 10}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Bundle data = load("utkface", arguments, seed);
    int young = 0;
    for (const std::int64_t row : data.values<std::int64_t>("test_index"))
      young += data.values<float>("targets")[static_cast<std::size_t>(row)] < 40;
    CHECK(young == 2);
  }
}

TEST_CASE("utkface: a name without annotation is refused, or left out and said") {
  Images images;
  images.add("UTKFace/26_1_0_20170116174525125.jpg");
  images.add("UTKFace/27_1_0_20170116174525125.jpg");
  for (const char* name : {"39_1_20170116174525125.jpg.chip.jpg", "39_2_1_2017.jpg",
                           "131_1_1_2017.jpg", "39_1_5_2017.jpg", "face.jpg", "39_1_1.jpg"}) {
    CAPTURE(name);
    images.add(std::string("UTKFace/") + name);
    Arguments arguments = {{"images", images.scratch.path("UTKFace")}, {"samples", 0}};
    const std::string path = images.scratch.path(std::string("UTKFace/") + name);
    refuses("utkface", arguments, path + ": expected a name as age_gender_race_date.jpg");
    arguments["without_annotation"] = "skip";
    arguments["test_share"] = 0.5;
    const Outcome outcome = plugin("utkface").load(arguments);
    REQUIRE(outcome.error == "");
    CHECK(outcome.out.shape("inputs")[0] == 2);
    REQUIRE(outcome.log.size() == 1);
    CHECK(outcome.log[0] == path + ": left out, its name does not say age, gender and race");
    fs::remove(path);
  }
  fs::create_directories(images.scratch.path("empty"));
  refuses("utkface", {{"images", images.scratch.path("empty")}},
          "utkface (" + images.scratch.path("empty") + "): no image is left to draw from");
}
