// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/capture_binding.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;

namespace {

Bundle load(std::uint64_t seed, const Arguments& arguments = {}) {
  return loaded(plugin("digits"), arguments, seed);
}

}  // namespace

TEST_CASE("digits: 1797 images in ten classes") {
  const Bundle data = load(0);
  CHECK(data.shape("inputs") == std::vector<std::int64_t>{1797, 8, 8, 1});
  CHECK(data.texts.at("task") == "classification");
  std::map<std::int64_t, int> counts;
  for (const std::int64_t label : data.values<std::int64_t>("labels")) ++counts[label];
  // The counts that the UCI description gives for the test part.
  CHECK(counts == std::map<std::int64_t, int>{{0, 178},
                                              {1, 182},
                                              {2, 177},
                                              {3, 183},
                                              {4, 181},
                                              {5, 182},
                                              {6, 181},
                                              {7, 179},
                                              {8, 174},
                                              {9, 180}});
}

TEST_CASE("digits: the first image, in sixteenths") {
  const Bundle data = load(0);
  const auto inputs = data.values<float>("inputs");
  const std::vector<int> first = {0, 0, 5,  13, 9, 1,  0, 0, 0, 0, 13, 15, 10, 15, 5, 0,
                                  0, 3, 15, 2,  0, 11, 8, 0, 0, 4, 12, 0,  0,  8,  8, 0};
  for (std::size_t i = 0; i < first.size(); ++i)
    CHECK(inputs[i] == static_cast<float>(first[i]) / 16.0F);
  CHECK(data.values<std::int64_t>("labels")[0] == 0);
  CHECK(data.values<std::int64_t>("labels")[1796] == 8);
  const auto [least, most] = std::ranges::minmax(inputs);
  CHECK(least == 0.0F);
  CHECK(most == 1.0F);
}

TEST_CASE("digits: the split is complete, disjoint and keeps the classes' shares") {
  const Bundle data = load(3);
  const auto train = data.values<std::int64_t>("train_index");
  const auto test = data.values<std::int64_t>("test_index");
  const auto labels = data.values<std::int64_t>("labels");
  CHECK(test.size() == 359);  // round(0.2 * 1797)
  std::set<std::int64_t> all(train.begin(), train.end());
  all.insert(test.begin(), test.end());
  CHECK(train.size() + test.size() == 1797);
  CHECK(all.size() == 1797);
  CHECK(*all.begin() == 0);
  CHECK(*all.rbegin() == 1796);
  std::map<std::int64_t, int> counts;
  for (const std::int64_t row : test) ++counts[labels[static_cast<std::size_t>(row)]];
  for (const auto& [label, count] : counts) {
    CAPTURE_BINDING(label);
    const auto size = std::ranges::count(labels, label);
    CHECK(std::abs(count - 0.2 * static_cast<double>(size)) < 1.0);
  }
}

TEST_CASE("digits: the seed chooses the split and nothing else") {
  const Bundle first = load(1), again = load(1), other = load(2);
  CHECK((first == again));
  CHECK_FALSE((first.arrays.at("test_index") == other.arrays.at("test_index")));
  CHECK((first.arrays.at("inputs") == other.arrays.at("inputs")));
  CHECK(load(1, {{"test_share", 0.5}}).shape("test_index")[0] == 899);
}

TEST_CASE("digits: attributes and value of the same digits, in the same split") {
  const Bundle classes = load(5), attributes = load(5, {{"task", "attributes"}}),
               value = load(5, {{"task", "value"}});
  CHECK(attributes.texts.at("task") == "attributes");
  CHECK(value.texts.at("task") == "regression");
  CHECK(attributes.arrays.count("labels") == 0);
  CHECK(attributes.shape("targets") == std::vector<std::int64_t>{1797, 4});
  CHECK(value.shape("targets") == std::vector<std::int64_t>{1797, 1});
  CHECK((attributes.arrays.at("test_index") == classes.arrays.at("test_index")));
  const auto labels = classes.values<std::int64_t>("labels");
  const auto has = attributes.values<float>("targets"), number = value.values<float>("targets");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto digit = labels[i];
    REQUIRE(number[i] == static_cast<float>(digit));
    REQUIRE(has[4 * i] == (digit % 2 == 0 ? 1.0F : 0.0F));
    REQUIRE(has[4 * i + 1] == (digit >= 5 ? 1.0F : 0.0F));
    REQUIRE(has[4 * i + 2] == (digit == 0 || digit == 6 || digit == 8 || digit == 9 ? 1.0F : 0.0F));
    REQUIRE(has[4 * i + 3] == (digit == 2 || digit == 3 || digit == 5 || digit == 7 ? 1.0F : 0.0F));
  }
}

TEST_CASE("digits: a share that the metadata does not allow") {
  const Outcome outcome = plugin("digits").load({{"test_share", 1.0}});
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  CHECK(outcome.error.starts_with("stratified_split: test_share is 1.0"));
}
