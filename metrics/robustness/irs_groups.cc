// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs_groups.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/caveat.h"
#include "metrics/robustness/irs.h"
#include "metrics/robustness/irs_sample.h"
#include "metrics/robustness/mean_do.h"

namespace conoscope::metrics {

namespace {

void require_columns(const Setting& setting, const char* what, Index there) {
  for (const Index column : setting.chosen)
    if (column >= there)
      throw NotApplicable(std::string(setting.name) + " names " + what + " " +
                          std::to_string(column) + ", there are " + std::to_string(there) +
                          ", numbered from 0");
}

/// L, I and J of IRS(L | I, J).
struct Groups {
  IndexVector latents, kept, nuisance;
};

Groups groups_of(const Subject& subject, const std::vector<Setting>& settings) {
  const FactorCells& cells = subject.once(irs_cells);
  require_columns(settings[2], "latent", cells.latents());
  Groups out{settings[2].chosen, chosen_factors(subject, settings[0]),
             chosen_factors(subject, settings[1])};
  if (out.latents.empty()) out.latents = detail::complement({}, cells.latents());
  if (out.nuisance.empty()) out.nuisance = detail::complement(out.kept, cells.factors());
  if (out.nuisance.empty()) throw NotApplicable("given: no factor is left to move");
  for (const Index factor : settings[0].chosen)
    if (std::find(settings[1].chosen.begin(), settings[1].chosen.end(), factor) !=
        settings[1].chosen.end())
      throw NotApplicable("factor " + std::to_string(factor) + " is in both given and moved");
  return out;
}

Result irs_result(const FactorCells& cells, const Groups& of, double& coverage) {
  if (of.kept.empty() && static_cast<Index>(of.nuisance.size()) == cells.factors())
    throw NotApplicable(
        "0 by definition where all factors move: name some that are given, or moved");
  const Irs found = irs(cells, of.latents, of.kept, of.nuisance);
  coverage = found.coverage;
  if (!found.value) throw std::domain_error("all latents of the group are constant");
  return {*found.value};
}

Result empida_result(const FactorCells& cells, const Groups& of, double& coverage) {
  const Empida found = empida(cells, of.latents, of.kept, of.nuisance);
  coverage = found.coverage;
  const Vector parts = mpida(cells, of.latents, of.kept, of.nuisance);
  return {found.value, {parts.begin(), parts.end()}};
}

Result pida_result(const FactorCells& cells, const Groups& of, double& coverage) {
  coverage = empida(cells, of.latents, of.kept, of.nuisance).coverage;
  const Vector parts = pida(cells, of.latents, of.kept, of.nuisance);
  return {parts.maxCoeff(), {parts.begin(), parts.end()}};
}

}  // namespace

IndexVector chosen_factors(const Subject& subject, const Setting& setting) {
  const LatentFactors& from = irs_factors(subject);
  require_columns(setting, "factor", subject.annotations().factors.cols());
  IndexVector out;
  for (const Index factor : setting.chosen) {
    const auto left_out = std::lower_bound(from.constant.begin(), from.constant.end(), factor);
    if (left_out != from.constant.end() && *left_out == factor)
      throw std::domain_error(std::string(setting.name) + ": factor " + std::to_string(factor) +
                              " has a single value");
    out.push_back(factor - (left_out - from.constant.begin()));
  }
  return out;
}

std::vector<Metric> declare::irs_groups() {
  const std::vector<Setting> settings = {
      {.name = "given", .unnamed = "none", .is_choice = true},
      {.name = "moved", .unnamed = "all factors that are not given", .is_choice = true},
      {.name = "latents", .unnamed = "all", .is_choice = true}};
  const auto row = [&](const char* name, const char* question, Direction direction, double low,
                       double high, const char* source,
                       Result (*compute)(const FactorCells&, const Groups&, double&)) {
    const auto with = [compute](const Subject& subject, const std::vector<Setting>& chosen) {
      double coverage = 1.0;
      Result result = compute(subject.once(irs_cells), groups_of(subject, chosen), coverage);
      result.caveat = irs_factors(subject).caveat;
      add_note(result.caveat, coverage_caveat(subject, coverage, "the coverage of these groups"));
      return result;
    };
    return Metric{.name = name,
                  .group = "irs",
                  .question = question,
                  .direction = direction,
                  .low = low,
                  .high = high,
                  .source = source,
                  .needs = {"latent_view", "factors"},
                  .on_request = true,
                  .settings = settings,
                  .compute_with = with};
  };
  return {
      row("irs_given",
          "Do chosen latents keep their value when chosen factors change and others are held?",
          Direction::kHigher, -1.0, 1.0, "Suter et al., ICML 2019, Sec. 4: IRS(L | I, J)",
          irs_result),
      row("irs_empida",
          "How far, at worst, do chosen latents move when chosen factors change and others are "
          "held?",
          Direction::kLower, 0.0, kUnbounded, "Suter et al., ICML 2019, Sec. 4: EMPIDA(L | I, J)",
          empida_result),
      row("irs_pida",
          "How far do chosen latents move under the worst change of chosen factors, at the worst "
          "value of those that are held?",
          Direction::kLower, 0.0, kUnbounded, "Suter et al., ICML 2019, Sec. 4: PIDA(L | g_I, g_J)",
          pida_result),
  };
}

}  // namespace conoscope::metrics
