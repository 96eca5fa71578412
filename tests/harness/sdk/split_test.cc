// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/split.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/throws.h"

namespace sdk = conoscope::sdk;

namespace {

std::vector<std::int64_t> labels_of(const std::map<std::int64_t, int>& sizes) {
  std::vector<std::int64_t> out;
  for (const auto& [label, size] : sizes)
    out.insert(out.end(), static_cast<std::size_t>(size), label);
  return out;
}

std::map<std::int64_t, int> counts(const std::vector<std::int64_t>& labels,
                                   const std::vector<std::int64_t>& rows) {
  std::map<std::int64_t, int> out;
  for (const auto row : rows) ++out[labels[static_cast<std::size_t>(row)]];
  return out;
}

}  // namespace

TEST_CASE("the parts are ascending, disjoint and together everything") {
  const auto labels = labels_of({{0, 13}, {1, 7}, {2, 29}});
  const auto split = sdk::stratified_split(labels, 0.3, sdk::Seed(4));
  CHECK(std::is_sorted(split.train.begin(), split.train.end()));
  CHECK(std::is_sorted(split.test.begin(), split.test.end()));
  std::set<std::int64_t> all(split.train.begin(), split.train.end());
  all.insert(split.test.begin(), split.test.end());
  CHECK(all.size() == labels.size());
  CHECK(split.train.size() + split.test.size() == labels.size());
  CHECK(*all.begin() == 0);
  CHECK(*all.rbegin() == 48);
}

TEST_CASE("each class gives its share; the largest remainders give the rest") {
  // Shares 3.25, 1.75, 7.25 of 12.25: 3 + 1 + 7 = 11, and the twelfth from class 1.
  const auto labels = labels_of({{0, 13}, {1, 7}, {2, 29}});
  const auto split = sdk::stratified_split(labels, 0.25, sdk::Seed(4));
  CHECK(split.test.size() == 12);
  CHECK(counts(labels, split.test) == std::map<std::int64_t, int>{{0, 3}, {1, 2}, {2, 7}});
}

TEST_CASE("on ties the lowest class gives") {
  // Four classes of 3 at a half: 1.5 each, 6 wanted, so classes -5 and 0 give two.
  const auto labels = labels_of({{-5, 3}, {0, 3}, {8, 3}, {9, 3}});
  const auto split = sdk::stratified_split(labels, 0.5, sdk::Seed(1));
  CHECK(counts(labels, split.test) == std::map<std::int64_t, int>{{-5, 2}, {0, 2}, {8, 1}, {9, 1}});
}

TEST_CASE("whole shares stay whole") {
  const auto labels = labels_of({{0, 50}, {1, 30}, {2, 20}});
  for (const double share : {0.1, 0.2, 0.3, 0.7, 0.9}) {
    const auto split = sdk::stratified_split(labels, share, sdk::Seed(2));
    const auto seen = counts(labels, split.test);
    CHECK(seen.at(0) == std::lround(50 * share));
    CHECK(seen.at(1) == std::lround(30 * share));
    CHECK(seen.at(2) == std::lround(20 * share));
  }
}

TEST_CASE("the same seed gives the same split, another seed another") {
  const auto labels = labels_of({{0, 40}, {1, 40}});
  const auto one = sdk::stratified_split(labels, 0.25, sdk::Seed(7));
  const auto same = sdk::stratified_split(labels, 0.25, sdk::Seed(7));
  const auto other = sdk::stratified_split(labels, 0.25, sdk::Seed(8));
  CHECK(one.test == same.test);
  CHECK(one.train == same.train);
  CHECK(one.test != other.test);
}

TEST_CASE("a class's draw does not depend on the other classes") {
  auto labels = labels_of({{0, 40}, {1, 40}});
  const auto two = sdk::stratified_split(labels, 0.25, sdk::Seed(7));
  labels.insert(labels.end(), 40, 2);
  const auto three = sdk::stratified_split(labels, 0.25, sdk::Seed(7));
  std::vector<std::int64_t> first_two;
  for (const auto row : three.test)
    if (row < 80) first_two.push_back(row);
  CHECK(first_two == two.test);
}

TEST_CASE("every sample gets into the test part by some seed") {
  const auto labels = labels_of({{0, 10}, {1, 10}});
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const auto row : sdk::stratified_split(labels, 0.3, sdk::Seed(seed)).test)
      seen.insert(row);
  CHECK(seen.size() == 20);
}

TEST_CASE("a balanced split tests on as many samples of every class") {
  const auto labels = labels_of({{0, 40}, {5, 4}, {2, 9}});
  const auto split = sdk::balanced_split(labels, 3, sdk::Seed(4));
  CHECK(counts(labels, split.test) == std::map<std::int64_t, int>{{0, 3}, {2, 3}, {5, 3}});
  CHECK(split.train.size() == 44);
  CHECK(std::is_sorted(split.test.begin(), split.test.end()));
  CHECK(sdk::balanced_split(labels, 3, sdk::Seed(4)).test == split.test);
  CHECK(sdk::balanced_split(labels, 3, sdk::Seed(5)).test != split.test);
  CHECK_THROWS_SAYING(sdk::balanced_split(labels, 4, sdk::Seed(4)), std::invalid_argument,
                      "class 5 has 4 samples, too few to test on 4");
  CHECK_THROWS_AS(sdk::balanced_split(labels, 0, sdk::Seed(4)), std::invalid_argument);
  CHECK_THROWS_AS(sdk::balanced_split({}, 1, sdk::Seed(4)), std::invalid_argument);
}

TEST_CASE("a share outside (0, 1) and an empty part are refused") {
  const auto labels = labels_of({{0, 4}, {1, 4}});
  for (const double share : {0.0, 1.0, -0.5, 1.5, std::nan("")})
    CHECK_THROWS_SAYING(sdk::stratified_split(labels, share, sdk::Seed(0)), std::invalid_argument,
                        "stratified_split", "test_share is");
  CHECK_THROWS_SAYING(sdk::stratified_split({}, 0.5, sdk::Seed(0)), std::invalid_argument,
                      "0 samples leave an empty part");
  CHECK_THROWS_SAYING(sdk::stratified_split(labels, 0.01, sdk::Seed(0)), std::invalid_argument,
                      "8 samples leave an empty part");
  CHECK_THROWS_SAYING(sdk::stratified_split(labels, 0.99, sdk::Seed(0)), std::invalid_argument,
                      "8 samples leave an empty part");
}
