// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/formats/table.h"
#include "results/report/report.h"
#include "results/store/store.h"

namespace conoscope::results {

/// A study's board, as `conoscope board RUN` prints it.
struct SiteBoard {
  Table table;
  std::string metric;  ///< that ranks it, or the first; empty: the run asks for none
  std::vector<std::string> notes = {};  ///< who is best, what is told apart, what the marks mean
  std::vector<std::string> care = {};   ///< which metrics fail, and what shows it
  std::set<std::string> doubtful = {};  ///< these metrics
};

/// A plugin as it describes itself.
struct SitePlugin {
  std::string summary, licence;
  Table facts, parameters;
};

struct SiteOptions {
  ReportOptions report;  ///< of each study's report; its runs and its way back play no part
  std::string docs;      ///< address of the documentation, relative to the site's root; empty: none
  /// Keys and values of a metric; no rows: nobody here knows it.
  std::function<Table(const std::string& metric)> metric_facts;
  std::function<SiteBoard(const RunRow& run)> board;
  std::map<std::pair<std::string, std::string>, SitePlugin> plugins;  ///< by kind and id
  std::set<std::string> shipped;  ///< names of run files that come with the program
};

/// Takes a file of the site: its path below the root, with slashes.
using SiteSink = std::function<void(const std::string& path, std::string_view text)>;

/// Writes what a store knows as pages that need no server: a front page with the leaderboard of each
/// study, a page for each study with its report, for each method and for each metric, and a JSON file
/// beside each table. A study is the newest run of its name. Equal stores, data and plugins give equal
/// bytes.
///
/// throws  StoreError (not_found): the store holds no run
void write_site(Store& store, const SiteOptions& options, const SiteSink& sink);

}  // namespace conoscope::results
