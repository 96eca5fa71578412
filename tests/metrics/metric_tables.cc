// SPDX-License-Identifier: Apache-2.0
#include "tests/metrics/metric_tables.h"

#include <set>
#include <sstream>
#include <stdexcept>

#include "metrics/catalogue.h"

namespace conoscope::tests {

namespace {

using metrics::Metric;

constexpr std::string_view kMarker = "<!-- metrics: ";

std::string bound(double value) {
  if (value == metrics::kUnbounded) return "inf";
  if (value == -metrics::kUnbounded) return "-inf";
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string table_of(const std::string& group) {
  const auto rows = metrics::catalogue().select(group);
  if (rows.empty()) throw std::runtime_error("no group of metrics is called " + group);
  std::string out = "| metric | better | range | question |\n|---|---|---|---|\n";
  for (const Metric* metric : rows) {
    out += "| `" + metric->name + "` | " + std::string(to_string(metric->direction)) + " | " +
           bound(metric->low) + " ... " + bound(metric->high);
    if (!metric->unit.empty()) out += " " + std::string(metric->unit);
    out += " | " + metric->question + " |\n";
  }
  return out;
}

}  // namespace

std::string with_metric_tables(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> shown;
  std::string out, line;
  bool in_table = false;
  while (std::getline(lines, line)) {
    if (in_table && line.rfind("|", 0) == 0) continue;
    in_table = line.rfind(kMarker, 0) == 0;
    out += line + "\n";
    if (!in_table) continue;
    const std::string group = line.substr(kMarker.size(), line.find(" -->") - kMarker.size());
    shown.insert(group);
    out += table_of(group);
  }
  for (const std::string_view group : metrics::catalogue().groups())
    if (!shown.contains(std::string(group)))
      throw std::runtime_error("no table for the group " + std::string(group));
  return out;
}

}  // namespace conoscope::tests
