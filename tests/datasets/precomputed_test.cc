// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "conoscope/sdk/npy.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

namespace {

/// Twelve samples of two classes: P = 2 x 2 positions, D = 3, made so that the head sorts them.
struct Files {
  static constexpr std::int64_t kSamples = 12, kPositions = 4, kWidth = 3;
  Scratch scratch;
  std::vector<float> activations;
  Arguments arguments;

  Files() {
    for (std::int64_t i = 0; i < kSamples * kPositions * kWidth; ++i)
      activations.push_back(static_cast<float>(i % 7) * 0.5F);
    put<float>("activations", {12, 2, 2, 3}, activations);
    put<float>("head_weight", {2, 3}, {1, 0, -1, 0.5F, 2, 0});
    put<float>("head_bias", {2}, {0.25F, -1});
  }

  template <typename T>
  std::string put(const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<T>& values) {
    const auto* begin = reinterpret_cast<const char*>(values.data());
    const auto path =
        scratch.write(name + ".npy", sdk::make_npy_header(sdk::dtype_of<T>(), shape) +
                                         std::string(begin, begin + values.size() * sizeof(T)));
    arguments[name] = path;
    return path;
  }

  std::string path(const std::string& name) const { return scratch.path(name + ".npy"); }

  Outcome load(std::uint64_t seed = 0) const {
    Host host;
    host.seed = seed;
    return plugin("precomputed_dataset").load(arguments, host);
  }

  void refuses(const std::string& text) const {
    const Outcome outcome = load();
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.error == text);
    CHECK(outcome.out.arrays.empty());
  }

  /// What the head gives on mean-pooled activations.
  std::vector<double> logits() const {
    const double w[2][3] = {{1, 0, -1}, {0.5, 2, 0}}, b[2] = {0.25, -1};
    std::vector<double> out;
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t c = 0; c < 2; ++c) {
        double sum = b[c];
        for (std::size_t p = 0; p < 4; ++p)
          for (std::size_t d = 0; d < 3; ++d)
            sum += w[c][d] * static_cast<double>(activations[(i * 4 + p) * 3 + d]) / 4.0;
        out.push_back(sum);
      }
    return out;
  }
};

const std::vector<std::int64_t> kLabels = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};

double accuracy(const Bundle& data, std::span<const std::int64_t> rows) {
  const auto w = data.values<float>("head_weight"), b = data.values<float>("head_bias");
  const conoscope::sdk::Tensor activations(data.arrays.at("activations").raw());
  std::vector<float> h(static_cast<std::size_t>(activations.size()));
  activations.copy_to(std::span(h));
  const auto labels = data.values<std::int64_t>("labels");
  const auto positions = static_cast<std::size_t>(data.shape("activations")[1]);
  const auto width = static_cast<std::size_t>(data.shape("activations")[2]);
  int right = 0;
  for (const std::int64_t row : rows) {
    const auto i = static_cast<std::size_t>(row);
    std::vector<double> scores(b.begin(), b.end());
    for (std::size_t c = 0; c < scores.size(); ++c)
      for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t d = 0; d < width; ++d)
          scores[c] += static_cast<double>(w[c * width + d]) *
                       static_cast<double>(h[(i * positions + p) * width + d]) /
                       static_cast<double>(positions);
    right += std::ranges::max_element(scores) - scores.begin() == labels[i];
  }
  return right / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE("precomputed: a head view from single files") {
  Files files;
  files.put("labels", {12}, kLabels);
  files.put<double>("concepts", {12, 2}, std::vector<double>(24, 0.5));
  files.put<std::int32_t>("factors", {12}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  const Bundle& data = outcome.out;
  CHECK(data.shape("activations") == std::vector<std::int64_t>{12, 4, 3});
  CHECK(std::ranges::equal(data.values<float>("activations"), files.activations));
  CHECK(std::ranges::equal(data.values<float>("head_weight"),
                           std::vector<float>{1, 0, -1, 0.5F, 2, 0}));
  CHECK(std::ranges::equal(data.values<float>("head_bias"), std::vector<float>{0.25F, -1}));
  CHECK(std::ranges::equal(data.values<std::int64_t>("labels"), kLabels));
  CHECK(data.shape("concepts") == std::vector<std::int64_t>{12, 2});
  CHECK(data.values<double>("concepts")[23] == 0.5);
  CHECK(data.shape("factors") == std::vector<std::int64_t>{12, 1});
  CHECK(data.values<double>("factors")[11] == 11.0);
  CHECK(data.texts.at("pooling") == "mean");
  CHECK(data.texts.at("output") == "softmax");
  CHECK(data.texts.at("task") == "classification");

  // No split was given: of round(0.2 * 12) = 2 test rows, 0.2 * 8 gives class 0 one, and class 1
  // has the largest remainder.
  const auto test = data.values<std::int64_t>("test_index");
  CHECK(test.size() == 2);
  CHECK(data.shape("train_index")[0] == 10);
  CHECK((files.load(0).out == data));
  std::set<std::vector<std::int64_t>> splits;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Bundle other = files.load(seed).out;
    const auto rows = other.values<std::int64_t>("test_index");
    splits.insert({rows.begin(), rows.end()});
  }
  CHECK(splits.size() > 1);
}

