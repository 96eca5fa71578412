// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/support/plugin_driver.h"

using namespace conoscope::testing;

namespace {

Bundle dataset() {
  Bundle data;
  data.arrays["activations"] =
      OwnedArray::of<float>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  data.arrays["head_weight"] = OwnedArray::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  data.arrays["head_bias"] = OwnedArray::of<float>({2}, {0.5F, -0.5F});
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({2}, {0, 1});
  data.texts["pooling"] = "mean";
  data.texts["output"] = "sigmoid";
  return data;
}

void refuses(const Bundle& data, const std::string& text) {
  const Outcome outcome = plugin("precomputed_model").fit_model({}, data);
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error == text);
}

}  // namespace

TEST_CASE("precomputed model: leaves the head view to the host, and says how it is read") {
  Bundle data = dataset();
  Outcome outcome = plugin("precomputed_model").fit_model({}, data);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.arrays.empty());
  CHECK(outcome.out.texts.at("pooling") == "mean");
  CHECK(outcome.out.texts.at("output") == "sigmoid");

  data.texts.clear();
  data.arrays["activations"].shape = {4, 3};
  outcome = plugin("precomputed_model").fit_model({}, data);
  REQUIRE(outcome.error == "");
  CHECK(outcome.out.texts.at("pooling") == "none");
  CHECK(outcome.out.texts.at("output") == "softmax");
}

TEST_CASE("precomputed model: what it refuses") {
  Bundle data = dataset();
  data.arrays.erase("head_weight");
  refuses(data, "array head_weight is missing");

  data = dataset();
  data.arrays["head_weight"].shape = {3, 2};
  refuses(
      data,
      "head_weight: 3 x 2, expected outputs x 3 for activations of 2 x 2 x 3 with pooling = mean");
  data = dataset();
  data.texts["pooling"] = "flatten";
  refuses(data,
          "head_weight: 2 x 3, expected outputs x 6 for activations of 2 x 2 x 3 with pooling = "
          "flatten");
  data = dataset();
  data.arrays["head_bias"].shape = {1, 2};
  refuses(data, "head_bias: 1 x 2, expected 2");
  data = dataset();
  data.arrays["activations"].shape = {12};
  refuses(data, "activations: 12, expected n x P x D or n x D");
  data = dataset();
  data.arrays["head_bias"] = OwnedArray::of<std::int64_t>({2}, {1, 2});
  refuses(data, "head_bias: dtype is int64, expected float16, float32 or float64");
}
