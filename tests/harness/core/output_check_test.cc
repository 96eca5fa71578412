// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/output_check.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/throws.h"

using namespace conoscope::core;

namespace {

using Shape = std::vector<std::int64_t>;

template <typename T>
void put(ArrayBag& bag, const std::string& name, const Shape& shape, const std::vector<T>& values) {
  bag.add_copy(name, values.data(), shape);
}

void fill(ArrayBag& bag, const std::string& name, const Shape& shape, double value = 0.5) {
  std::size_t count = 1;
  for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
  put(bag, name, shape, std::vector<double>(count, value));
}

// Changes of an output that make it a bad one.
auto filled(const std::string& name, const Shape& shape, double value = 0.5) {
  return [=](ArrayBag& bag) { fill(bag, name, shape, value); };
}
auto whole(const std::string& name, const Shape& shape, const std::vector<std::int64_t>& values) {
  return [=](ArrayBag& bag) { put(bag, name, shape, values); };
}
auto text(const std::string& name, const std::string& value) {
  return [=](ArrayBag& bag) { bag.set_text(name, value); };
}

Metadata offering(const std::vector<std::string>& views) {
  Metadata out;
  out.offers = views;
  return out;
}

/// Four samples of three classes' labels; rows 0, 1, 2 to train on, 3 to test.
ArrayBag dataset() {
  ArrayBag bag;
  fill(bag, "inputs", {4, 2, 2});
  put<std::int64_t>(bag, "labels", {4}, {0, 1, 2, 1});
  put<std::int64_t>(bag, "train_index", {3}, {0, 1, 2});
  put<std::int64_t>(bag, "test_index", {1}, {3});
  return bag;
}

/// 4 samples, 2 positions, 5 features, 3 outputs.
ArrayBag head(const std::string& pooling = "mean") {
  ArrayBag bag;
  const std::int64_t positions = pooling == "none" ? 1 : 2;
  fill(bag, "activations", {4, positions, 5});
  fill(bag, "head_weight", {3, pooling == "flatten" ? 5 * positions : 5});
  fill(bag, "head_bias", {3});
  bag.set_text("pooling", pooling);
  bag.set_text("output", "softmax");
  return bag;
}

ArrayBag explanation() {
  ArrayBag bag;
  fill(bag, "cavs", {4, 5});
  fill(bag, "importance", {4});
  put<std::int64_t>(bag, "counts", {3}, {2, 0, 2});
  bag.set_text("scope", "class_specific");
  return bag;
}

template <typename Change, typename Check>
void refused(ArrayBag bag, Change&& change, Check&& check, const std::string& why) {
  change(bag);
  CHECK_THROWS_SAYING(check(bag), OutputFault, why);
}

template <typename Change>
void bad_dataset(Change&& change, const std::string& why) {
  refused(
      dataset(), change,
      [](const ArrayBag& bag) {
        check_dataset(bag, offering({"inputs", "labels"}));
      },
      why);
}

template <typename Change>
void bad_model(ArrayBag bag, Change&& change, const std::string& why,
               const std::vector<std::string>& views = {"head_view"}) {
  refused(
      std::move(bag), change,
      [&](const ArrayBag& model) { check_model(model, dataset(), offering(views)); }, why);
}

template <typename Change>
void bad_explanation(Change&& change, const std::string& why) {
  refused(
      explanation(), change, [](const ArrayBag& bag) { check_explanation(bag, head()); }, why);
}

}  // namespace

TEST_CASE("a model cannot bring the truth that it is judged by") {
  bad_model(head("mean"), whole("labels", {4}, {0, 1, 2, 1}),
            "labels is the dataset's to give; a model's own array needs another name");
}