TEST_CASE("precomputed: shapes of activations and what pooling becomes") {
  Files files;
  files.put<float>("activations", {12, 4, 3}, files.activations);
  CHECK(files.load().out.shape("activations") == std::vector<std::int64_t>{12, 4, 3});

  files.arguments["pooling"] = "flatten";
  files.refuses(files.path("head_weight") + ": head_weight is 2 x 3, but the activations of " +
                files.path("activations") +
                " have 12 numbers per sample after pooling = flatten (12 x 4 x 3)");
  files.put<float>("head_weight", {2, 12}, std::vector<float>(24, 1.0F));
  const Outcome flat = files.load();
  CHECK(flat.error == "");
  CHECK(flat.out.texts.at("pooling") == "flatten");
  CHECK(flat.out.shape("head_weight") == std::vector<std::int64_t>{2, 12});

  files.arguments["pooling"] = "none";
  files.refuses(files.path("activations") +
                ": pooling = none, but there are 4 positions per sample; use mean or flatten");

  files.arguments["pooling"] = "auto";
  files.put<float>("activations", {12, 12}, files.activations);
  const Outcome rows = files.load();
  CHECK(rows.error == "");
  CHECK(rows.out.texts.at("pooling") == "none");
  CHECK(rows.out.shape("activations") == std::vector<std::int64_t>{12, 1, 12});

  files.put<float>("activations", {144}, files.activations);
  files.refuses(files.path("activations") +
                ": activations are 144, expected n x D, n x P x D or n x height x width x D");
  files.put<float>("activations", {0, 4, 3}, {});
  files.refuses(files.path("activations") + ": activations are 0 x 4 x 3, which is empty");
}

TEST_CASE("precomputed: activations as PyTorch has them are told from those of another width") {
  Files files;
  files.put<float>("head_weight", {4, 3}, std::vector<float>(12, 1.0F));
  const auto refuses = [&](const std::string& found, const std::string& cure) {
    files.refuses(
        files.path("head_weight") + ": head_weight is 4 x 3, but the activations of " +
        files.path("activations") + " have 2 numbers per sample after pooling = mean (" + found +
        " in their file, with the width behind the samples as PyTorch has it: save " + cure);
  };
  files.put<float>("activations", {12, 3, 2, 2}, files.activations);
  refuses("12 x 6 x 2); they are 12 x 3 x 2 x 2",
          "a.transpose(0, 2, 3, 1), which is n x height x width x D");
  files.put<float>("activations", {24, 3, 2}, files.activations);
  refuses("24 x 3 x 2); they are 24 x 3 x 2", "a.transpose(0, 2, 1), which is n x P x D");
}

TEST_CASE("precomputed: labels of a table that are beyond 2^53") {
  Files files;
  files.arguments["labels"] =
      files.scratch.write("labels.csv", "y\n9007199254740992\n9007199254740993\n");
  files.refuses(files.scratch.path("labels.csv") +
                ":3:1: '9007199254740993' is a whole number that float64 "
                "cannot hold: it would become 9007199254740992");
}

