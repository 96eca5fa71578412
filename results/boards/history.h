// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

struct HistoryOptions {
  std::string metric = {};
  std::string component = {};    ///< see component_words.h; empty: all
  std::string control = "none";  ///< empty: all
};

/// How has a score moved? Every scored attempt, oldest first, with run, version and environment;
/// retracted ones are marked. See history.sql.
///
/// throws  StoreError (not_found): the store does not know the metric
Table history(Store& store, const HistoryOptions& options);

}  // namespace conoscope::results
