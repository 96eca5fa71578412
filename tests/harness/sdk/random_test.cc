// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace sdk = conoscope::sdk;

TEST_CASE("the first values of a stream are frozen: scores of old runs depend on them") {
  // From a second implementation, in Python, of SplitMix64, FNV-1a and mt19937_64.
  const sdk::Seed seed(2024);
  CHECK(seed.child("split").value() == 0x7c5cef017dbb4efdULL);
  CHECK(seed.child(std::uint64_t{0}).value() == 0x18e430bb1511f2d2ULL);
  CHECK(seed.child("restart").child(3).value() == 0x8f9b785263e24446ULL);

  sdk::Random uniform(seed);
  CHECK(uniform.uniform() == 0x1.39b1c9e957cb2p-1);
  CHECK(uniform.uniform() == 0x1.96e50634f5cdbp-1);
  sdk::Random normal(seed);
  CHECK(normal.normal() == doctest::Approx(0.4846376703949671).epsilon(1e-15));
  CHECK(normal.normal() == doctest::Approx(1.267525262480713).epsilon(1e-15));
  sdk::Random below(seed);
  CHECK(below.below(1000) == 974);
  CHECK(below.below(1000) == 969);
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  sdk::Random shuffle(seed);
  shuffle.shuffle(items);
  CHECK(items == std::vector<int>{1, 7, 3, 0, 4, 5, 2, 6});
}

TEST_CASE("the engine is the standard's mt19937_64, whose 10,000th draw the standard states") {
  // [rand.predef]: default-constructed, that is with seed 5489.
  std::mt19937_64 engine(5489);
  engine.discard(9999);
  CHECK(engine() == 9981545732273789042ULL);
  // uniform() is its upper 53 bits.
  std::mt19937_64 raw(7);
  sdk::Random random{sdk::Seed(7)};
  for (int i = 0; i < 100; ++i)
    CHECK(random.uniform() == static_cast<double>(raw() >> 11) / 9007199254740992.0);
}

TEST_CASE("uniform stays in its range and has its mean and variance") {
  constexpr int n = 100000;
  sdk::Random random{sdk::Seed(1)};
  double sum = 0.0, squares = 0.0, low = 1.0, high = 0.0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    low = std::min(low, u);
    high = std::max(high, u);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
  }
  CHECK(low >= 0.0);
  CHECK(high < 1.0);
  // Five standard errors: 1/sqrt(12 n) of the mean, sqrt(1/180 n) of the variance.
  CHECK(std::abs(sum / n - 0.5) < 5.0 / std::sqrt(12.0 * n));
  CHECK(std::abs(squares / n - 1.0 / 12.0) < 5.0 / std::sqrt(180.0 * n));

  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform(-3.0, 5.0);
    CHECK(u >= -3.0);
    CHECK(u < 5.0);
  }
}

TEST_CASE("below gives every number equally often, also where a modulo would not") {
  constexpr std::uint64_t n = 7;
  constexpr int draws = 70000;
  std::array<int, n> count{};
  sdk::Random random{sdk::Seed(3)};
  for (int i = 0; i < draws; ++i) {
    const auto drawn = random.below(n);
    REQUIRE(drawn < n);
    ++count[drawn];
  }
  // Chi-square with 6 degrees of freedom: 99.99 % lie below 27.9.
  double chi = 0.0;
  for (const int seen : count) chi += (seen - 10000.0) * (seen - 10000.0) / 10000.0;
  CHECK(chi < 27.9);

  // With n = 3 * 2^62 a plain modulo takes the lowest third half of the time.
  constexpr std::uint64_t large = 3 * (std::uint64_t{1} << 62);
  int lowest = 0;
  for (int i = 0; i < 30000; ++i) lowest += random.below(large) < large / 3 ? 1 : 0;
  CHECK(std::abs(lowest - 10000) < 5 * std::sqrt(30000.0 * 2.0 / 9.0));

  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
}