TEST_CASE("precomputed: float64 and float16 stay, csv is read") {
  Files files;
  files.put<double>("activations", {12, 4, 3}, std::vector<double>(144, 0.1));
  const auto whole = files.load().out;
  CHECK(whole.values<double>("activations")[7] == 0.1);
  files.arguments["activations"] = files.scratch.write(
      "half.npy",
      npy_bytes<std::uint16_t>("<f2", "(12, 4, 3)", std::vector<std::uint16_t>(144, 0x3800)));
  const auto half = files.load().out;
  CHECK(half.values<conoscope::sdk::Half>("activations")[7].bits == 0x3800);
  files.arguments["labels"] =
      files.scratch.write("labels.csv", "label\n0\n0\n0\n0\n0\n0\n1\n1\n1\n1\n1\n1\n");
  const auto labelled = files.load().out;
  CHECK(labelled.values<std::int64_t>("labels")[6] == 1);
}

TEST_CASE("precomputed: two halves are joined and are the split") {
  Files files;
  files.arguments.erase("activations");
  const auto& all = files.activations;
  const auto train =
      files.put<float>("train_activations", {8, 4, 3}, {all.begin(), all.begin() + 96});
  const auto test = files.put<float>("test_activations", {4, 4, 3}, {all.begin() + 96, all.end()});
  files.put<std::int64_t>("train_labels", {8}, {0, 0, 0, 0, 1, 1, 1, 1});
  files.put<std::int64_t>("test_labels", {4}, {1, 0, 1, 0});
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(std::ranges::equal(outcome.out.values<float>("activations"), all));
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("labels"),
                           std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0}));
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("train_index"),
                           std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("test_index"),
                           std::vector<std::int64_t>{8, 9, 10, 11}));

  SUBCASE("halves of different shape") {
    files.put<float>("test_activations", {4, 6, 2}, {all.begin() + 96, all.end()});
    files.refuses(train + " has activations of 8 x 4 x 3, but " + test + " of 4 x 6 x 2");
  }
  SUBCASE("one half alone") {
    files.arguments.erase("test_activations");
    files.refuses("precomputed: train_activations (" + train +
                  ") is given without test_activations");
  }
  SUBCASE("whole and half") {
    const auto whole = files.put<float>("activations", {12, 4, 3}, all);
    files.refuses("precomputed: activations (" + whole + ") and train_activations (" + train +
                  ") are both given; give the whole or the two halves");
  }
  SUBCASE("labels that belong to the other half") {
    const auto labels = files.put<std::int64_t>("train_labels", {4}, {0, 1, 0, 1});
    files.refuses(labels + ": labels has 4 rows, but " + train + " has 8");
  }
  SUBCASE("another split on top") {
    const auto index = files.put<std::int64_t>("train_index", {1}, {0});
    files.put<std::int64_t>("test_index", {1}, {1});
    files.refuses(index + ": train_index is given, but " + train + " and " + test +
                  " are split already");
  }
  SUBCASE("annotations cover both halves") {
    const auto concepts = files.put<float>("concepts", {8, 1}, std::vector<float>(8));
    files.refuses(concepts + ": concepts has 8 rows, but " + train + " and " + test +
                  " together has 12");
  }
}

TEST_CASE("precomputed: labels in halves need activations in halves") {
  Files files;
  const auto train = files.put<std::int64_t>("train_labels", {8}, std::vector<std::int64_t>(8));
  files.put<std::int64_t>("test_labels", {4}, std::vector<std::int64_t>(4));
  files.refuses(train + ": train_labels goes with train_activations, but " +
                files.path("activations") + " is not split");
}

