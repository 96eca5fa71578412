// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "conoscope/sdk/npy.h"
#include "tests/support/outcomes.h"
#include "tests/support/own_arrays.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;

namespace {

/// Three samples with labels, and files of a model with two concepts.
struct Files {
  Scratch scratch;
  Arguments arguments;
  Bundle dataset;

  Files() { dataset.arrays["labels"] = OwnedArray::of<std::int64_t>({3}, {0, 1, 1}); }

  template <typename T>
  std::string put(const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<T>& values) {
    const std::string path = scratch.write(name + ".npy", npy_of<T>(shape, values));
    arguments[name] = path;
    return path;
  }
  std::string concepts() {
    return put<double>("concept_scores", {3, 2}, {0, 0.25, 0.5, 1, 1, 0.75});
  }
  /// 2 -> 3 -> 2, with the layers in the order of their numbers: 10 comes after 2.
  std::string network(const std::vector<ZipMember>& more = {}) {
    std::vector<ZipMember> members = {
        {"10.weight.npy", npy_of<double>({2, 3}, {1, 1, 1, 0, -1, 2})},
        {"10.bias.npy", npy_of<double>({2}, {0.5, 0})},
        {"2.weight.npy", npy_of<double>({3, 2}, {1, 0, 0, 1, 1, -1})},
        {"2.bias.npy", npy_of<double>({3}, {0, 0, -0.25})}};
    members.insert(members.end(), more.begin(), more.end());
    const std::string path = write_zip(scratch.path("head.npz"), members);
    arguments["concept_head"] = path;
    return path;
  }

  void head_over_activations() {
    put<float>("activations", {3, 2}, {1, 2, 3, 4, 5, 6});
    put<float>("head_weight", {2, 2}, {1, 0, 0, 1});
    put<float>("head_bias", {2}, {0, 0.5F});
  }

  Outcome fit() const { return plugin("precomputed_files").fit_model(arguments, dataset); }
  Outcome intervene(const Bundle& model, const OwnedArray& concepts) const {
    return plugin("precomputed_files").intervene(arguments, model, concepts);
  }
  void refuses(const std::string& text) const {
    const Outcome outcome = fit();
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.error == text);
    CHECK(outcome.out.arrays.empty());
  }
};

/// The network above by hand, with `f` between its layers.
template <typename F>
std::vector<double> by_hand(double a, double b, F&& f) {
  const double h[3] = {f(a), f(b), f(a - b - 0.25)};
  return {h[0] + h[1] + h[2] + 0.5, 2 * h[2] - h[1]};
}

}  // namespace

TEST_CASE(
    "precomputed_files: a network over the concepts gives outputs and answers interventions") {
  Files files;
  files.concepts();
  files.network();
  const auto told = OwnedArray::of<double>({2, 2, 1}, {1, 0, 0.5, 0.125});
  const auto relu = [](double x) { return std::max(x, 0.0); };
  const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const auto tangent = [](double x) { return std::tanh(x); };
  const auto check = [&](const std::string& activation, auto&& f) {
    CAPTURE(activation);
    files.arguments["concept_head_activation"] = activation;
    const Outcome made = files.fit();
    REQUIRE(made.error == "");
    const auto outputs = made.out.values<double>("task_outputs");
    REQUIRE(outputs.size() == 6);
    const auto second = by_hand(0.5, 1, f);
    CHECK(outputs[2] == doctest::Approx(second[0]).epsilon(1e-14));
    CHECK(outputs[3] == doctest::Approx(second[1]).epsilon(1e-14));
    const Outcome answer = files.intervene(made.out, told);
    REQUIRE(answer.error == "");
    const auto answered = answer.out.values<double>("outputs");
    const auto first = by_hand(1, 0, f), last = by_hand(0.5, 0.125, f);
    const std::vector<double> wanted = {first[0], first[1], last[0], last[1]};
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(answered[i] == doctest::Approx(wanted[i]).epsilon(1e-14));
  };
  check("relu", relu);
  check("sigmoid", logistic);
  check("tanh", tangent);
}