TEST_CASE("below turns away exactly the draws that would weigh some numbers twice") {
  // Replays the engine: of n = 2^63 + 1, draws from n on are the ones to reject.
  constexpr std::uint64_t n = (std::uint64_t{1} << 63) + 1;
  sdk::Random random{sdk::Seed(11)};
  std::mt19937_64 raw(11);
  int rejected = 0;
  for (int i = 0; i < 200; ++i) {
    std::uint64_t draw = raw();
    while (draw >= n) draw = raw(), ++rejected;
    CHECK(random.below(n) == draw);
  }
  CHECK(rejected > 100);
  // n = 2^63 goes into 2^64 twice: none.
  for (int i = 0; i < 200; ++i) CHECK(random.below(n - 1) == raw() % (n - 1));
}

TEST_CASE("normal has mean 0, variance 1 and the tails of a normal") {
  constexpr int n = 100000;
  sdk::Random random{sdk::Seed(5)};
  double sum = 0.0, squares = 0.0;
  int beyond_two = 0;
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    beyond_two += std::abs(z) > 2.0 ? 1 : 0;
  }
  CHECK(std::abs(sum / n) < 5.0 / std::sqrt(n));
  CHECK(std::abs(squares / n - 1.0) < 5.0 * std::sqrt(2.0 / n));
  // P(|Z| > 2) = 0.0455.
  CHECK(std::abs(beyond_two / double{n} - 0.0455) < 5.0 * std::sqrt(0.0455 * 0.9545 / n));
}

TEST_CASE("shuffle keeps what it shuffles and reaches every order equally often") {
  std::array<int, 6> orders{};
  for (std::uint64_t trial = 0; trial < 6000; ++trial) {
    std::vector<int> items{0, 1, 2};
    sdk::Random random(sdk::Seed(9).child(trial));
    random.shuffle(items);
    std::vector<int> sorted = items;
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == std::vector<int>{0, 1, 2});
    ++orders[static_cast<std::size_t>(items[0] * 2 + (items[1] > items[2] ? 1 : 0))];
  }
  // Chi-square with 5 degrees of freedom: 99.99 % lie below 25.7.
  double chi = 0.0;
  for (const int seen : orders) chi += (seen - 1000.0) * (seen - 1000.0) / 1000.0;
  CHECK(chi < 25.7);

  std::vector<int> none, one{4};
  sdk::Random random{sdk::Seed(0)};
  random.shuffle(none);
  random.shuffle(one);
  CHECK(none.empty());
  CHECK(one == std::vector<int>{4});
}

TEST_CASE("child streams do not depend on the order in which they are asked for") {
  const sdk::Seed parent(42);
  const auto a_first = parent.child("a").value();
  const auto b_second = parent.child("b").value();
  const sdk::Seed again(42);
  const auto b_first = again.child("b").value();
  const auto a_second = again.child("a").value();
  CHECK(a_first == a_second);
  CHECK(b_first == b_second);
  static_assert(sdk::Seed(1).child("x").value() == sdk::Seed(1).child("x").value());

  // Drawing from one stream leaves the others where they are.
  sdk::Random left(parent.child("left")), right(parent.child("right"));
  const double expected = sdk::Random(parent.child("right")).uniform();
  for (int i = 0; i < 10; ++i) left.uniform();
  CHECK(right.uniform() == expected);
}

TEST_CASE("children of names, numbers and other parents are all different") {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (std::uint64_t parent = 0; parent < 20; ++parent) {
    const sdk::Seed seed(parent);
    seen.insert(seed.value());
    ++made;
    for (std::uint64_t index = 0; index < 200; ++index, made += 2) {
      seen.insert(seed.child(index).value());
      seen.insert(seed.child(std::to_string(index)).value());
    }
    for (const char* name : {"", "a", "b", "ab", "ba", "split"}) {
      seen.insert(seed.child(name).value());
      seen.insert(seed.child(name).child(std::uint64_t{0}).value());
      made += 2;
    }
  }
  CHECK(seen.size() == made);
}

TEST_CASE("streams of neighbouring seeds are not correlated") {
  constexpr int n = 2000;
  double products = 0.0;
  for (std::uint64_t seed = 0; seed < n; ++seed) {
    const double a = sdk::Random(sdk::Seed(0).child(seed)).uniform() - 0.5;
    const double b = sdk::Random(sdk::Seed(0).child(seed + 1)).uniform() - 0.5;
    products += a * b * 12.0;  // 12 = 1 / variance
  }
  CHECK(std::abs(products / n) < 5.0 / std::sqrt(n));
}