TEST_CASE("precomputed: row numbers of a split") {
  Files files;
  files.put<std::int64_t>("train_index", {3}, {4, 0, 2});
  files.put<std::int32_t>("test_index", {2}, {11, 1});
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("train_index"),
                           std::vector<std::int64_t>{0, 2, 4}));
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("test_index"),
                           std::vector<std::int64_t>{1, 11}));
  const auto train = files.path("train_index"), test = files.path("test_index");
  files.put<std::int64_t>("test_index", {2}, {1, 12});
  files.refuses(test + ": the row number at [1] is 12, but there are 12 samples");
  files.put<std::int64_t>("test_index", {1}, {-1});
  files.refuses(test + ": the row number at [0] is -1, but there are 12 samples");
  files.put<std::int64_t>("test_index", {2}, {1, 1});
  files.refuses(test + ": the row number at [1] is 1, which came before");
  files.put<std::int64_t>("test_index", {2}, {1, 2});
  files.refuses(test + ": the row number at [1] is 2, which is in " + train + " too");
  files.put<std::int64_t>("test_index", {0}, {});
  files.refuses(test + ": row numbers are 0, expected a vector of at least one");
  files.put<double>("test_index", {1}, {1.5});
  files.refuses(test + ": the value at [0] is 1.5, which is not a whole number");
  files.arguments.erase("test_index");
  files.refuses(train + ": train_index is given without test_index");
}

TEST_CASE("precomputed: image segments") {
  Files files;
  files.put<float>("segment_embeddings", {2, 3}, {1, 2, 3, 4, 5, 6});
  files.put<std::int32_t>("segment_sample", {2}, {11, 0});
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.shape("segment_embeddings") == std::vector<std::int64_t>{2, 3});
  CHECK(std::ranges::equal(outcome.out.values<float>("segment_embeddings"),
                           std::vector<float>{1, 2, 3, 4, 5, 6}));
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("segment_sample"),
                           std::vector<std::int64_t>{11, 0}));

  const auto embeddings = files.path("segment_embeddings"), sample = files.path("segment_sample");
  files.put<std::int64_t>("segment_sample", {2}, {12, 0});
  files.refuses(sample + ": the row number at [0] is 12, but there are 12 samples");
  files.put<std::int64_t>("segment_sample", {2}, {0, -1});
  files.refuses(sample + ": the row number at [1] is -1, but there are 12 samples");
  files.put<std::int64_t>("segment_sample", {3}, {0, 1, 2});
  files.refuses(sample + ": segment_sample is 3, but " + embeddings + " has 2 segments");
  files.arguments.erase("segment_sample");
  files.refuses(embeddings + ": segment_embeddings is given without segment_sample");
  files.put<std::int64_t>("segment_sample", {2}, {0, 1});
  files.put<float>("segment_embeddings", {2, 2}, {1, 2, 3, 4});
  files.refuses(embeddings + ": segment_embeddings are 2 x 2, expected m x 3 as in " +
                files.path("activations"));
  files.put<float>("segment_embeddings", {2, 3}, {1, 2, 3, 4, 5, NAN});
  files.refuses(embeddings + ": the value at [1, 2] is nan, segment_embeddings must be finite");
  files.arguments.erase("segment_embeddings");
  files.refuses(sample + ": segment_sample is given without segment_embeddings");
}

TEST_CASE("precomputed: images for pictures") {
  Files files;
  std::vector<std::uint8_t> bytes(12 * 2 * 3);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  files.put("inputs", {12, 2, 3, 1}, bytes);
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.shape("inputs") == std::vector<std::int64_t>{12, 2, 3, 1});
  CHECK(std::ranges::equal(outcome.out.values<std::uint8_t>("inputs"), bytes));

  const auto images = files.path("inputs");
  files.put("inputs", {12, 6}, bytes);
  files.refuses(images +
                ": inputs are 12 x 6, expected samples x height x width x 1 or 3 channels");
  files.put("inputs", {6, 2, 2, 3}, bytes);
  files.refuses(images + ": inputs has 6 rows, but " + files.path("activations") + " has 12");
}

