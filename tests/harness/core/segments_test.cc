// SPDX-License-Identifier: Apache-2.0
// Segments of images on their way from a dataset to an explainer.

#include <doctest/doctest.h>

#include <algorithm>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"
#include "harness/core/run/subject.h"

using namespace conoscope::core;

namespace {

template <typename T>
void put(ArrayBag& bag, const std::string& name, const std::vector<std::int64_t>& shape,
         const std::vector<T>& values) {
  bag.add_copy(name, values.data(), shape);
}

/// Four samples; 1 and 3 are for training. Segment s has the features s and 10 s.
ArrayBag dataset(const std::vector<std::int64_t>& segment_sample) {
  ArrayBag bag;
  put<std::int64_t>(bag, "labels", {4}, {0, 1, 0, 1});
  put<std::int64_t>(bag, "train_index", {2}, {3, 1});
  put<std::int64_t>(bag, "test_index", {2}, {0, 2});
  std::vector<float> features;
  for (std::size_t s = 0; s < segment_sample.size(); ++s)
    features.insert(features.end(), {static_cast<float>(s), 10.0F * static_cast<float>(s)});
  put(bag, "segment_embeddings", {static_cast<std::int64_t>(segment_sample.size()), 2}, features);
  put(bag, "segment_sample", {static_cast<std::int64_t>(segment_sample.size())}, segment_sample);
  return bag;
}

ArrayBag model() {
  ArrayBag bag;
  put<float>(bag, "activations", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  put<double>(bag, "head_weight", {2, 2}, {1, 0, 0, 1});
  put<double>(bag, "head_bias", {2}, {0, 0});
  return bag;
}

void refuses(const ArrayBag& bag, const std::string& text) {
  CHECK_THROWS_WITH_AS(check_dataset(bag, {}), text.c_str(), OutputFault);
}

}  // namespace

TEST_CASE("segments: an explainer sees those of the training samples, numbered like its rows") {
  const ArrayBag data = dataset({3, 0, 1, 1, 2, 3}), fitted = model();
  const ArrayBag input = make_explainer_input(data, fitted);
  const auto sample = input.get("segment_sample").values<const std::int64_t>();
  CHECK(std::ranges::equal(sample, std::vector<std::int64_t>{0, 1, 1, 0}));
  const auto features = input.get("segment_embeddings").values<const float>();
  CHECK(std::ranges::equal(features, std::vector<float>{0, 0, 2, 20, 3, 30, 5, 50}));
  CHECK(to_matrix(input.get("activations"), 2)(0, 0) == 7.0);
}

TEST_CASE("segments: none of the training samples, or none at all") {
  const ArrayBag fitted = model();
  CHECK(make_explainer_input(dataset({0, 2}), fitted).get("segment_sample").rows() == 0);
  ArrayBag plain;
  put<std::int64_t>(plain, "labels", {4}, {0, 1, 0, 1});
  put<std::int64_t>(plain, "train_index", {1}, {0});
  CHECK_FALSE(make_explainer_input(plain, fitted).find("segment_sample"));
}

TEST_CASE("segments: a dataset must say whose they are") {
  CHECK_NOTHROW(check_dataset(dataset({3, 0}), {}));
  refuses(dataset({3, 4}), "segment_sample[1] is 4, expected 0 to 3");
  refuses(dataset({-1}), "segment_sample[0] is -1, expected 0 to 3");
  ArrayBag bag = dataset({3, 0});
  put<std::int64_t>(bag, "segment_sample", {3}, {0, 0, 0});
  refuses(bag, "segment_sample is 3, expected 2");
  put<double>(bag, "segment_sample", {2}, {0, 0});
  refuses(bag, "segment_sample is float64, expected int64");
  put<double>(bag, "segment_embeddings", {2}, {0, 0});
  refuses(bag, "segment_embeddings is 2, expected m x D");
}
