// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <string>

#include "harness/app/command.h"
#include "harness/app/component_options.h"
#include "harness/app/options.h"
#include "harness/app/plugin_access.h"
#include "harness/core/run/loaded_dataset.h"

namespace conoscope::app {

/// What dataset info and export have in common: which dataset, and how it is loaded.
void add_loading(Options& options);

/// throws  UsageError: none is named, or none of that name; PluginRefused
core::PluginFile wanted_dataset(const Options& options, const core::Quarantine& quarantine,
                                const char* command);

/// Loads, says what the plugin said, and hands over the dataset. The exit code is what `use`
/// gives.
template <typename Use>
int with_loaded(const core::Component& component, const Options& options, const Use& use) {
  ask_for_access({component.plugin}, options);
  try {
    const core::Cache cache(options.cache());  // the arrays lie in its work folder
    const core::LoadedDataset loaded(component, options.get<std::int64_t>("seed"), options.limits(),
                                     cache);
    std::cerr << loaded.log();
    return use(loaded);
  } catch (const core::DatasetNotLoaded& error) {
    std::cerr << "conoscope: " << error.what() << '\n';
    return error.plugin_at_fault() ? kPluginRefused : kUsage;
  }
}

}  // namespace conoscope::app