TEST_CASE("precomputed_files: a linear head, from two files or as one layer, is the same") {
  Files files;
  files.concepts();
  files.put<double>("concept_head_weight", {2, 2}, {0, 0, 1, 1});
  files.put<double>("concept_head_bias", {2}, {0, 0.5});
  const Outcome two = files.fit();
  REQUIRE(two.error == "");
  CHECK(std::ranges::equal(two.out.values<double>("task_outputs"),
                           std::vector<double>{0, 0.75, 0, 2, 0, 2.25}));
  CHECK((two.out.arrays.at("concept_probabilities").bytes ==
         two.out.arrays.at("concept_scores").bytes));
  files.arguments.erase("concept_head_weight");
  files.arguments.erase("concept_head_bias");
  files.arguments["concept_head"] = write_zip(files.scratch.path("linear.npz"),
                                              {{"weight.npy", npy_of<double>({2, 2}, {0, 0, 1, 1})},
                                               {"bias.npy", npy_of<double>({2}, {0, 0.5})}});
  CHECK((files.fit().out == two.out));
  // Outputs that were saved, in float, are those of the head.
  files.put<float>("task_outputs", {3, 2}, {0, 0.75F, 0, 2, 0, 2.25F});
  CHECK(files.fit().error == "");
  const std::string path = files.put<float>("task_outputs", {3, 2}, {0, 0.75F, 0, 2, 0, 2.5F});
  files.refuses(path +
                ": row 2, output 1 is 2.5, but the head over concept_scores gives 2.25 (allowed: "
                "0.0025 apart)");
}

TEST_CASE("precomputed_files: without a head nothing answers, and embeddings pass") {
  Files files;
  files.put<float>("concept_scores", {3, 1, 2}, {1, 2, 3, 4, 5, 6});
  files.put<float>("concept_probabilities", {3, 1}, {0, 1, 0.5F});
  const Outcome made = files.fit();
  REQUIRE(made.error == "");
  CHECK(made.out.shape("concept_scores") == std::vector<std::int64_t>{3, 1, 2});
  CHECK_FALSE(made.out.has("task_outputs"));
  files.put<double>("task_outputs", {3, 1}, {1, 2, 3});
  const Outcome told = files.fit();
  CHECK(files.intervene(told.out, OwnedArray::of<double>({1, 1, 2}, {1, 0})).status ==
        CONO_NOT_APPLICABLE);
}

TEST_CASE("precomputed_files: a head view and codes") {
  Files files;
  files.head_over_activations();
  files.put<double>("codes", {3, 1}, {7, 8, 9});
  const Outcome made = files.fit();
  REQUIRE(made.error == "");
  CHECK(made.out.shape("activations") == std::vector<std::int64_t>{3, 1, 2});
  CHECK(made.out.texts.at("pooling") == "none");
  CHECK(std::ranges::equal(made.out.values<double>("codes"), std::vector<double>{7, 8, 9}));
  const std::string path = files.put<float>("activations", {2, 2}, {1, 2, 3, 4});
  files.refuses(path + ": activations has 2 rows, but the dataset has 3");
}

TEST_CASE("precomputed_files: an archive, names of its arrays, and a head in .safetensors") {
  Files files;
  const auto scores = npy_of<double>({3, 2}, {0, 0.25, 0.5, 1, 1, 0.75});
  files.arguments["archive"] =
      write_zip(files.scratch.path("all.npz"), {{"c_hat.npy", scores},
                                                {"codes.npy", npy_of<double>({3, 1}, {7, 8, 9})},
                                                {"concept_head.npy", npy_of<double>({1}, {0})}});
  files.arguments["members"] = std::vector<std::string>{"concept_scores=c_hat"};
  const std::string header = R"({"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                             R"("bias":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  const float numbers[3] = {2, 4, -1};
  const std::int64_t length = static_cast<std::int64_t>(header.size());
  files.arguments["concept_head"] = files.scratch.write(
      "head.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + header +
                              std::string(reinterpret_cast<const char*>(numbers), 12));
  const Outcome made = files.fit();
  REQUIRE(made.error == "");
  CHECK(std::ranges::equal(made.out.values<double>("task_outputs"), std::vector<double>{0, 4, 4}));
  CHECK(std::ranges::equal(made.out.values<double>("codes"), std::vector<double>{7, 8, 9}));
  // The head is a file by itself: no array of the archive, and none that `members` could name.
  CHECK(made.log == std::vector<std::string>{
                        "precomputed_files: the archive's array concept_head is not used"});
  files.arguments["members"] = std::vector<std::string>{"concept_head=x"};
  files.refuses(
      "precomputed_files: members has 'concept_head=x', expected NAME=ARRAY with the name of an "
      "array parameter");
}

