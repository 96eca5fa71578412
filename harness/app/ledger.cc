// SPDX-License-Identifier: Apache-2.0
#include "harness/app/ledger.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "harness/core/names.h"
#include "harness/core/plan/run_file.h"
#include "numerics/statistics/distributions.h"

namespace conoscope::app {

namespace {

const std::vector<std::pair<std::string, results::Rule>>& rules() {
  static const std::vector<std::pair<std::string, results::Rule>> known = {
      {"ascending", results::Rule::kAscending}, {"equal", results::Rule::kEqual},
      {"above", results::Rule::kAbove},         {"below", results::Rule::kBelow},
      {"agrees", results::Rule::kAgrees},       {"correlates", results::Rule::kCorrelates},
      {"alike", results::Rule::kAlike},         {"parts_correlate", results::Rule::kAbove},
  };
  return known;
}

/// Walks a ledger and writes down every mistake.
class Reader {
 public:
  explicit Reader(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Ledger ledger(const toml::table& table) {
    keys(table, {"paper", "item"});
    Ledger out;
    out.paper = text(table, "paper");
    for (const toml::table* item : tables(table, "item")) out.items.push_back(this->item(*item));
    return out;
  }

 private:
  void keys(const toml::table& table, const std::vector<std::string>& known) {
    for (const auto& [key, node] : table)
      if (!core::contains(known, key.str()))
        diagnostics_.add(
            {key.source().begin.line, key.source().begin.column},
            "unknown key " + std::string(key.str()) + core::did_you_mean(key.str(), known));
  }

  /// Empty: it is not there.
  std::string text(const toml::table& table, const char* key) {
    const auto* node = table.get(key);
    if (node == nullptr) return "";
    if (const auto* value = node->as_string()) return value->get();
    diagnostics_.add(core::place_of(*node), std::string(key) + ": expected a text in quotes");
    return "";
  }

  std::vector<const toml::table*> tables(const toml::table& table, const char* key) {
    std::vector<const toml::table*> out;
    const auto* node = table.get(key);
    if (node == nullptr) return out;
    if (const auto* list = node->as_array())
      for (const auto& one : *list)
        if (const auto* entry = one.as_table()) out.push_back(entry);
    if (out.empty())
      diagnostics_.add(core::place_of(*node), std::string(key) + ": expected tables");
    return out;
  }

  std::vector<double> numbers(const toml::table& table, const char* key) {
    std::vector<double> out;
    const auto* node = table.get(key);
    if (node == nullptr) return out;
    if (const auto* list = node->as_array())
      for (const auto& one : *list)
        if (const auto value = one.value<double>()) out.push_back(*value);
    if (out.empty())
      diagnostics_.add(core::place_of(*node), std::string(key) + ": expected a list of numbers");
    return out;
  }

  std::optional<double> number(const toml::table& table, const char* key) {
    const auto* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<double>();
    if (!value) diagnostics_.add(core::place_of(*node), std::string(key) + ": expected a number");
    return value;
  }

  LedgerItem item(const toml::table& table) {
    keys(table, {"name", "about", "run", "profile", "note", "resampled", "size", "claim"});
    LedgerItem out{text(table, "name"),
                   text(table, "about"),
                   {text(table, "run"), text(table, "profile")},
                   text(table, "note"),
                   number(table, "resampled").value_or(0),
                   text(table, "size"),
                   {}};
    if (!(out.resampled >= 0.0 && std::isfinite(out.resampled)))
      diagnostics_.add(core::place_of(*table.get("resampled")),
                       "resampled: expected test rows for each training row, 0 or more");
    if (out.name.empty() || out.about.empty())
      diagnostics_.add(core::place_of(table), "an item needs name and about");
    for (const toml::table* one : tables(table, "claim")) out.claims.push_back(claim(*one));
    if (out.claims.empty() && out.note.empty())
      diagnostics_.add(core::place_of(table),
                       out.name + ": neither a claim nor a note that says why");
    if (!out.claims.empty() && out.run.file.empty())
      diagnostics_.add(core::place_of(table), out.name + ": claims need a run");
    return out;
  }

  LedgerClaim claim(const toml::table& table) {
    keys(table, {"says", "rule", "bound", "dataset", "model", "explainer", "metric", "of", "with",
                 "theirs", "theirs_half_width", "theirs_sd", "theirs_seeds", "undecidable"});
    LedgerClaim out;
    out.place = core::place_of(table);
    out.says = text(table, "says");
    if (out.says.empty()) diagnostics_.add(out.place, "a claim needs says");
    const std::string wanted = text(table, "rule");
    const auto rule = std::find_if(rules().begin(), rules().end(),
                                   [&](const auto& one) { return one.first == wanted; });
    if (rule != rules().end()) {
      out.rule = rule->second;
    } else {
      std::vector<std::string> known;
      for (const auto& one : rules()) known.push_back(one.first);
      diagnostics_.add(out.place, "no rule " + wanted + core::did_you_mean(wanted, known));
    }
    out.bound = number(table, "bound").value_or(0);
    const bool of_parts = wanted == "parts_correlate";  // rho above 0
    if (results::needs_bound(out.rule) && !of_parts && table.get("bound") == nullptr)
      diagnostics_.add(out.place, wanted + " needs a bound");
    const LedgerSubject shared = subject(table, {});
    if (table.get("of") == nullptr)
      out.subjects.push_back(shared);
    else
      for (const toml::table* one : tables(table, "of")) {
        keys(*one, {"dataset", "model", "explainer", "metric"});
        out.subjects.push_back(subject(*one, shared));
      }
    for (const LedgerSubject& one : out.subjects)
      if (one.metric.empty()) diagnostics_.add(out.place, "a claim needs a metric");
    out.with = text(table, "with");
    if (out.with.empty() == (of_parts || out.rule == results::Rule::kCorrelates))
      diagnostics_.add(out.place,
                       "with goes with the rules correlates and parts_correlate, which need it");
    out.undecidable = text(table, "undecidable");
    out.theirs = numbers(table, "theirs");
    out.theirs_half_width = numbers(table, "theirs_half_width");
    read_spread(table, out);
    if (results::compares_subjects(out.rule) && out.subjects.size() < 2)
      diagnostics_.add(out.place, wanted + " needs two subjects or more in of");
    if ((out.rule == results::Rule::kAgrees || !out.theirs.empty()) &&
        out.theirs.size() != out.subjects.size())
      diagnostics_.add(out.place, "theirs: expected a number for each subject");
    if (!out.theirs_half_width.empty() && out.theirs_half_width.size() != out.theirs.size())
      diagnostics_.add(out.place, "theirs_half_width: expected as many as theirs");
    return out;
  }

  /// From the published standard deviations, the half-widths of 95 % intervals.
  void read_spread(const toml::table& table, LedgerClaim& claim) {
    claim.theirs_sd = numbers(table, "theirs_sd");
    if (claim.theirs_sd.empty()) return;
    claim.theirs_seeds = static_cast<std::int64_t>(number(table, "theirs_seeds").value_or(0));
    if (claim.theirs_seeds < 2 || !claim.theirs_half_width.empty()) {
      diagnostics_.add(claim.place, "theirs_sd needs theirs_seeds, two or more, and no half-width");
      return;
    }
    const auto dof = static_cast<double>(claim.theirs_seeds - 1);
    const double t = numerics::student_two_sided_quantile(0.95, dof);
    for (const double sd : claim.theirs_sd)
      claim.theirs_half_width.push_back(t * sd / std::sqrt(dof));
  }

  LedgerSubject subject(const toml::table& table, const LedgerSubject& standard) {
    const auto given = [&](const char* key, const std::string& otherwise) {
      const std::string own = text(table, key);
      return own.empty() ? otherwise : own;
    };
    return {given("dataset", standard.dataset), given("model", standard.model),
            given("explainer", standard.explainer), given("metric", standard.metric)};
  }

  core::Diagnostics& diagnostics_;
};

}  // namespace

std::vector<LedgerRun> Ledger::runs() const {
  std::vector<LedgerRun> out;
  for (const LedgerItem& item : items)
    if (!item.run.file.empty() && std::ranges::find(out, item.run) == out.end())
      out.push_back(item.run);
  return out;
}

Ledger read_ledger(const std::filesystem::path& path) {
  const std::string text = core::read_toml_text(path, "ledger");
  core::Diagnostics diagnostics(path.string());
  Ledger out;
  try {
    out = Reader(diagnostics).ledger(toml::parse(std::string_view(text), path.string()));
  } catch (const toml::parse_error& e) {
    diagnostics.add({e.source().begin.line, e.source().begin.column}, std::string(e.description()));
  }
  diagnostics.throw_if_any();
  return out;
}

}  // namespace conoscope::app