TEST_CASE("precomputed: groups of concepts") {
  Files files;
  const auto groups = files.path("concept_groups");
  files.put<std::int32_t>("concept_groups", {2}, {1, 0});
  files.refuses(groups + ": concept_groups are given without concepts");
  files.put<float>("concepts", {12, 2}, std::vector<float>(24, 1.0F));
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("concept_groups"),
                           std::vector<std::int64_t>{1, 0}));
  files.put<std::int64_t>("concept_groups", {3}, {0, 1, 2});
  files.refuses(groups + ": concept_groups is 3, expected 2, a number for each concept");
  files.put<std::int64_t>("concept_groups", {2}, {0, 2});
  files.refuses(groups + ": the group at [1] is 2, expected 0 to 1");
  files.put<std::int64_t>("concept_groups", {2}, {-1, 0});
  files.refuses(groups + ": the group at [0] is -1, expected 0 to 1");
  files.put<double>("concept_groups", {2}, {0.5, 0});
  files.refuses(groups + ": the value at [0] is 0.5, which is not a whole number");
}

TEST_CASE("precomputed: what is known of samples alone, for models with files of their own") {
  Files files;
  for (const char* name : {"activations", "head_weight", "head_bias"}) files.arguments.erase(name);
  files.refuses(
      "precomputed: nothing says how many samples there are; give activations, concept_scores, "
      "codes, concepts, factors, targets or labels, by a file each or in the archive");
  const auto labels = files.put("labels", {12}, kLabels);
  const auto concepts = files.put<double>("concepts", {12, 2}, std::vector<double>(24, 0.5));
  const Outcome outcome = files.load();
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.arrays.size() == 4);  // with the split
  CHECK(std::ranges::equal(outcome.out.values<std::int64_t>("labels"), kLabels));
  CHECK(outcome.out.shape("train_index")[0] == 10);
  files.put<std::int64_t>("labels", {11}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1});
  files.refuses(labels + ": labels has 11 rows, but " + concepts + " has 12");
}

