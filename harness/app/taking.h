// SPDX-License-Identifier: Apache-2.0
#pragma once

// --from: results that are taken before anything is computed.

#include <optional>
#include <string>

#include "harness/app/options.h"
#include "harness/core/run/taken_results.h"

namespace conoscope::app {

/// The results that --from names; nullopt without it.
/// throws  UsageError: they are those of --store
std::optional<results::Store> open_from(const Options& options);

/// Takes what a registered run lacks, and says on stderr how much; and what of it other plugin files
/// have made, which is not taken.
///
/// from  the word that --from was given
core::TakenResults take_from(const core::Plan& plan, results::Store& store, results::Store& other,
                             const std::string& from);

}  // namespace conoscope::app
