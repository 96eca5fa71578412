// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/app/options.h"

namespace conoscope::app {

/// What a command without a run file is about: quick.toml, or where there is no model cnn, because
/// libtorch or its package is missing, the same on activations that ship; then it says so.
std::filesystem::path default_run_file(const Options& options);

}  // namespace conoscope::app
