// SPDX-License-Identifier: Apache-2.0
// What counts as memory that grows without end, apart from any plugin.

#include <doctest/doctest.h>

#include <vector>

#include "harness/core/conformance/memory_growth.h"

using conoscope::core::steady_growth;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// `calls` values that begin at 100 MiB.
template <typename Added>
std::vector<std::uint64_t> series(std::uint64_t calls, Added&& added) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < calls; ++i) out.push_back(100 * kMiB + added(i));
  return out;
}

}  // namespace

TEST_CASE("a steady leak is growth, by the distance of the first and the last quarter's mean") {
  // 100 calls, 64 KiB each: the quarters' centres are 75 calls apart.
  CHECK(steady_growth(series(100, [](auto i) { return i * 65536; })) == 75 * 65536);
}

TEST_CASE("a leak in every tenth call is growth") {
  CHECK(steady_growth(series(200, [](auto i) { return i / 10 * 10 * 32768; })) > kMiB);
}

TEST_CASE("memory that stands still, swings or is taken once does not grow") {
  CHECK(steady_growth(series(100, [](auto) { return 0; })) == 0);
  CHECK(steady_growth(series(100, [](auto i) { return i % 2 * 8 * kMiB; })) == 0);
  CHECK(steady_growth(series(100, [](auto i) { return i < 40 ? 0 : 8 * kMiB; })) == 0);
  CHECK(steady_growth(series(100, [](auto i) { return std::min<std::uint64_t>(i, 30) * kMiB; })) ==
        0);
}

TEST_CASE("less than 1 MiB, falling memory, and too few calls are no growth") {
  CHECK(steady_growth(series(100, [](auto i) { return i * 8192; })) == 0);
  CHECK(steady_growth(series(100, [](auto i) { return (100 - i) * kMiB; })) == 0);
  CHECK(steady_growth(series(3, [](auto i) { return i * kMiB; })) == 0);
  CHECK(steady_growth({}) == 0);
}
