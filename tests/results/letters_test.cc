// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/letters.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

using conoscope::results::shared_letters;

namespace {

std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> out;
  for (std::string word; in >> word;) out.insert(word);
  return out;
}

}  // namespace

TEST_CASE("methods that cannot be told apart share a letter") {
  const auto nothing = [](std::size_t, std::size_t) { return false; };
  CHECK(shared_letters(3, nothing) == std::vector<std::string>{"a", "a", "a"});
  const auto everything = [](std::size_t, std::size_t) { return true; };
  CHECK(shared_letters(3, everything) == std::vector<std::string>{"a", "b", "c"});
  CHECK(shared_letters(1, everything) == std::vector<std::string>{"a"});
  CHECK(shared_letters(0, everything).empty());
}

TEST_CASE("in a chain the middle one has two letters") {
  // Only the ends differ.
  const auto ends = [](std::size_t i, std::size_t j) { return i == 0 && j == 2; };
  CHECK(shared_letters(3, ends) == std::vector<std::string>{"a", "a b", "b"});
}

TEST_CASE("two share a letter exactly if no difference was found") {
  // Every graph of six methods whose differences are the set bits of a number.
  const std::size_t n = 6;
  for (unsigned bits = 0; bits < (1U << 15); bits += 7) {
    std::vector<std::vector<bool>> different(n, std::vector<bool>(n));
    unsigned bit = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) different[i][j] = (bits >> bit++ & 1) != 0;
    const auto letters =
        shared_letters(n, [&](std::size_t i, std::size_t j) { return different[i][j]; });
    for (std::size_t i = 0; i < n; ++i) {
      REQUIRE_FALSE(letters[i].empty());
      for (std::size_t j = i + 1; j < n; ++j) {
        bool shared = false;
        for (const auto& letter : words(letters[i]))
          shared = shared || words(letters[j]).contains(letter);
        REQUIRE(shared != different[i][j]);
      }
    }
  }
}

TEST_CASE("no letters where it would take more than anybody reads") {
  // Only neighbours differ, two by two: every choice of one of each two is a group, 2^20 of them.
  const auto pairs = [](std::size_t i, std::size_t j) { return i % 2 == 0 && j == i + 1; };
  CHECK(shared_letters(12, pairs)[0].size() > 1);
  CHECK(shared_letters(40, pairs).empty());
}

TEST_CASE("behind z comes aa") {
  const auto everything = [](std::size_t, std::size_t) { return true; };
  const auto letters = shared_letters(28, everything);
  CHECK(letters[25] == "z");
  CHECK(letters[26] == "aa");
  CHECK(letters[27] == "ab");
}
