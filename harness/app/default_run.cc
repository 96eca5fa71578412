// SPDX-License-Identifier: Apache-2.0
#include "harness/app/default_run.h"

#include <iostream>

#include "harness/app/folders.h"

namespace conoscope::app {

std::filesystem::path default_run_file(const Options& options) {
  const core::Registry registry(plugin_folders(options.plugin_path(), {}),
                                open_quarantine(options));
  std::error_code error;
  if (registry.find(core::Kind::kModel, "cnn") != nullptr ||
      std::filesystem::is_regular_file("quick.toml", error))  // one of the user's own
    return find_run_file("quick.toml");
  std::cerr
      << "quick_precomputed.toml: quick.toml trains the model cnn, which is not here: it needs "
         "libtorch (Debian: conoscope-torch) and a processor with AVX2\n";
  return find_run_file("quick_precomputed.toml");
}

}  // namespace conoscope::app
