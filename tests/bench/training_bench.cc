// SPDX-License-Identifier: Apache-2.0
// A training step of classifiers, concept models and variational autoencoders, through the plugin
// border: the CPU time of a fit of four epochs (VAEs: 12 steps) less that of one (4), over the steps
// between them, so that reading, making the network and running all rows at the end do not count.
// Every fit is checked: what it leaves is finite, and not all the same.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/thread_seconds.h"
#include "tests/bench/training_data.h"
#include "tests/support/plugin_driver.h"

namespace {

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

struct Case {
  std::string name, plugin;
  bool images;
  const char* left;  ///< the array that is looked at
  std::int64_t batch;
  Arguments arguments;
  const char* length = "epochs";
  std::int64_t few = 1, many = 4;
};

double fit_seconds(const Plugin& plugin, const Case& one, const Bundle& data, std::int64_t length) {
  Arguments arguments = one.arguments;
  arguments["batch_size"] = one.batch;
  arguments[one.length] = length;
  Outcome outcome;
  const double seconds =
      conoscope::bench::seconds([&] { outcome = plugin.fit_model(arguments, data); });
  if (outcome.status != CONO_OK) throw std::runtime_error(outcome.error);
  const OwnedArray& left = outcome.out.arrays.at(one.left);
  bool differ = false;
  double first = NAN;
  sdk::Tensor(left.raw()).for_each([&](std::int64_t i, double value) {
    if (!std::isfinite(value)) throw std::runtime_error("an entry is not finite");
    if (i == 0) first = value;
    differ = differ || value != first;
  });
  if (!differ) throw std::runtime_error("all entries are the same");
  return seconds;
}

void step(benchmark::State& state, const Case& one) {
  const Plugin plugin(plugin_file(one.plugin));
  const Bundle data = one.images ? conoscope::bench::squares(520) : conoscope::bench::table(4104);
  const auto train = static_cast<std::int64_t>(data.values<std::int64_t>("train_index").size());
  if (train % one.batch != 0) throw std::logic_error("the last batch would be a smaller one");
  const std::int64_t per_length = std::string(one.length) == "epochs" ? train / one.batch : 1;
  const auto steps = static_cast<double>((one.many - one.few) * per_length);
  double seconds = 0.0;
  for (auto _ : state) {
    const double few = fit_seconds(plugin, one, data, one.few);
    const double own = (fit_seconds(plugin, one, data, one.many) - few) / steps;
    state.SetIterationTime(own);
    seconds += own;
  }
  state.counters["steps/s"] = static_cast<double>(state.iterations()) / seconds;
  state.counters["samples/s"] = static_cast<double>(state.iterations() * one.batch) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  // libtorch's own threads are the host's to count; OpenBLAS starts its own unless told not to.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // All rows are fitted to, so that the number of steps is known.
  const Arguments patient = {{"patience", 0}}, residual = {{"patience", 0}, {"encoder", "resnet"}};
  std::vector<Case> cases = {
      {"mlp/table", "mlp", false, "activations", 32, {}},
      {"cbm/table", "cbm", false, "concept_scores", 32, patient},
      {"cem/table", "cem", false, "concept_scores", 32, patient},
      {"cnn/images", "cnn", true, "activations", 32, {}},
      {"resnet/images", "resnet", true, "activations", 32, {}},
      {"cbm/images", "cbm", true, "concept_scores", 32, patient},
      {"cem/images", "cem", true, "concept_scores", 32, patient},
      {"cbm_resnet/images", "cbm", true, "concept_scores", 32, residual},
  };
  // The published convolutional network.
  for (const std::string vae : {"vae", "dip_vae", "beta_tcvae", "factor_vae", "ada_gvae"})
    cases.push_back({vae + "/images", vae, true, "codes", 64, {}, "steps", 4, 12});
  for (const Case& one : cases)
    benchmark::RegisterBenchmark(one.name.c_str(), step, one)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
