// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/plugin_driver.h"

using namespace conoscope::testing;

namespace {

constexpr std::int64_t kSamples = 20000;

Outcome outcome_of(Arguments arguments, std::uint64_t seed = 0) {
  arguments.try_emplace("samples", kSamples);
  Host host;
  host.seed = seed;
  return plugin("parity").load(arguments, host);
}

struct Parity {
  Bundle data;
  std::span<const float> inputs = data.values<float>("inputs");
  std::span<const float> concepts = data.values<float>("concepts");
  std::span<const std::int64_t> labels = data.values<std::int64_t>("labels");
  std::size_t width = concepts.size() / labels.size();

  /// The share of samples in which `true_of` holds.
  template <typename Of>
  double share(Of&& true_of) const {
    double count = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) count += true_of(i);
    return count / static_cast<double>(labels.size());
  }
};

Parity load(const Arguments& arguments, std::uint64_t seed = 0) {
  Outcome outcome = outcome_of(arguments, seed);
  REQUIRE(outcome.error == "");
  return {std::move(outcome.out)};
}

/// Four standard errors of a share of kSamples: once in 16,000 draws of a right p it lies further
/// off, and the seeds are fixed.
void check_share(double share, double p) {
  CAPTURE(share);
  CHECK(std::abs(share - p) <= 4.0 * std::sqrt(p * (1.0 - p) / static_cast<double>(kSamples)));
}

}  // namespace

TEST_CASE("parity: the label counts all concepts, each a fair coin, and factors are the concepts") {
  const Parity parity = load({{"concepts", 4}});
  CHECK(parity.data.shape("inputs") == std::vector<std::int64_t>{kSamples, 4});
  CHECK(parity.data.arrays.at("factors") == parity.data.arrays.at("concepts"));
  CHECK(parity.data.texts.at("task") == "classification");
  for (std::size_t i = 0; i < parity.labels.size(); ++i) {
    int present = 0;
    for (std::size_t j = 0; j < 4; ++j) present += static_cast<int>(parity.concepts[4 * i + j]);
    REQUIRE(parity.labels[i] == present % 2);
  }
  for (std::size_t j = 0; j < 4; ++j)
    check_share(parity.share([&](std::size_t i) { return parity.concepts[4 * i + j] == 1.0F; }),
                0.5);
}

TEST_CASE("parity: all concepts but one know nothing of the label") {
  const Parity parity = load({});
  REQUIRE(parity.width == 3);
  for (int known = 0; known < 4; ++known) {
    const auto told = [&](std::size_t i) {
      return parity.concepts[3 * i] == static_cast<float>(known & 1) &&
             parity.concepts[3 * i + 1] == static_cast<float>(known >> 1);
    };
    check_share(parity.share(told), 0.25);
    check_share(parity.share([&](std::size_t i) { return told(i) && parity.labels[i] == 1; }),
                0.125);
  }
}

TEST_CASE("parity: what the inputs know, by the noise") {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const double noise : {0.5, 1.0}) {
    CAPTURE(noise);
    const Parity parity = load({{"noise", noise}}, 1);
    const double right = phi(1.0 / noise);
    for (std::size_t j = 0; j < 3; ++j)
      check_share(parity.share([&](std::size_t i) {
        return (parity.inputs[3 * i + j] > 0.0F) == (parity.concepts[3 * i + j] == 1.0F);
      }),
                  right);
    check_share(parity.share([&](std::size_t i) {
      int positive = 0;
      for (std::size_t j = 0; j < 3; ++j) positive += parity.inputs[3 * i + j] > 0.0F;
      return positive % 2 == parity.labels[i];
    }),
                0.5 + 0.5 * std::pow(2.0 * right - 1.0, 3));
  }
  const Parity exact = load({{"noise", 0.0}});
  for (std::size_t i = 0; i < exact.inputs.size(); ++i)
    REQUIRE(exact.inputs[i] == 2.0F * exact.concepts[i] - 1.0F);
}

TEST_CASE("parity: by seed; the noise leaves concepts and split as they are") {
  const Bundle once = outcome_of({}).out;
  CHECK(once == outcome_of({}).out);
  CHECK(!(once.arrays.at("concepts") == outcome_of({}, 1).out.arrays.at("concepts")));
  const Bundle noisy = outcome_of({{"noise", 2.0}}).out;
  for (const char* same : {"concepts", "labels", "train_index", "test_index"})
    CHECK(once.arrays.at(same) == noisy.arrays.at(same));
  CHECK(once.values<std::int64_t>("test_index").size() == kSamples / 5);
}

TEST_CASE("parity: stops when asked to") {
  CHECK(plugin("parity").load({}, {.cancelled = [] { return true; }}).status == CONO_CANCELLED);
}
