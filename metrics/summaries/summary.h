// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/setting.h"

namespace conoscope::metrics {

/// The group of all summaries, which run files ask for by name or with `summaries = true`.
inline constexpr std::string_view kSummaries = "summaries";

/// What a cell of a summary holds that does not exist for its row.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Rows, one after another.
struct SummaryTable {
  std::vector<double> cells;
  std::string caveat = {};  ///< what was left out; empty: nothing

  void add(std::initializer_list<double> row) { cells.insert(cells.end(), row); }
  void add(const std::vector<double>& rest_of_row) {
    cells.insert(cells.end(), rest_of_row.begin(), rest_of_row.end());
  }
};

/// What a picture is drawn from: a small table, whatever the number of samples and concepts. It is
/// stored as a metric whose parts are the table, row after row, and whose value is the number of
/// rows.
struct Summary {
  std::string name;
  std::string question;  ///< as Metric::question
  std::string_view source;
  std::vector<std::string_view> needs, uses = {};  ///< as Metric::needs
  std::vector<std::string> columns;
  /// Throws as Metric::compute.
  std::function<SummaryTable(const Subject&)> compute = {};
  /// In place of compute, as Metric::compare.
  std::function<SummaryTable(const Peers&)> compare = {};
  // As Metric::settings and compute_with.
  std::vector<Setting> settings = {};
  std::function<SummaryTable(const Subject&, const std::vector<Setting>&)> compute_with = {};
  /// The metric that it is a picture of, where both cost much: `summaries = true` asks for it only
  /// where that is asked for. Empty: always.
  std::string_view of_metric = {};
};

/// All of them, in the order of the report.
const std::vector<Summary>& summaries();

/// Null if there is none of that name.
const Summary* find_summary(std::string_view name);

namespace declare {
/// The summaries as metrics of the group `summaries`, which nothing ranks.
std::vector<Metric> summary();
}  // namespace declare

}  // namespace conoscope::metrics
