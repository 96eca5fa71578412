// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

/// What a run took from another store.
struct TakenResults {
  std::size_t cells = 0;     ///< that need no work now and did before
  std::size_t attempts = 0;  ///< also those that have some of a cell's scores alone
  std::size_t others = 0;    ///< cells still to do that the other store has of other plugin files
};

/// Adds to the store of a registered run the other store's attempts at cells that lack scores: those that
/// would count here, made by the plugin files of today. They keep their environments, dates and ids.
TakenResults take_results(const Plan& plan, results::Store& store, results::Store& other);

}  // namespace conoscope::core