TEST_CASE("precomputed: head and annotations that do not fit") {
  Files files;
  const auto activations = files.path("activations"), weight = files.path("head_weight"),
             bias = files.path("head_bias");
  SUBCASE("missing") {
    files.arguments.erase("head_bias");
    files.refuses("precomputed: head_bias is not given, nor an archive that holds it");
  }
  SUBCASE("transposed weights") {
    files.put<float>("head_weight", {3, 2}, std::vector<float>(6));
    files.refuses(
        weight + ": head_weight is 3 x 2, but the activations of " + activations +
        " have 3 numbers per sample after pooling = mean (12 x 4 x 3); save the transpose");
  }
  SUBCASE("weights of one output as a vector") {
    files.put<float>("head_weight", {3}, std::vector<float>(3));
    files.refuses(weight + ": head_weight is 3, expected outputs x width");
  }
  SUBCASE("bias of another length") {
    files.put<float>("head_bias", {3}, std::vector<float>(3));
    files.refuses(bias + ": head_bias is 3, but " + weight + " has 2 outputs");
  }
  SUBCASE("softmax of one output") {
    files.put<float>("head_weight", {1, 3}, std::vector<float>(3));
    files.put<float>("head_bias", {1}, {0});
    files.refuses(weight + ": one output has no softmax; use output = sigmoid or regression");
    files.arguments["output"] = "sigmoid";
    CHECK(files.load().error == "");
    CHECK(files.load().out.texts.at("task") == "attributes");
  }
  SUBCASE("NaN") {
    files.activations[17] = NAN;
    files.put<float>("activations", {12, 4, 3}, files.activations);
    files.refuses(activations + ": the value at [1, 1, 2] is nan, activations must be finite");
    files.activations[17] = INFINITY;
    files.put<float>("activations", {12, 4, 3}, files.activations);
    files.refuses(activations + ": the value at [1, 1, 2] is inf, activations must be finite");
  }
  SUBCASE("NaN in the head") {
    files.put<float>("head_bias", {2}, {0, NAN});
    files.refuses(bias + ": the value at [1] is nan, head_bias must be finite");
    files.put<float>("head_weight", {2, 3}, {0, 0, 0, NAN, 0, 0});
    files.refuses(weight + ": the value at [1, 0] is nan, head_weight must be finite");
  }
  SUBCASE("labels") {
    const auto labels = files.put<std::int64_t>("labels", {11}, std::vector<std::int64_t>(11));
    files.refuses(labels + ": labels has 11 rows, but " + activations + " has 12");
    auto values = kLabels;
    values[3] = 2;
    files.put("labels", {12}, values);
    files.refuses(labels + ": the label at [3] is 2, but " + weight + " has 2 outputs");
    values[3] = -1;
    files.put("labels", {12}, values);
    files.refuses(labels + ": the label at [3] is -1; classes count from 0");
    files.put<double>("labels", {12}, {0, 1, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    files.refuses(labels + ": the value at [2] is 0.5, which is not a whole number");
    files.put<std::int64_t>("labels", {12, 2}, std::vector<std::int64_t>(24));
    files.refuses(labels + ": labels are 12 x 2, expected one per sample");
  }
  SUBCASE("targets") {
    files.arguments["output"] = "regression";
    const auto targets = files.put<double>("targets", {12, 2}, std::vector<double>(24, 1.5));
    const auto loaded = files.load().out;
    CHECK(loaded.values<double>("targets")[23] == 1.5);
    CHECK(loaded.texts.at("task") == "regression");
    files.put<double>("targets", {12}, std::vector<double>(12));
    files.refuses(targets + ": targets have 1 columns, but " + weight + " has 2 outputs");
    files.put<double>("targets", {12, 1, 2}, std::vector<double>(24));
    files.refuses(targets + ": targets is 12 x 1 x 2, expected samples x columns");
    files.arguments["output"] = "sigmoid";
    files.put<double>("targets", {12, 2}, std::vector<double>(24, 0.5));
    files.refuses(targets + ": the value at [0, 0] is 0.5, attributes must be 0 or 1");
  }
  SUBCASE("concepts") {
    const auto concepts = files.put<float>("concepts", {12, 1}, std::vector<float>(12, NAN));
    files.refuses(concepts + ": the value at [0, 0] is nan, concepts must be finite");
  }
}

TEST_CASE("precomputed: a single output that crosses 0 is compared by the scale of all rows") {
  Files files;
  // 0, but for what float16 leaves of it, in one row, and 8 in the others.
  std::vector<float> activations(12 * 4 * 3, 0.0F);
  std::vector<double> logits(12, 8.0);
  for (std::size_t i = 0; i < activations.size(); i += 3) activations[i] = i < 12 ? 0.0F : 8.0F;
  logits[0] = 0.002;
  files.put("activations", {12, 2, 2, 3}, activations);
  files.put<float>("head_weight", {1, 3}, {1, 0, 0});
  files.put<float>("head_bias", {1}, {0});
  files.arguments["output"] = "regression";
  files.put("logits", {12, 1}, logits);
  CHECK(files.load().error == "");
  logits[0] = 0.009;
  files.put("logits", {12, 1}, logits);
  const Outcome apart = files.load();
  CHECK(apart.status == CONO_INVALID_ARGUMENT);
  CHECK(apart.error.starts_with(files.path("logits") + ": row 0, output 0 is 0.009, but the head"));
  CHECK(apart.error.ends_with("(allowed: 0.008 apart)"));
}

TEST_CASE("precomputed: saved logits must be what the head gives") {
  Files files;
  auto logits = files.logits();
  const auto path = files.put("logits", {12, 2}, logits);
  const Outcome outcome = files.load();
  CHECK(outcome.error == "");
  CHECK_FALSE(outcome.out.has("logits"));

  // The allowance is 1e-3 of the largest logit of these rows.
  double largest = 0.0;
  for (const double logit : logits) largest = std::max(largest, std::abs(logit));
  logits[8] += 0.9e-3 * largest;
  files.put("logits", {12, 2}, logits);
  CHECK(files.load().error == "");
  logits[8] += 0.2e-3 * largest;
  files.put("logits", {12, 2}, logits);
  const Outcome apart = files.load();
  CHECK(apart.status == CONO_INVALID_ARGUMENT);
  CHECK(apart.error.starts_with(path + ": row 4, output 0 is "));
  CHECK(apart.error.find("but the head (" + files.path("head_weight") + ", " +
                         files.path("head_bias") + ") on " + files.path("activations") +
                         " with pooling = mean gives ") != std::string::npos);
  CHECK(apart.out.arrays.empty());

  // An infinite logit would allow any difference.
  logits[9] = INFINITY;
  files.put("logits", {12, 2}, logits);
  CHECK(files.load().error.starts_with(path + ": row 4, output 1 is inf, but the head ("));

  files.put<double>("logits", {12, 3}, std::vector<double>(36));
  files.refuses(path + ": logits are 12 x 3, expected 12 x 2 (samples of " +
                files.path("activations") + ", outputs of " + files.path("head_weight") + ")");
}

TEST_CASE("precomputed: with pooling = flatten, position p has its own weights") {
  Files files;
  files.arguments["pooling"] = "flatten";
  std::vector<float> weight(24);
  for (std::size_t i = 0; i < 24; ++i) weight[i] = static_cast<float>(i) - 11.0F;
  files.put("head_weight", {2, 12}, weight);
  std::vector<double> logits;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = c == 0 ? 0.25 : -1.0;
      for (std::size_t j = 0; j < 12; ++j)
        sum += static_cast<double>(weight[c * 12 + j]) *
               static_cast<double>(files.activations[i * 12 + j]);
      logits.push_back(sum);
    }
  files.put("logits", {12, 2}, logits);
  CHECK(files.load().error == "");
  logits[23] += 1.0 + std::abs(logits[22]);
  files.put("logits", {12, 2}, logits);
  CHECK(files.load().error.starts_with(files.path("logits") + ": row 11, output "));
}

TEST_CASE("precomputed: a cancelled load writes nothing") {
  const Files files;
  Host host;
  host.cancelled = [] { return true; };
  const Outcome outcome = plugin("precomputed_dataset").load(files.arguments, host);
  CHECK(outcome.status == CONO_CANCELLED);
  CHECK(outcome.out.arrays.empty());
}

TEST_CASE("precomputed: the digits' activations that ship") {
  const std::string archive = std::string(CONOSCOPE_SHIPPED_DATA_DIR) + "/digits/digits.npz";
  const Outcome outcome = plugin("precomputed_dataset").load({{"archive", archive}});
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.shape("activations") == std::vector<std::int64_t>{899, 16, 64});
  CHECK(outcome.out.shape("head_weight") == std::vector<std::int64_t>{10, 64});
  CHECK(outcome.out.texts.at("pooling") == "mean");
  CHECK(outcome.log.empty());
  CHECK(accuracy(outcome.out, outcome.out.values<std::int64_t>("train_index")) == 1.0);
  CHECK(accuracy(outcome.out, outcome.out.values<std::int64_t>("test_index")) ==
        doctest::Approx(298.0 / 299.0));

  SUBCASE("a file by itself wins over the archive") {
    const Scratch scratch;
    const std::vector<double> zeros(10, 0.0);
    const auto bias = scratch.write("bias.npy", npy_bytes("<f8", "(10,)", zeros));
    const Outcome other =
        plugin("precomputed_dataset").load({{"archive", archive}, {"head_bias", bias}});
    CHECK(std::ranges::equal(other.out.values<double>("head_bias"), zeros));
  }
}

TEST_CASE("precomputed: a real network's float16 activations") {
  const char* set = std::getenv("CONOSCOPE_DATA_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(set != nullptr ? set : CONOSCOPE_TEST_DATA_DIR) / "resnet20_cifar10";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("not there, left out: " << folder);
    return;
  }
  const Arguments arguments = {{"activations", (folder / "activations_f16.npy").string()},
                               {"head_weight", (folder / "head_weight.npy").string()},
                               {"head_bias", (folder / "head_bias.npy").string()},
                               {"labels", (folder / "labels.npy").string()},
                               {"logits", (folder / "logits.npy").string()}};
  const Outcome outcome = plugin("precomputed_dataset").load(arguments);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.shape("activations") == std::vector<std::int64_t>{2000, 64, 64});
  CHECK(outcome.out.shape("test_index")[0] == 400);
  std::vector<std::int64_t> all(2000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  CHECK(accuracy(outcome.out, all) == doctest::Approx(0.8135));
}
