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

#include "tests/bench/thread_seconds.h"
#include "tests/bench/training_data.h"

namespace {

using namespace conoscope::testing;

constexpr std::int64_t kSamples = 512, kBatch = 64, kFew = 4, kMany = 12;

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
  const Bundle data = conoscope::bench::squares(kSamples);
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
