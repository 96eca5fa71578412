// A training step of the classifiers and concept models, through the plugin border: the CPU time of
// a fit of four epochs less that of one, over the steps between them, so that reading, making the
// network and running all rows at the end do not count. Every fit is checked: what it leaves is
// finite, and not all the same.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/bench/thread_seconds.h"
#include "tests/bench/training_data.h"
#include "tests/support/plugin_driver.h"

namespace {

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

constexpr std::int64_t kFew = 1, kMany = 4;

struct Case {
  const char *name, *plugin;
  bool images;
  const char* left;  ///< the array that is looked at
  Arguments arguments;
};

double fit_seconds(const Plugin& plugin, const Case& one, const Bundle& data, std::int64_t epochs) {
  Arguments arguments = one.arguments;
  arguments["epochs"] = epochs;
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

void step(benchmark::State& state, const Case& one, std::int64_t batch_size) {
  const Plugin plugin(plugin_file(one.plugin));
  const Bundle data = one.images ? conoscope::bench::squares(520) : conoscope::bench::table(4104);
  const auto train = static_cast<std::int64_t>(data.values<std::int64_t>("train_index").size());
  if (train % batch_size != 0) throw std::logic_error("the last batch would be a smaller one");
  const auto steps = static_cast<double>((kMany - kFew) * train / batch_size);
  double seconds = 0.0;
  for (auto _ : state) {
    const double few = fit_seconds(plugin, one, data, kFew);
    const double own = (fit_seconds(plugin, one, data, kMany) - few) / steps;
    state.SetIterationTime(own);
    seconds += own;
  }
  state.counters["steps/s"] = static_cast<double>(state.iterations()) / seconds;
  state.counters["samples/s"] = static_cast<double>(state.iterations() * batch_size) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  // libtorch's own threads are the host's to count; OpenBLAS starts its own unless told not to.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  constexpr std::int64_t kBatch = 32;
  // All rows are fitted to, so that the number of steps is known.
  const Arguments classifier = {{"batch_size", kBatch}},
                  concept_model = {{"batch_size", kBatch}, {"patience", std::int64_t{0}}};
  Arguments residual = concept_model;
  residual["encoder"] = std::string("resnet");
  const Case cases[] = {
      {"mlp/table", "mlp", false, "activations", classifier},
      {"cbm/table", "cbm", false, "concept_scores", concept_model},
      {"cem/table", "cem", false, "concept_scores", concept_model},
      {"cnn/images", "cnn", true, "activations", classifier},
      {"resnet/images", "resnet", true, "activations", classifier},
      {"cbm/images", "cbm", true, "concept_scores", concept_model},
      {"cem/images", "cem", true, "concept_scores", concept_model},
      {"cbm_resnet/images", "cbm", true, "concept_scores", residual},
  };
  for (const Case& one : cases)
    benchmark::RegisterBenchmark(one.name, step, one, kBatch)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
