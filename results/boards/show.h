// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

struct CellReport {
  Table cell;      ///< one row: what it is
  Table attempts;  ///< newest first, with message and log tail
  Table scores;    ///< those that count
  Table parts;     ///< what they are made of, a row for each part
};

/// What happened at one cell, given by the beginning of its key?
///
/// throws  StoreError (not_found): no cell, or several
CellReport show(Store& store, std::string_view cell_prefix);

}  // namespace conoscope::results
