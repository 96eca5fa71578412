// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/summary.h"

#include <algorithm>
#include <stdexcept>

#include "metrics/summaries/attacked_samples.h"
#include "metrics/summaries/concept_cards.h"
#include "metrics/summaries/concept_correlation.h"
#include "metrics/summaries/concept_histogram.h"
#include "metrics/summaries/dependency_matrix.h"
#include "metrics/summaries/embedding_components.h"
#include "metrics/summaries/explained_samples.h"
#include "metrics/summaries/interventional_effect.h"
#include "metrics/summaries/latent_traversals.h"
#include "metrics/summaries/latent_violin.h"
#include "metrics/summaries/matched_concepts.h"
#include "metrics/summaries/purity_matrix.h"
#include "metrics/summaries/surrogate_logits.h"

namespace conoscope::metrics {

namespace {

Result result_of(const Summary& summary, SummaryTable table) {
  const std::size_t columns = summary.columns.size();
  if (table.cells.empty()) throw std::domain_error(summary.name + ": there is no row");
  if (table.cells.size() % columns != 0)
    throw std::logic_error(summary.name + ": " + std::to_string(table.cells.size()) + " cells in " +
                           std::to_string(columns) + " columns");
  const auto rows = static_cast<double>(table.cells.size() / columns);
  return {rows, std::move(table.cells), std::move(table.caveat)};
}

Metric metric_of(const Summary& summary) {
  Metric out{.name = summary.name,
             .group = kSummaries,
             .question = summary.question,
             .low = 1.0,
             .unit = "rows",
             .source = summary.source,
             .needs = summary.needs,
             .uses = summary.uses,
             .on_request = true,
             .settings = summary.settings};
  if (summary.compare)
    out.compare = [&summary](const Peers& peers) {
      return result_of(summary, summary.compare(peers));
    };
  else if (summary.compute)
    out.compute = [&summary](const Subject& subject) {
      return result_of(summary, summary.compute(subject));
    };
  else
    out.compute_with = [&summary](const Subject& subject, const std::vector<Setting>& settings) {
      return result_of(summary, summary.compute_with(subject, settings));
    };
  return out;
}

}  // namespace

const std::vector<Summary>& summaries() {
  static const std::vector<Summary> all = {
      declare::purity_matrix(),         declare::dependency_matrix(),
      declare::interventional_effect(), declare::latent_violin(),
      declare::concept_histogram(),     declare::embedding_components(),
      declare::concept_correlation(),   declare::explained_samples(),
      declare::concept_cards(),         declare::surrogate_logits(),
      declare::concept_importances(),   declare::matched_concepts(),
      declare::attacked_samples(),      declare::latent_traversals()};
  return all;
}

const Summary* find_summary(std::string_view name) {
  const auto found = std::ranges::find(summaries(), name, &Summary::name);
  return found == summaries().end() ? nullptr : &*found;
}

std::vector<Metric> declare::summary() {
  std::vector<Metric> out;
  for (const Summary& one : summaries()) out.push_back(metric_of(one));
  return out;
}

}  // namespace conoscope::metrics
