// SPDX-License-Identifier: Apache-2.0
#include "harness/app/dataset_loading.h"

#include "harness/app/plugin_info.h"

namespace conoscope::app {

void add_loading(Options& options) {
  options.positional("dataset", 1);
  options.with_params();
  options.integer("seed", "N",
                  "a run's seed: the same seed and parameters give the arrays of that run", 0);
  options.with_limits(600, 8192);
  options.with_confinement();
  options.with_plugins();
}

core::PluginFile wanted_dataset(const Options& options, const core::Quarantine& quarantine,
                                const char* command) {
  const auto registry = scan_plugins(options, quarantine);
  if (!options.has("dataset"))
    throw UsageError(std::string(command) + ": which one? `conoscope dataset list` shows them");
  auto plugin = find_plugin(options.list("dataset")[0], registry, quarantine, core::Kind::kDataset);
  require_usable(plugin);
  return plugin;
}

}  // namespace conoscope::app
