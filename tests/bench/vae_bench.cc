// A training step of the variational autoencoders on 64 x 64 images of one channel at the published
// convolutional network, batches of 64, through the plugin border: the CPU time of a fit of 12
// steps less that of one of 4, over the 8 steps between them, so that encoding all rows at the end
// and making the network do not count. Every fit is checked: its codes are finite, and not all the
// same.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "conoscope/sdk/random.h"
#include "tests/bench/thread_seconds.h"
#include "tests/support/plugin_driver.h"

namespace {

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

constexpr std::int64_t kSamples = 512, kSide = 64, kBatch = 64, kFew = 4, kMany = 12;

/// White squares on black; place and side are the factors.
Bundle squares() {
  sdk::Random random(sdk::Seed(1));
  std::vector<std::uint8_t> images(static_cast<std::size_t>(kSamples * kSide * kSide), 0);
  std::vector<std::int64_t> factors, train, test;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const auto below = [&random](std::uint64_t n) {
      return static_cast<std::int64_t>(random.below(n));
    };
    const std::int64_t row = below(8), column = below(8), side = 1 + below(3);
    for (std::int64_t y = 5 * row; y < 5 * row + 8 * side; ++y)
      for (std::int64_t x = 5 * column; x < 5 * column + 8 * side; ++x)
        images[static_cast<std::size_t>((i * kSide + y) * kSide + x)] = 1;
    factors.insert(factors.end(), {row, column, side});
    (i < kSamples - 8 ? train : test).push_back(i);
  }
  Bundle data;
  data.arrays["inputs"] = OwnedArray::of<std::uint8_t>({kSamples, kSide, kSide, 1}, images);
  data.arrays["factors"] = OwnedArray::of<std::int64_t>({kSamples, 3}, factors);
  data.arrays["train_index"] =
      OwnedArray::of<std::int64_t>({static_cast<std::int64_t>(train.size())}, train);
  data.arrays["test_index"] =
      OwnedArray::of<std::int64_t>({static_cast<std::int64_t>(test.size())}, test);
  return data;
}

double fit_seconds(const Plugin& plugin, const Bundle& data, std::int64_t steps) {
  Outcome outcome;
  const double seconds = conoscope::bench::seconds([&] {
    outcome = plugin.fit_model({{"steps", steps}, {"batch_size", kBatch}}, data);
  });
  if (outcome.status != CONO_OK) throw std::runtime_error(outcome.error);
  const auto codes = outcome.out.values<float>("codes");
  bool differ = false;
  for (const float code : codes) {
    if (!std::isfinite(code)) throw std::runtime_error("a code is not finite");
    differ = differ || code != codes[0];
  }
  if (!differ) throw std::runtime_error("all codes are the same");
  return seconds;
}

void step(benchmark::State& state, const std::string& name) {
  const Plugin plugin(plugin_file(name));
  const Bundle data = squares();
  double seconds = 0.0;
  for (auto _ : state) {
    const double few = fit_seconds(plugin, data, kFew);
    const double one = (fit_seconds(plugin, data, kMany) - few) / double{kMany - kFew};
    state.SetIterationTime(one);
    seconds += one;
  }
  state.counters["steps/s"] = static_cast<double>(state.iterations()) / seconds;
  state.counters["images/s"] = static_cast<double>(state.iterations() * kBatch) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  // libtorch's own threads are the host's to count; OpenBLAS starts its own unless told not to.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  for (const char* name : {"vae", "dip_vae", "beta_tcvae", "factor_vae", "ada_gvae"})
    benchmark::RegisterBenchmark(name, step, std::string(name))
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
