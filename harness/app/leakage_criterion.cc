// SPDX-License-Identifier: Apache-2.0
#include "harness/app/leakage_criterion.h"

#include <map>

#include "metrics/leakage/leakage_criterion.h"

namespace conoscope::app {

namespace {

using metrics::LeakageVerdict;

/// By the names behind the metric, then by metric.
using Grouped = std::map<std::string, std::map<std::string, std::vector<double>>>;

Grouped grouped(const std::vector<results::ComparedNumber>& numbers) {
  Grouped out;
  for (const auto& number : numbers) {
    const std::size_t end = number.row.find(kBetween);
    const std::string names = end == number.row.npos ? "" : number.row.substr(end);
    out[names][number.row.substr(0, end)].push_back(number.value);
  }
  return out;
}

numerics::Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const numerics::Vector>(values.data(),
                                            static_cast<numerics::Index>(values.size()));
}

std::string text_of(LeakageVerdict verdict) {
  switch (verdict) {
    case LeakageVerdict::kCompatible:
      return "compatible";
    case LeakageVerdict::kMoreInA:
      return "more in A";
    case LeakageVerdict::kMoreInB:
      return "more in B";
    case LeakageVerdict::kNotApplicable:
      break;
  }
  return "not applicable: ctl and icl disagree";
}

}  // namespace

CriterionRows leakage_criterion_rows(const std::vector<results::ComparedNumber>& a,
                                     const std::vector<results::ComparedNumber>& b,
                                     const std::vector<std::string>& shared, double alpha) {
  using results::ColumnType;
  CriterionRows out;
  for (const std::string& name : shared) out.table.columns.push_back({name});
  for (const char* name : {"n_a", "n_b"}) out.table.columns.push_back({name, ColumnType::kInteger});
  for (const char* name : {"ctl_a", "ctl_b", "ctl_p", "icl_a", "icl_b", "icl_p"})
    out.table.columns.push_back({name, ColumnType::kReal});
  out.table.columns.push_back({"verdict"});
  Grouped of_a = grouped(a), of_b = grouped(b);
  for (auto& [names, values_a] : of_a) {
    auto& values_b = of_b[names];
    const auto enough = [](const std::vector<double>& values) { return values.size() >= 2; };
    if (!enough(values_a["ctl"]) || !enough(values_a["icl"]) || !enough(values_b["ctl"]) ||
        !enough(values_b["icl"]))
      continue;
    const auto ctl_a = vector_of(values_a["ctl"]), icl_a = vector_of(values_a["icl"]);
    const auto ctl_b = vector_of(values_b["ctl"]), icl_b = vector_of(values_b["icl"]);
    const auto found = metrics::leakage_criterion(ctl_a, icl_a, ctl_b, icl_b, alpha);
    std::vector<results::Field> fields;
    for (std::size_t begin = 0; begin != names.npos && begin < names.size();) {
      const std::size_t end = names.find(kBetween, begin + 1);
      const std::string part =
          names.substr(begin + 1, end == names.npos ? names.npos : end - begin - 1);
      fields.push_back(part.empty() ? results::Field() : results::Field(part));
      begin = end;
    }
    fields.emplace_back(static_cast<std::int64_t>(ctl_a.size()));
    fields.emplace_back(static_cast<std::int64_t>(ctl_b.size()));
    for (const double value :
         {ctl_a.mean(), ctl_b.mean(), found.ctl.p, icl_a.mean(), icl_b.mean(), found.icl.p})
      fields.emplace_back(value);
    fields.emplace_back(text_of(found.verdict));
    out.table.add(std::move(fields));
    out.different |=
        found.verdict == LeakageVerdict::kMoreInA || found.verdict == LeakageVerdict::kMoreInB;
  }
  return out;
}

}  // namespace conoscope::app
