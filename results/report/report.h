// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "results/boards/summaries.h"
#include "results/report/explained_sample.h"
#include "results/store/store.h"

namespace conoscope::results {

struct ReportOptions {
  std::vector<std::string> runs;          ///< keys; empty: the newest run
  std::vector<std::string> metric_order;  ///< of the selector; metrics that are not here come last
  /// The explainers' parameter that counts concepts, by plugin id.
  std::map<std::string, std::string> count_parameters;
  std::vector<SummaryShape> summaries;  ///< that the page draws; nothing ranks them
  std::string made_by;                  ///< version of the command
  std::string back =
      {};  ///< address of the site's page that leads here; empty: the report stands alone
  /// Images and names of a cell's data, by its key; empty: nobody knows them.
  std::function<CellData(const std::string& cell)> data;
};

/// Writes what a store knows of runs as one HTML file that needs nothing else: tables and, where
/// this build has what draws them, their pictures. Equal stores and equal data give equal bytes.
///
/// throws  StoreError (not_found): there is no such run, or none at all
void write_report(Store& store, const ReportOptions& options, std::ostream& out);

/// Empty: reports have pictures. Else why this build's have none.
std::string why_no_pictures();

}  // namespace conoscope::results
