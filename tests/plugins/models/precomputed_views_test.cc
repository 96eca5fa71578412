// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

Bundle dataset() {
  Bundle data;
  data.arrays["concept_scores"] = OwnedArray::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  data.arrays["concept_probabilities"] = OwnedArray::of<float>({3, 2}, {0, 1, 0.5F, 1, 0, 1});
  data.arrays["codes"] = OwnedArray::of<double>({3, 1}, {7, 8, 9});
  return data;
}

}  // namespace

TEST_CASE("precomputed_concepts: passes the concept view on, with its task where there is one") {
  Bundle data = dataset();
  const Outcome alone = plugin("precomputed_concepts").fit_model({}, data);
  REQUIRE(alone.error == "");
  CHECK(alone.out.shape("concept_scores") == std::vector<std::int64_t>{3, 2, 1});
  CHECK(std::ranges::equal(alone.out.values<float>("concept_scores"),
                           data.values<float>("concept_scores")));
  CHECK((alone.out.arrays.at("concept_probabilities") == data.arrays.at("concept_probabilities")));
  CHECK(alone.out.arrays.size() == 2);
  data.arrays["task_outputs"] = OwnedArray::of<double>({3, 2}, {1, 0, 0, 1, 1, 0});
  const Outcome task = plugin("precomputed_concepts").fit_model({}, data);
  CHECK((task.out.arrays.at("task_outputs") == data.arrays.at("task_outputs")));
}

TEST_CASE("precomputed_concepts: a linear head that came along answers interventions") {
  Bundle data = dataset();
  data.arrays["task_outputs"] = OwnedArray::of<double>({3, 2}, {0, 3, 0, 7, 0, 11});
  data.arrays["reference_outputs"] = OwnedArray::of<double>({3, 2}, {0, 1, 1, 0, 0, 1});
  const Outcome without = plugin("precomputed_concepts").fit_model({}, data);
  REQUIRE(without.error == "");
  CHECK((without.out.arrays.at("reference_outputs") == data.arrays.at("reference_outputs")));
  const auto told = OwnedArray::of<double>({2, 2, 1}, {1, 0, 1, 1});
  CHECK(plugin("precomputed_concepts").intervene({}, without.out, told).status ==
        CONO_NOT_APPLICABLE);
  data.arrays["concept_head_weight"] = OwnedArray::of<double>({2, 2}, {0, 0, 1, 1});
  data.arrays["concept_head_bias"] = OwnedArray::of<double>({2}, {0, 0.5});
  const Outcome with = plugin("precomputed_concepts").fit_model({}, data);
  REQUIRE(with.error == "");
  const Outcome answer = plugin("precomputed_concepts").intervene({}, with.out, told);
  REQUIRE(answer.error == "");
  CHECK(std::ranges::equal(answer.out.values<double>("outputs"),
                           std::vector<double>{0, 1.5, 0, 2.5}));
  data.arrays["concept_head_weight"] = OwnedArray::of<double>({2, 1}, {0, 1});
  check_refused(plugin("precomputed_concepts").fit_model({}, data),
                "concept_head_weight: 2 x 1, expected 2 x 2");
}

TEST_CASE("precomputed_concepts: what it refuses") {
  Bundle data = dataset();
  data.arrays["concept_probabilities"].shape = {2, 3};
  check_refused(plugin("precomputed_concepts").fit_model({}, data),
                "concept_probabilities: 2 x 3, expected 3 x 2");
  data = dataset();
  data.arrays["concept_scores"].shape = {6};
  check_refused(plugin("precomputed_concepts").fit_model({}, data),
                "concept_scores: 6, expected n x k or n x k x w");
  data = dataset();
  data.arrays["task_outputs"] = OwnedArray::of<double>({2, 1}, {1, 0});
  check_refused(plugin("precomputed_concepts").fit_model({}, data),
                "task_outputs: 2 x 1, expected 3 x outputs");
}

TEST_CASE("precomputed_codes: passes the codes on, and refuses what are none") {
  Bundle data = dataset();
  const Outcome outcome = plugin("precomputed_codes_model").fit_model({}, data);
  REQUIRE(outcome.error == "");
  CHECK((outcome.out.arrays.at("codes") == data.arrays.at("codes")));
  CHECK(outcome.out.arrays.size() == 1);
  data.arrays["codes_log_variance"] = OwnedArray::of<double>({3, 1}, {0, -1, -2});
  const Outcome posterior = plugin("precomputed_codes_model").fit_model({}, data);
  REQUIRE(posterior.error == "");
  CHECK((posterior.out.arrays.at("codes_log_variance") == data.arrays.at("codes_log_variance")));
  data.arrays["codes_log_variance"] = OwnedArray::of<double>({3}, {0, -1, -2});
  check_refused(plugin("precomputed_codes_model").fit_model({}, data),
                "codes_log_variance: 3, expected 3 x 1 as codes");
  data.arrays.erase("codes_log_variance");
  data.arrays["codes"] =
      OwnedArray::of<double>({3, 1}, {7, std::numeric_limits<double>::infinity(), 9});
  check_refused(plugin("precomputed_codes_model").fit_model({}, data),
                "codes: entry 1 of 3 x 1 is inf");
  data.arrays["codes"] = OwnedArray::of<double>({3}, {7, 8, 9});
  check_refused(plugin("precomputed_codes_model").fit_model({}, data), "codes: 3, expected n x m");
}