TEST_CASE("precomputed_files: one archive for each parameter, by the names of its arrays") {
  Files files;
  const auto two = npy_of<double>({3, 2}, {0, 0.25, 0.5, 1, 1, 0.75});
  const std::string all = write_zip(files.scratch.path("all.npz"),
                                    {{"activations.npy", two},
                                     {"head_weight.npy", npy_of<double>({2, 2}, {1, 0, 0, 1})},
                                     {"head_bias.npy", npy_of<double>({2}, {0, 0})},
                                     {"labels.npy", npy_of<double>({3}, {0, 1, 1})}});
  for (const char* name : {"activations", "head_weight", "head_bias"}) files.arguments[name] = all;
  const Outcome made = files.fit();
  REQUIRE(made.error == "");
  CHECK(std::ranges::equal(made.out.values<double>("activations"),
                           std::vector<double>{0, 0.25, 0.5, 1, 1, 0.75}));
  files.arguments["codes"] = all;
  files.refuses(all +
                ": holds 4 arrays, none of them called codes (activations, head_weight, head_bias, "
                "labels); say which it is, as members = [\"codes=ARRAY\"]");
  files.arguments["members"] = std::vector<std::string>{"codes=activations"};
  CHECK(files.fit().error == "");
}

TEST_CASE("precomputed_files: no rows at all") {
  Files files;
  files.dataset.arrays["labels"] = OwnedArray::of<std::int64_t>({0}, {});
  files.network();
  const std::string path = files.put<double>("concept_scores", {0, 2}, {});
  files.refuses(path + ": concept_scores are 0 x 2");
  // The two other extents have no product in 63 bits.
  constexpr std::int64_t kLarge = std::int64_t{1} << 33;
  files.put<double>("concept_scores", {0, kLarge, kLarge}, {});
  files.refuses(path + ": concept_scores are 0 x 8589934592 x 8589934592");
}

TEST_CASE("precomputed_files: outputs that are no number do not agree with any") {
  Files files;
  files.concepts();
  files.arguments["concept_head"] =
      write_zip(files.scratch.path("head.npz"),
                {{"0.weight.npy", npy_of<double>({2, 2}, {1e308, 1e308, 1e308, 1e308})},
                 {"0.bias.npy", npy_of<double>({2}, {1e308, 1e308})},
                 {"1.weight.npy", npy_of<double>({2, 2}, {0, 0, 1, -1})},
                 {"1.bias.npy", npy_of<double>({2}, {0, 0})}});
  const std::string path = files.put<double>("task_outputs", {3, 2}, {0, 0, 0, 0, 0, 0});
  const Outcome outcome = files.fit();
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error.starts_with(path + ": row 1, output 0 is 0, but the head "));
  CHECK(outcome.error.find("nan") != std::string::npos);
}

TEST_CASE("precomputed_files: all is checked before anything is written") {
  Files files;
  files.head_over_activations();
  const std::string scores =
      files.put<double>("concept_scores", {3, 2}, {0, 0.25, 0.5, NAN, 1, 0.75});
  files.refuses(scores + ": the value at [1, 1] is nan, concept_scores must be finite");
  files.concepts();
  const std::string codes = files.put<double>("codes", {2, 1}, {7, 8});
  files.refuses(codes + ": codes has 2 rows, but the dataset has 3");
}

