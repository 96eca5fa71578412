// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/store/store.h"

namespace conoscope::results {

/// Does the run ask for the metric? Its cells may have scores of it all the same, for another run
/// that asked for them.
bool is_asked(Store& store, const std::string& run, const std::string& metric);

/// run  key; empty: any run.
/// throws  StoreError (not_found): the metric is not asked for; lists those that are
void require_asked(Store& store, const std::string& run, const std::string& metric);

/// Does the metric compare a cell with those of other seeds? See over_seeds_spread().
bool is_over_seeds(Store& store, const std::string& metric);

/// higher, lower or none; empty: the store does not know the metric
std::string direction_of(Store& store, const std::string& metric);

}  // namespace conoscope::results
