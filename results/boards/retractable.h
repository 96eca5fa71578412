// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

/// An attempt at a cell, or a cell that has none.
struct Retractable {
  std::string cell;
  std::string attempt, status, started_at;  ///< empty: the cell has no attempt
  bool good = false;                        ///< ok or not applicable: it counts unless retracted
  std::string retracted;  ///< why it no longer counts; empty: it was not retracted
  std::string label;      ///< digits x resnet20 x svd, seed 0
};

/// Every attempt, the newest first, then the cells without any.
std::vector<Retractable> retractable(Store& store);

}  // namespace conoscope::results
