// SPDX-License-Identifier: Apache-2.0
// Audits as tables, for people and for programs.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "results/analysis/audit.h"
#include "results/boards/estimate.h"

namespace conoscope::results {

namespace {

Column two_digits(std::string name) {
  Column out = Column::real(std::move(name));
  out.digits = 2;
  return out;
}

Column two_digits_up(std::string name) {
  Column out = two_digits(std::move(name));
  out.up = true;
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "; ") + word;
  return out;
}

Field nonempty(const std::string& text) { return text.empty() ? Field() : Field(text); }

const TruthAgreement* truth_of(const Audit& audit, const char* metric) {
  const auto found = std::ranges::find(audit.truth, metric, &TruthAgreement::metric);
  return found == audit.truth.end() ? nullptr : &*found;
}

std::string noise_remark(const Audit& audit) {
  if (audit.noise.dof == 0) return "nothing has two seeds";
  if (audit.noise.sd == 0.0) return "seeds change nothing";
  return audit.uneven() ? "Welch" : "";
}

/// A column of a table, and what stands in it.
struct Shown {
  Column column;
  Field (*of)(const Audit&);
};

const std::vector<Shown>& what() {
  static const std::vector<Shown> columns = {
      {Column::text("dataset"), [](const Audit& a) { return Field(a.dataset); }},
      {Column::text("model"), [](const Audit& a) { return nonempty(a.model); }},
      {Column::text("metric"), [](const Audit& a) { return Field(a.metric); }}};
  return columns;
}

const std::vector<Shown>& noise_columns() {
  static const std::vector<Shown> columns = {
      {Column::integer("entries"), [](const Audit& a) { return Field(a.complete); }},
      {Column::integer("seeds"), [](const Audit& a) { return Field(a.asked); }},
      {two_digits("s"),
       [](const Audit& a) { return a.noise.dof > 0 ? Field(a.noise.sd) : Field(); }},
      {Column::integer("df"), [](const Audit& a) { return Field(a.noise.dof); }},
      {two_digits("s_upper"),
       [](const Audit& a) {
         return a.noise.dof > 0 ? Field(noise_upper_bound(a.noise)) : Field();
       }},
      {two_digits("cv"), [](const Audit& a) { return field_of(a.variation); }},
      {two_digits("largest_over_s"),
       [](const Audit& a) { return a.noise.sd > 0 ? Field(a.noise.largest_over) : Field(); }},
      {Column::text("noise"), [](const Audit& a) { return nonempty(noise_remark(a)); }}};
  return columns;
}

const std::vector<Shown>& difference_columns() {
  static const std::vector<Shown> columns = {
      {Column::integer("mrd_seeds"), [](const Audit& a) { return Field(a.seeds); }},
      {two_digits_up("mrd"), [](const Audit& a) { return field_of(a.reliable); }},
      {two_digits_up("mrd_one_seed"), [](const Audit& a) { return field_of(a.reliable_one); }},
      {two_digits_up("mde"), [](const Audit& a) { return field_of(a.detectable); }},
      {Column::integer("pairs"), [](const Audit& a) { return Field(a.pairs); }},
      {two_digits("told_apart"), [](const Audit& a) { return field_of(a.told_apart); }},
      {Column::integer("neighbours_apart"),
       [](const Audit& a) { return a.neighbours ? Field(*a.neighbours) : Field(); }}};
  return columns;
}

template <std::size_t i>
std::vector<Shown> truth_columns() {
  return {{two_digits("rho_" + std::string(kTruths[i])),
           [](const Audit& a) {
             const auto* one = truth_of(a, kTruths[i]);
             return one == nullptr ? Field() : field_of(one->rho);
           }},
          {Column::integer("n_" + std::string(kTruths[i])),
           [](const Audit& a) {
             const auto* one = truth_of(a, kTruths[i]);
             return one == nullptr ? Field() : Field(one->entries);
           }},
          {Column::text(std::string(kTruths[i]) + "_remark"), [](const Audit& a) {
             const auto* one = truth_of(a, kTruths[i]);
             const bool weak = one != nullptr && one->rho && !one->significant;
             return weak ? Field(std::string("not significant")) : Field();
           }}};
}

const std::vector<Shown>& truth_columns() {
  static const std::vector<Shown> columns = [] {
    std::vector<Shown> out = truth_columns<0>();
    for (Shown& one : truth_columns<1>()) out.push_back(std::move(one));
    return out;
  }();
  return columns;
}

const std::vector<Shown>& share_columns() {
  static const std::vector<Shown> columns = {
      {two_digits("between_entries"), [](const Audit& a) { return field_of(a.share_between); }},
      {two_digits("over_seeds"),
       [](const Audit& a) { return a.share_between ? Field(1.0 - *a.share_between) : Field(); }},
      {Column::integer("winners"),
       [](const Audit& a) { return a.winners > 0 ? Field(a.winners) : Field(); }},
      {two_digits("agreement"), [](const Audit& a) { return field_of(a.agreement); }},
      {two_digits("decision"), [](const Audit& a) { return field_of(a.decision); }}};
  return columns;
}

const std::vector<Shown>& training_columns() {
  static const std::vector<Shown> columns = {
      {Column::integer("trained"),
       [](const Audit& a) { return a.trained > 0 ? Field(a.trained) : Field(); }},
      {Column::integer("rising"),
       [](const Audit& a) { return a.trained > 0 ? Field(a.rising) : Field(); }},
      {two_digits("snr"), [](const Audit& a) { return field_of(a.signal_to_noise); }},
      {two_digits("share_method"), [](const Audit& a) { return field_of(a.share_method); }},
      {two_digits("share_seed"), [](const Audit& a) { return field_of(a.share_seed); }},
      {two_digits("share_training"), [](const Audit& a) { return field_of(a.share_training); }}};
  return columns;
}

const std::vector<Shown>& learning_columns() {
  static const std::vector<Shown> columns = {
      {Column::integer("with_twins"), [](const Audit& a) { return Field(a.with_twins); }},
      {Column::integer("ahead"), [](const Audit& a) { return Field(a.beyond); }},
      {two_digits("least_gap"), [](const Audit& a) { return field_of(a.least_gap); }},
      {two_digits("largest_gap"), [](const Audit& a) { return field_of(a.largest_gap); }}};
  return columns;
}

const std::vector<Shown>& verdict_columns() {
  static const std::vector<Shown> columns = {
      {Column::text("fails"), [](const Audit& a) { return nonempty(joined(a.fails)); }}};
  return columns;
}

/// With `needed`, only the rows that have something in that column.
Table table_of(const std::vector<Audit>& audits,
               const std::vector<const std::vector<Shown>*>& groups, const char* needed = nullptr) {
  Table out;
  for (const auto* group : groups)
    for (const Shown& one : *group) out.columns.push_back(one.column);
  for (const Audit& audit : audits) {
    std::vector<Field> row;
    for (const auto* group : groups)
      for (const Shown& one : *group) row.push_back(one.of(audit));
    out.add(std::move(row));
  }
  if (needed != nullptr) {
    const std::size_t column = out.column(needed);
    std::erase_if(out.rows, [&](const std::vector<Field>& row) {
      return std::holds_alternative<std::monostate>(row[column]);
    });
  }
  return out;
}

}  // namespace