TEST_CASE("good outputs pass") {
  check_dataset(dataset(), offering({"inputs", "labels"}));
  for (const char* pooling : {"mean", "none", "flatten"})
    check_model(head(pooling), dataset(), offering({"head_view"}));
  ArrayBag flat = head("none");
  fill(flat, "activations", {4, 5});  // n x D is n x 1 x D
  check_model(flat, dataset(), offering({"head_view"}));
  check_explanation(explanation(), head());
  ArrayBag agnostic;
  fill(agnostic, "cavs", {2, 5});
  fill(agnostic, "importance", {3, 2});
  agnostic.set_text("scope", "class_agnostic");
  check_explanation(agnostic, head());
  ArrayBag both;
  fill(both, "concept_scores", {4, 3, 2});
  fill(both, "concept_probabilities", {4, 3});
  fill(both, "task_outputs", {4, 2});
  fill(both, "codes", {4, 6});
  check_model(both, dataset(), offering({"concept_view", "latent_view"}));
}

TEST_CASE("a dataset's faults, each with its place") {
  const auto index = [](const char* name, const std::vector<std::int64_t>& rows) {
    return whole(name, {static_cast<std::int64_t>(rows.size())}, rows);
  };
  CHECK_THROWS_SAYING(check_dataset(dataset(), offering({"concepts"})), OutputFault,
                      "array concepts is missing");
  CHECK_THROWS_SAYING(check_dataset(ArrayBag(), offering({})), OutputFault,
                      "there is no array with a row for each sample");
  bad_dataset(filled("factors", {5, 2}), "factors has 5 rows for 4 samples");
  bad_dataset(filled("labels", {4}), "labels is float64, expected int64");
  bad_dataset(whole("labels", {4, 1}, {0, 1, 2, 1}), "labels is 4 x 1, expected 4");
  bad_dataset(whole("labels", {4}, {0, 1, -1, 1}), "labels[2] is -1, expected 0 to 999999");
  bad_dataset(whole("concept_groups", {1}, {0}), "array concepts is missing");
  const auto grouped = [](auto&& groups) {
    return [=](ArrayBag& bag) {
      fill(bag, "concepts", {4, 3});
      groups(bag);
    };
  };
  bad_dataset(grouped(filled("concept_groups", {3})), "concept_groups is float64, expected int64");
  bad_dataset(grouped(whole("concept_groups", {2}, {0, 1})), "concept_groups is 2, expected 3");
  bad_dataset(grouped(whole("concept_groups", {3}, {0, 3, 1})),
              "concept_groups[1] is 3, expected 0 to 2");
  bad_dataset(whole("labels", {4}, {0, 1'000'000'000, 1, 1}),
              "labels[1] is 1000000000, expected 0 to 999999");
  bad_dataset(index("train_index", {0, 1, 4}), "train_index[2] is 4, expected 0 to 3");
  bad_dataset(index("test_index", {-1}), "test_index[0] is -1, expected 0 to 3");
  bad_dataset(index("train_index", {0, 1, 1}), "train_index[2]: sample 1 is in the split twice");
  bad_dataset(index("test_index", {2}), "test_index[0]: sample 2 is in the split twice");
  bad_dataset(index("test_index", {}), "test_index is 0, expected at least one row number");
  bad_dataset(filled("train_index", {1}), "train_index is float64, expected int64");
  bad_dataset(whole("test_index", {1, 1}, {3}), "test_index is 1 x 1");
  ArrayBag unsplit;
  fill(unsplit, "inputs", {4, 2});
  CHECK_THROWS_SAYING(check_dataset(unsplit, offering({})), OutputFault,
                      "array train_index is missing");
  bad_dataset(
      [](ArrayBag& b) {
        std::vector<double> values(16, 0.0);
        values[2 * 4 + 1 * 2] = std::nan("");
        put(b, "inputs", {4, 2, 2}, values);
      },
      "inputs[2, 1, 0] is NaN");
  bad_dataset(
      [](ArrayBag& b) {
        put<float>(b, "factors", {4, 1}, {0, -std::numeric_limits<float>::infinity(), 0, 0});
      },
      "factors[1, 0] is infinite");
  // A head view that came with the data is checked like a model's.
  bad_dataset(filled("head_weight", {3, 5}), "array activations is missing");
}

TEST_CASE("a dataset's known features, and their faults") {
  // Four features of two dimensions; one row is judged.
  const auto known = [] {
    ArrayBag bag = dataset();
    put<double>(bag, "truth_directions", {4, 2}, {1.0, 0.0, 0.0, 1.0, 0.6, 0.8, -1.0, 0.0});
    fill(bag, "truth_activations", {1, 4});
    fill(bag, "truth_bias", {2});
    put<std::int64_t>(bag, "truth_parent", {4}, {-1, 0, 0, -1});
    return bag;
  };
  const auto bad = [&known](const auto& change, const std::string& why) {
    refused(
        known(), change, [](const ArrayBag& bag) { check_dataset(bag, offering({"truth"})); }, why);
  };
  check_dataset(known(), offering({"truth"}));
  bad_dataset(filled("truth_bias", {2}), "array truth_directions is missing");
  bad_dataset(filled("truth_activations", {1, 4}), "array truth_directions is missing");
  CHECK_THROWS_SAYING(check_dataset(dataset(), offering({"truth"})), OutputFault,
                      "array truth_directions is missing");
  bad(filled("truth_directions", {8}), "truth_directions is 8, expected N x D");
  bad(filled("truth_directions", {4, 2}), "truth_directions[0] has length 0.707107, expected 1");
  bad(filled("truth_activations", {1, 3}), "truth_activations is 1 x 3, expected 1 x 4");
  bad(filled("truth_activations", {4, 4}), "truth_activations has 4 rows for the 1 of test_index");
  bad(filled("truth_bias", {3}), "truth_bias is 3, expected 2");
  bad(whole("truth_parent", {3}, {-1, 0, 0}), "truth_parent is 3, expected 4");
  bad(whole("truth_parent", {4}, {-1, 0, 4, 0}), "truth_parent[2] is 4, expected -1 to 3");
  bad(whole("truth_parent", {4}, {-2, 0, 0, 0}), "truth_parent[0] is -2, expected -1 to 3");
  bad(filled("truth_parent", {4}), "truth_parent is float64, expected int64");
  bad(filled("truth_activations", {1, 4}, HUGE_VAL), "truth_activations[0, 0] is infinite");
}

TEST_CASE("a head view's faults") {
  bad_model(
      head(), [](ArrayBag& b) { b = ArrayBag(); }, "array activations is missing");
  bad_model(head(), filled("activations", {4, 1, 1, 5}),
            "activations is 4 x 1 x 1 x 5, expected n x P x D or n x D");
  bad_model(head(), filled("activations", {5, 2, 5}), "activations has 5 rows for 4 samples");
  bad_model(head(), filled("head_weight", {3, 6}), "head_weight is 3 x 6, expected 3 x 5");
  bad_model(head(), filled("head_weight", {15}), "head_weight is 15, expected C x D");
  bad_model(head("flatten"), filled("head_weight", {3, 5}),
            "head_weight is 3 x 5, expected 3 x 10");
  bad_model(head(), filled("head_bias", {4}), "head_bias is 4, expected 3");
  bad_model(head(), text("pooling", "max"),
            "text pooling is \"max\", expected mean, none or flatten");
  bad_model(head(), text("output", "logit"),
            "text output is \"logit\", expected softmax, sigmoid or regression");
  bad_model(head(), text("pooling", "none"), "pooling is none, but activations has 2 positions");
  bad_model(head(), filled("head_bias", {3}, HUGE_VAL), "head_bias[0] is infinite");
  // Not promised, but there: what is there is used, so it is checked.
  bad_model(head(), filled("head_weight", {3, 6}), "head_weight is 3 x 6, expected 3 x 5", {});
}

TEST_CASE("a concept or latent view's faults") {
  const auto concepts = [] {
    ArrayBag bag;
    fill(bag, "concept_scores", {4, 3, 2});
    fill(bag, "concept_probabilities", {4, 3});
    fill(bag, "task_outputs", {4, 2});
    return bag;
  };
  const std::vector<std::string> view = {"concept_view"};
  bad_model(
      head(), [](ArrayBag&) {}, "array concept_scores is missing", view);
  bad_model(concepts(), filled("concept_scores", {4}),
            "concept_scores is 4, expected n x k or n x k x w", view);
  bad_model(concepts(), filled("concept_probabilities", {4, 2}),
            "concept_probabilities is 4 x 2, expected 4 x 3", view);
  bad_model(concepts(), filled("task_outputs", {4, 2, 1}),
            "task_outputs is 4 x 2 x 1, expected 4 x C", view);
  bad_model(concepts(), filled("task_outputs", {3, 2}), "task_outputs has 3 rows for 4 samples",
            view);
  bad_model(concepts(), filled("reference_outputs", {4, 3}),
            "reference_outputs is 4 x 3, expected 4 x 2", view);
  bad_model(head(), [](ArrayBag&) {}, "array codes is missing", {"latent_view"});
  bad_model(head(), filled("codes", {4}), "codes is 4, expected n x m", {"latent_view"});
  bad_model(head(), filled("codes_log_variance", {4, 3}), "array codes is missing");
  bad_model(head(),
            [](ArrayBag& b) {
              fill(b, "codes", {4, 3});
              fill(b, "codes_log_variance", {4, 2});
            },
            "codes_log_variance is 4 x 2, expected 4 x 3", {"latent_view"});
  bad_model(head(),
            [](ArrayBag& b) {
              fill(b, "codes", {4, 3});
              fill(b, "reconstruction_loss", {4, 1});
            },
            "reconstruction_loss is 4 x 1, expected 4", {"latent_view"});
}

TEST_CASE("an explanation's faults") {
  bad_explanation([](ArrayBag& b) { b = ArrayBag(); }, "array cavs is missing");
  bad_explanation(filled("cavs", {4, 6}), "cavs is 4 x 6, expected 4 x 5");
  bad_explanation(filled("cavs", {20}), "cavs is 20, expected");
  bad_explanation(filled("importance", {5}), "importance is 5, expected 4");
  bad_explanation(whole("counts", {2}, {2, 2}), "counts is 2, expected 3");
  bad_explanation(whole("counts", {3}, {5, -1, 0}), "counts[0] is 5, expected 0 to 4");
  bad_explanation(whole("counts", {3}, {4, -1, 1}), "counts[1] is -1, expected 0 to 4");
  bad_explanation(whole("counts", {3}, {2, 0, 1}), "counts add up to 3, but cavs has 4 rows");
  bad_explanation(whole("concept_dimension", {2, 1}, {2, 2}),
                  "concept_dimension is 2 x 1, expected 3 x L");
  bad_explanation(whole("concept_dimension", {3, 2}, {std::int64_t{1} << 62, 0, 0, 0, 1, 1}),
                  "concept_dimension[0, 0] is 4611686018427387904, expected 0 to 2");
  bad_explanation(whole("concept_dimension", {3, 2}, {2, 0, 0, 0, 1, 0}),
                  "concept_dimension[2] adds up to 1, but output 2 has 2 CAVs");
  bad_explanation(filled("counts", {3}, 1.0), "counts is float64, expected int64");
  bad_explanation(whole("constant_concepts", {3}, {0, 0, 1}), "constant_concepts is 3, expected 4");
  bad_explanation(whole("constant_concepts", {4}, {0, 0, 2, 1}),
                  "constant_concepts[2] is 2, expected 0 to 1");
  bad_explanation(filled("constant_concepts", {4}, 0.0),
                  "constant_concepts is float64, expected int64");
  bad_explanation(text("scope", "class_agnostic"), "importance is 4, expected 3 x 4");
  bad_explanation(text("scope", "global"),
                  "text scope is \"global\", expected class_specific or class_agnostic");
  bad_explanation(filled("importance", {4}, std::nan("")), "importance[0] is NaN");
  // The plugin's own state must be finite too: it is what psi is computed with.
  bad_explanation(filled("dictionary", {2, 2}, HUGE_VAL), "dictionary[0, 0] is infinite");
  ArrayBag without;
  fill(without, "cavs", {4, 5});
  without.set_text("scope", "class_specific");
  CHECK_THROWS_SAYING(check_explanation(without, head()), OutputFault,
                      "array importance is missing");
}
