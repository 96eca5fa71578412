// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// Between a row's metric and the names that its sides share.
inline constexpr char kBetween = '\x1f';

/// metrics::leakage_criterion of two sides' ctl and icl, one row for each dataset, model and
/// explainer under which both have two values or more of both; `shared` are the names' columns.
struct CriterionRows {
  results::Table table;
  bool different = false;  ///< one side leaks more in some row
};
CriterionRows leakage_criterion_rows(const std::vector<results::ComparedNumber>& a,
                                     const std::vector<results::ComparedNumber>& b,
                                     const std::vector<std::string>& shared, double alpha);

}  // namespace conoscope::app