Table audit_table(const std::vector<Audit>& audits) {
  return table_of(audits, {&what(), &noise_columns(), &difference_columns(), &truth_columns(),
                           &share_columns(), &training_columns(), &learning_columns(),
                           &verdict_columns()});
}

std::vector<std::pair<const char*, Table>> audit_tables(const std::vector<Audit>& audits) {
  std::vector<std::pair<const char*, Table>> out;
  const auto add = [&](const char* title, const std::vector<Shown>& columns,
                       const char* needed = nullptr) {
    Table table = table_of(audits, {&what(), &columns}, needed);
    if (!table.rows.empty()) out.emplace_back(title, std::move(table));
  };
  add("noise over seeds", noise_columns());
  add("smallest reliable differences", difference_columns(), "mrd");
  add("order of the truth", truth_columns(),
      std::ranges::any_of(audits, [](const Audit& a) { return truth_of(a, kTruths[0]) != nullptr; })
          ? "n_truth_mcc"
          : "n_truth_f1");
  add("shares of the variance, and seeds that agree", share_columns(), "between_entries");
  add("over a training", training_columns(), "trained");
  add("distance to twins that learnt nothing, in smallest reliable differences", learning_columns(),
      "largest_gap");
  add("metrics that fail", verdict_columns(), "fails");
  return out;
}

Table audited_entries(const std::vector<Audit>& audits) {
  Table out;
  out.columns = {Column::text("metric"),    Column::text("dataset"),      Column::text("model"),
                 Column::text("explainer"), Column::coverage("coverage"), Column::real("mean"),
                 Column::real("sd"),        Column::text("twin"),         Column::real("twin_mean"),
                 two_digits("gap"),         Column::text("remark")};
  for (const Audit& audit : audits)
    for (const AuditedEntry& entry : audit.entries) {
      const BoardEntry& score = entry.score;
      const bool unlearnt = entry.gap && *entry.gap < 1.0;
      const char* remark = entry.known       ? "no method"
                           : !entry.complete ? "incomplete"
                           : unlearnt        ? "shows no learning"
                                             : "";
      out.add({audit.metric, score.dataset, score.model, nonempty(score.explainer),
               Coverage{score.n, score.asked}, score.n > 0 ? Field(score.estimate.mean) : Field(),
               field_of(score.sd), nonempty(entry.twin), field_of(entry.twin_mean),
               field_of(entry.gap), nonempty(remark)});
    }
  return out;
}

}  // namespace conoscope::results
