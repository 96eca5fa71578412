// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/optimise.h"

#include <doctest/doctest.h>

#include <vector>

using namespace conoscope::models;
namespace sdk = conoscope::sdk;

namespace {

struct Descent {
  double moved;  ///< how far down the weight went
  int epochs;
};

/// One weight with a gradient of 1 in every step, so that where it ends tells the rates of all
/// steps, on any processor. Its loss is the weight, or always 0. Two steps make an epoch.
Descent descend(const OptimiseOptions& options, bool loss_falls) {
  Weights weights(sdk::Seed(1));
  const Tensor w = weights.vector("w", 1, 0.0F);
  const Loss loss = [&](const Tensor&, sdk::Random*) {
    return loss_falls ? w.sum() : w.sum() - w.detach().sum();
  };
  std::vector<double> progress;
  cono_host host{};
  host.self = &progress;
  host.progress = [](void* self, double done) {
    static_cast<std::vector<double>*>(self)->push_back(done);
  };
  host.cancelled = [](void*) { return std::int32_t{0}; };
  const Tensor rows = torch::arange(10);
  const Rows split{rows.slice(0, 0, 8), options.patience > 0 ? rows.slice(0, 8) : Tensor()};
  optimise(weights, loss, split, options, sdk::Context(&host), sdk::Seed(2));
  return {-w.item<double>(), static_cast<int>(progress.size()) - 1};
}

/// The same by hand: gradient descent with a momentum of 0.9, in float32 there.
doctest::Approx by_hand(const std::vector<double>& rates) {
  double velocity = 0.0, moved = 0.0;
  for (const double rate : rates) moved += rate * (velocity = 0.9 * velocity + 1.0);
  return doctest::Approx(moved).epsilon(1e-5);
}

/// As descend(), but the loss of an epoch's first and last batch is what is said, in turn.
double moved_by(OptimiseOptions options, const std::vector<double>& losses) {
  Weights weights(sdk::Seed(1));
  const Tensor w = weights.vector("w", 1, 0.0F);
  std::size_t step = 0;
  const Loss loss = [&](const Tensor&, sdk::Random*) {
    return w.sum() - w.detach().sum() + losses.at(step++);
  };
  cono_host host{};
  host.progress = [](void*, double) {};
  host.cancelled = [](void*) { return std::int32_t{0}; };
  optimise(weights, loss, {torch::arange(8), {}}, options, sdk::Context(&host), sdk::Seed(2));
  return -w.item<double>();
}

OptimiseOptions options_of(bool one_cycle, std::int64_t plateau, std::int64_t patience) {
  return {"sgd", 0.5, one_cycle, /*epochs=*/5, /*batch_size=*/4, plateau, patience, 0.1};
}

}  // namespace

TEST_CASE("one_cycle: up to the whole rate in a fifth of the steps, then down to nothing") {
  CHECK(one_cycle(0.0) == 0.0);
  CHECK(one_cycle(0.1) == doctest::Approx(0.5));
  CHECK(one_cycle(0.2) == doctest::Approx(1.0));
  CHECK(one_cycle(0.6) == doctest::Approx(0.5));
  CHECK(one_cycle(1.0) == doctest::Approx(0.0).epsilon(1e-12));
}

TEST_CASE("optimise: the rate falls to a tenth where the loss does not fall, and only there") {
  const std::vector<double> constant(10, 0.5);
  CHECK(descend(options_of(false, 1, 0), true).moved == by_hand(constant));
  CHECK(descend(options_of(false, 0, 0), false).moved == by_hand(constant));
  // The first epoch is the best so far; the second and the third are not below it.
  CHECK(descend(options_of(false, 1, 0), false).moved ==
        by_hand({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.05}));
}

TEST_CASE("optimise: one_cycle sets the rate of every step, whatever the loss does") {
  std::vector<double> rates;
  for (int step = 0; step < 10; ++step) rates.push_back(0.5 * one_cycle((step + 0.5) / 10.0));
  CHECK(descend(options_of(true, 1, 0), true).moved == by_hand(rates));
  CHECK(descend(options_of(true, 1, 0), false).moved == by_hand(rates));
}