TEST_CASE("precomputed_files: what it refuses, by array and axis") {
  Files files;
  files.refuses("precomputed_files: neither activations nor concept_scores nor codes are given");
  const std::string scores = files.concepts();
  SUBCASE("other samples") {
    files.dataset.arrays["labels"] = OwnedArray::of<std::int64_t>({4}, {0, 1, 1, 0});
    files.refuses(scores + ": concept_scores has 3 rows, but the dataset has 4");
  }
  SUBCASE("a dataset that knows nothing of its samples") {
    files.dataset.arrays.clear();
    files.refuses(
        "precomputed_files: the dataset holds no labels, targets, concepts, factors or inputs");
  }
  SUBCASE("scores beyond [0, 1] without probabilities") {
    files.put<double>("concept_scores", {3, 2}, {0, 0.25, 0.5, 1, 1, 3});
    files.refuses(scores +
                  ": concept_scores go beyond [0, 1], so concept_probabilities are needed, too");
  }
  SUBCASE("a head of other concepts") {
    files.network();
    files.put<double>("concept_scores", {3, 1}, {0, 0.5, 1});
    files.refuses(files.scratch.path("head.npz") +
                  ": 2.weight: is 3 x 2, expected 1 columns for concept_scores of 3 x 1");
  }
  SUBCASE("layers that do not follow each other") {
    files.network({{"11.weight.npy", npy_of<double>({1, 3}, {1, 1, 1})},
                   {"11.bias.npy", npy_of<double>({1}, {0})}});
    files.refuses(files.scratch.path("head.npz") +
                  ": 11.weight: is 1 x 3, expected 2 columns for what 10.weight gives");
  }
  SUBCASE("a bias of another length") {
    files.network({{"11.weight.npy", npy_of<double>({1, 2}, {1, 1})},
                   {"11.bias.npy", npy_of<double>({2}, {0, 0})}});
    files.refuses(files.scratch.path("head.npz") + ": 11.bias: is 2, expected 1 as " +
                  files.scratch.path("head.npz") + ": 11.weight has rows");
  }
  SUBCASE("what is no layer") {
    files.network({{"running_mean.npy", npy_of<double>({1}, {0})}});
    files.refuses(files.scratch.path("head.npz") +
                  ": holds running_mean, expected weight and bias, or 0.weight, 0.bias, 2.weight, "
                  "... of layers in their order");
  }
  SUBCASE("two layers of one number") {
    files.network({{"02.weight.npy", npy_of<double>({1, 2}, {1, 1})}});
    files.refuses(files.scratch.path("head.npz") + ": 2.weight and 02.weight have one number");
  }
  SUBCASE("layers with and without numbers") {
    files.network({{"weight.npy", npy_of<double>({1, 2}, {1, 1})}});
    files.refuses(files.scratch.path("head.npz") +
                  ": holds weight or bias, and layers with numbers, too");
  }
  SUBCASE("a layer without its partner") {
    files.network({{"11.weight.npy", npy_of<double>({1, 2}, {1, 1})}});
    const Outcome outcome = files.fit();
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.error.find("head.npz") != std::string::npos);
    CHECK(outcome.error.find("11.bias") != std::string::npos);
  }
  SUBCASE("half a head") {
    const std::string weight = files.put<double>("concept_head_weight", {1, 2}, {0, 0});
    files.refuses(weight + ": concept_head_weight and concept_head_bias go together");
    files.arguments.erase("concept_head_weight");
    const std::string bias = files.put<double>("concept_head_bias", {1}, {0});
    files.refuses(bias + ": concept_head_weight and concept_head_bias go together");
  }
  SUBCASE("outputs of another number than the head has") {
    files.network();
    const std::string outputs = files.put<double>("task_outputs", {3, 1}, {0, 0, 0});
    files.refuses(outputs + ": task_outputs has 1 columns, but the head gives 2");
  }
  SUBCASE("an intervention on other concepts") {
    files.network();
    const Outcome made = files.fit();
    REQUIRE(made.error == "");
    check_fault(files.intervene(made.out, OwnedArray::of<double>({1, 3, 1}, {1, 0, 1})),
                CONO_INVALID_ARGUMENT, "concepts: 1 x 3 x 1, expected m x 2");
  }
  SUBCASE("a head without activations") {
    const std::string weight = files.put<float>("head_weight", {2, 2}, {1, 0, 0, 1});
    files.refuses(weight + ": head_weight is given without activations");
  }
  SUBCASE("activations without a head") {
    files.put<float>("activations", {3, 2}, {1, 2, 3, 4, 5, 6});
    files.refuses("precomputed_files: head_weight is not given, nor an archive that holds it");
  }
  SUBCASE("two heads") {
    files.network();
    const std::string weight = files.put<double>("concept_head_weight", {1, 2}, {0, 0});
    files.refuses(files.scratch.path("head.npz") + ": concept_head is given, and " + weight +
                  ", too");
  }
  SUBCASE("a head without concepts") {
    files.arguments.erase("concept_scores");
    files.network();
    files.put<double>("codes", {3, 1}, {7, 8, 9});
    files.refuses(files.scratch.path("head.npz") +
                  ": concept_head is given without concept_scores");
  }
  SUBCASE("a weight that is no number") {
    const std::string weight = files.put<double>("concept_head_weight", {1, 2}, {0, NAN});
    files.put<double>("concept_head_bias", {1}, {0});
    files.refuses(weight + ": the value at [0, 1] is nan, weights must be finite");
  }
}
