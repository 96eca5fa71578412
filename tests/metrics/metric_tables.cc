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

/// The name of the metric in whose row this one stands: the question of the two is the same, of another
/// surrogate, which the prose above the table tells apart. Empty where it has a row of its own.
std::string row_of(const std::string& name) {
  constexpr std::string_view kMean = "_spatial_mean", kLocal = "surf_local_",
                             kL1 = "c_shap_eval_l1_";
  std::string base;
  if (name.ends_with(kMean)) base = name.substr(0, name.size() - kMean.size());
  if (name.starts_with(kLocal)) base = "surf_through_" + name.substr(kLocal.size());
  if (name.starts_with(kL1)) base = "c_shap_eval_cel_" + name.substr(kL1.size());
  return metrics::catalogue().metric(base) == nullptr ? "" : base;
}

/// The question of a row, which does not say with which loss a surrogate is trained: its names do.
std::string question_of(const Metric& metric) {
  constexpr std::string_view kLoss = " with cross entropy";
  std::string out(metric.question);
  if (const auto at = out.find(kLoss); metric.group == "c_shap_eval" && at != out.npos)
    out.erase(at, kLoss.size());
  return out;
}

std::string table_of(const std::string& group) {
  const auto rows = metrics::catalogue().select(group);
  if (rows.empty()) throw std::runtime_error("no group of metrics is called " + group);
  std::string out = "| metric | better | range | question |\n|---|---|---|---|\n";
  for (const Metric* metric : rows) {
    if (!row_of(metric->name).empty()) continue;
    out += "| `" + metric->name + "`";
    for (const Metric* other : rows) {
      if (row_of(other->name) != metric->name) continue;
      if (other->direction != metric->direction || other->low != metric->low ||
          other->high != metric->high || other->unit != metric->unit)
        throw std::runtime_error(other->name + " has another range than " + metric->name);
      out += ", `" + other->name + "`";
    }
    out += " | " + std::string(to_string(metric->direction)) + " | " + bound(metric->low) +
           " ... " + bound(metric->high);
    if (!metric->unit.empty()) out += " " + std::string(metric->unit);
    out += " | " + question_of(*metric) + " |\n";
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