TEST_CASE("optimise: ends when the validation rows stop gaining, with the best epoch's weights") {
  CHECK(descend(options_of(false, 0, 2), true).epochs == 5);
  const Descent stopped = descend(options_of(false, 0, 2), false);
  CHECK(stopped.epochs == 3);
  CHECK(stopped.moved == by_hand({0.5, 0.5}));
  OptimiseOptions last = options_of(false, 0, 2);
  last.keep_best = false;
  CHECK(descend(last, false).moved == by_hand(std::vector<double>(6, 0.5)));
}

TEST_CASE("optimise: the plateau is of an epoch's mean, or of its last batch") {
  // The mean falls from epoch to epoch, the last batch's loss does not.
  const std::vector<double> losses = {9, 1, 7, 1, 5, 1, 3, 1, 2, 1};
  OptimiseOptions options = options_of(false, 1, 0);
  CHECK(moved_by(options, losses) == by_hand(std::vector<double>(10, 0.5)));
  options.plateau_on_epoch = false;
  CHECK(moved_by(options, losses) ==
        by_hand({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.05}));
}

TEST_CASE("optimise: rows come in another order every epoch, or in their own") {
  const auto seen = [](bool shuffle) {
    OptimiseOptions options = options_of(false, 0, 0);
    options.shuffle = shuffle;
    Weights weights(sdk::Seed(1));
    const Tensor w = weights.vector("w", 1, 0.0F);
    std::vector<std::int64_t> rows;
    const Loss loss = [&](const Tensor& batch, sdk::Random*) {
      const auto* begin = batch.contiguous().data_ptr<std::int64_t>();
      rows.insert(rows.end(), begin, begin + batch.numel());
      return w.sum();
    };
    cono_host host{};
    host.progress = [](void*, double) {};
    host.cancelled = [](void*) { return std::int32_t{0}; };
    optimise(weights, loss, {torch::arange(8), {}}, options, sdk::Context(&host), sdk::Seed(2));
    return rows;
  };
  const std::vector<std::int64_t> own = seen(false), shuffled = seen(true);
  REQUIRE(own.size() == 40);
  for (std::size_t i = 0; i < own.size(); ++i) CHECK(own[i] == static_cast<std::int64_t>(i % 8));
  CHECK(std::vector(shuffled.begin(), shuffled.begin() + 8) !=
        std::vector(shuffled.begin() + 8, shuffled.begin() + 16));
}

TEST_CASE("converge: down to the minimum, from wherever it starts") {
  Weights weights(sdk::Seed(1));
  const Tensor w = weights.vector("w", 3, 5.0F);
  const Tensor scale = torch::tensor({1.0F, 30.0F, 900.0F});
  cono_host host{};
  host.cancelled = [](void*) { return std::int32_t{0}; };
  converge(
      weights, [&] { return (scale * (w - 2.0).square()).sum(); }, sdk::Context(&host));
  CHECK((w.detach() - 2.0).abs().max().item<double>() < 1e-4);  // float32
  host.cancelled = [](void*) { return std::int32_t{1}; };
  CHECK_THROWS_AS(converge(
                      weights, [&] { return w.square().sum(); }, sdk::Context(&host)),
                  sdk::Cancelled);
}

TEST_CASE("Weights: biases are 0, or as PyTorch draws them") {
  Weights he(sdk::Seed(1));
  CHECK(he.bias("b", 100, 16).abs().max().item<double>() == 0.0);
  Weights weights(sdk::Seed(1), Initialisation::kTorch);
  // Uniform within 1 / sqrt(16), whatever the gain.
  for (const Tensor& drawn : {weights.matrix("w", {1000, 16}, 3.0), weights.bias("b", 16000, 16)}) {
    const Tensor size = drawn.detach().abs();
    CHECK(size.max().item<double>() <= 0.25);
    CHECK(size.max().item<double>() > 0.249);
    CHECK(size.mean().item<double>() == doctest::Approx(0.125).epsilon(0.02));
  }
}
