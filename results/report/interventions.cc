// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "results/boards/estimate.h"
#include "results/boards/parts.h"
#include "results/formats/human_text.h"
#include "results/report/latents.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

/// Metrics whose parts are accuracies after 0, 1, ... concepts were told, and in which order these
/// were chosen.
constexpr std::pair<const char*, const char*> kPolicies[] = {{"intervention_random", "random"},
                                                             {"intervention_coop", "CooP"},
                                                             {"intervention_oracle", "oracle"}};

void add_rows(PageTable& table, const Entrant& entrant, const std::string& policy,
              const Parts& parts) {
  for (const auto& [told, values] : parts) {
    const Estimate estimate = estimate_of(values, entrant.score.estimate.n);
    table.add({entrant.method, policy, std::to_string(told), human_text(estimate)},
              JsonObject()
                  .add("method", entrant.method)
                  .add("policy", policy)
                  .add("told", told)
                  .add(estimate));
  }
}

}  // namespace

Section intervention_section(const ReportContext& context) {
  PageTable table("intervention-table", "Accuracy of the task after so many concepts were told",
                  {kMethodColumn, PageColumn("policy", "policy"),
                   PageColumn("concepts told", "told"), PageColumn("mean ± 95 %", "mean")});
  for (const ReportedRun& run : context.runs) {
    // All policies of a place belong together.
    std::map<GroupKeys, std::vector<std::pair<const char*, Contest>>> places;
    for (const auto& [metric, policy] : kPolicies)
      if (std::ranges::find(run.metrics, metric) != run.metrics.end())
        for (Contest& contest : context.contests(run, metric))
          places[context.keys(run, contest.dataset, contest.model, "")].emplace_back(
              metric, std::move(contest));
    std::map<std::string, std::map<BoardSubject, Parts>> parts;
    for (const auto& [metric, policy] : kPolicies)
      parts[metric] = parts_of(context.store, run.key, metric);
    for (const auto& [keys, contests] : places) {
      table.group(keys);
      for (const auto& [metric, contest] : contests)
        for (const Entrant& entrant : contest.entrants) {
          const auto& found = parts.at(metric);
          const auto policy =
              std::ranges::find(kPolicies, std::string_view(metric),
                                [](const auto& p) -> std::string_view { return p.first; });
          if (const auto of = found.find(entrant.score.subject); of != found.end())
            add_rows(table, entrant, policy->second, of->second);
        }
    }
  }
  Section section{"interventions", "What do interventions do?", ""};
  if (!table.empty())
    section.html =
        "<p>How accurate the model becomes when it is told the true value of one concept after "
        "another, in an order that a policy chooses. A model whose concepts leak may lose by "
        "it.</p>\n" +
        figure_html("intervention", "intervention-table") + table.folded_html();
  section.html += latents_html(context);
  return section;
}

}  // namespace conoscope::results
