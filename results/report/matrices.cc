// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "results/boards/estimate.h"
#include "results/boards/parts.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"
#include "results/report/shown_summaries.h"

namespace conoscope::results {

namespace {

/// A metric whose parts are a square matrix, row after row; docs/metrics.md says which. Or, of the
/// data alone, the pairs (0,1), (0,2), ..., (1,2), ... of a symmetric one without its diagonal.
struct Matrix {
  std::string_view metric;
  const char *picture, *caption, *row, *column;
  bool of_data = false;
};

constexpr Matrix kMatrices[] = {
    {"ois", "purity",
     "Purity matrix: how well the representation of one concept tells another one, as AUC",
     "representation of concept", "concept"},
    {"mi_ic", "information",
     "Mutual information of each representation with each concept, as a share of the concept's "
     "entropy",
     "representation of concept", "concept"},
    {"mi_true_ic", "true-information",
     "Mutual information of each annotated concept with each other one, as a share of their "
     "entropies",
     "concept", "other concept", true},
};

/// Each pair's part at both of its places.
Parts squared(const Parts& pairs) {
  std::int64_t side = 2;
  while (side * (side - 1) / 2 <= pairs.rbegin()->first) ++side;
  Parts out;
  std::int64_t pair = 0;
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t j = i + 1; j < side; ++j)
      if (const auto found = pairs.find(pair++); found != pairs.end())
        out[i * side + j] = out[j * side + i] = found->second;
  return out;
}

void add_rows(PageTable& table, const std::string& method, const Entrant& entrant,
              const Parts& parts) {
  const auto k = static_cast<std::int64_t>(std::lround(std::sqrt(parts.size())));
  // A part without a value leaves a hole; then the rest says which number it would have been.
  const std::int64_t last = parts.rbegin()->first;
  const std::int64_t side =
      k * k > last ? k
                   : static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(last + 1))));
  for (const auto& [part, values] : parts) {
    const Estimate estimate =
        estimate_of(values, static_cast<std::int64_t>(entrant.score.estimate.n));
    const std::string row = std::to_string(part / side), column = std::to_string(part % side);
    table.add({method, row, column, human_text(estimate)}, JsonObject()
                                                               .add("method", method)
                                                               .add("panel", method)
                                                               .add("row", part / side)
                                                               .add("column", part % side)
                                                               .add("mean", estimate.mean)
                                                               .add("text", human_text(estimate)));
  }
}

/// The purity matrices of the concepts themselves, by place: all that the place's methods have trained
/// for, of their lowest seeds. They are of the same data and differ by their networks' draws alone.
std::map<GroupKeys, Parts> ideals_of(const ReportContext& context) {
  std::map<GroupKeys, Parts> out;
  for (const ShownSummary& one : shown_summaries(context, "purity_matrix")) {
    std::int64_t part = 0;
    for (std::size_t r = 0; r < one.rows(); ++r)
      if (const double ideal = one.number(r, "ideal"); !std::isnan(ideal))
        out[one.keys][part++].push_back(ideal);
      else
        ++part;
  }
  return out;
}

void add_ideal(PageTable& table, const Parts& ideal) {
  const auto side = static_cast<std::int64_t>(
      std::lround(std::sqrt(static_cast<double>(ideal.rbegin()->first + 1))));
  for (const auto& [part, values] : ideal) {
    const Estimate estimate = estimate_of(values, static_cast<std::int64_t>(values.size()));
    table.add(
        {"ideal", std::to_string(part / side), std::to_string(part % side), human_text(estimate)},
        JsonObject()
            .add("panel", "ideal: the annotated concepts")
            .add("row", part / side)
            .add("column", part % side)
            .add("mean", estimate.mean)
            .add("text", human_text(estimate)));
  }
}

/// The dependency matrices of latents on factors, three for each method.
std::string dependencies_html(const ReportContext& context) {
  PageTable table("dependency-table", "How much each latent depends on each factor",
                  {kMethodColumn, PageColumn("by", "panel"), PageColumn("latent", "row"),
                   PageColumn("factor", "column"), PageColumn("dependency", "mean")});
  for (const ShownSummary& one : shown_summaries(context, "dependency_matrix")) {
    table.group(one.keys);
    for (const auto& [column, by] :
         {std::pair("irs", "robustness"), std::pair("information", "information"),
          std::pair("importance", "importance")})
      add_matrix(table, one, by, "latent", "factor", column);
  }
  if (table.empty()) return {};
  return "<div class=part><h3>Which latent depends on which factor?</h3>\n<p>By interventional "
         "robustness "
         "(irs_score "
         "is made from it), by mutual information as a share of the factor's entropy, and by the "
         "importances of a random forest; of the lowest seed. Disentangled: one bright square in "
         "each row.</p>\n" +
         figure_html("dependency", table.id()) + table.folded_html() + "</div>\n";
}

}  // namespace

bool is_drawn_as_matrix(std::string_view metric) {
  return std::ranges::find(kMatrices, metric, &Matrix::metric) != std::end(kMatrices);
}

Section matrix_section(const ReportContext& context) {
  Section section{"matrices", "Pure, leaking, disentangled?", ""};
  const auto ideals = ideals_of(context);
  for (const Matrix& matrix : kMatrices) {
    PageTable table(std::string(matrix.picture) + "-table", matrix.caption,
                    {kMethodColumn, PageColumn(matrix.row, "row"),
                     PageColumn(matrix.column, "column"), PageColumn("mean ± 95 %", "mean")});
    for (const ReportedRun& run : context.runs) {
      if (std::ranges::find(run.metrics, matrix.metric) == run.metrics.end()) continue;
      const auto parts = parts_of(context.store, run.key, std::string(matrix.metric));
      for (const Contest& contest : context.contests(run, std::string(matrix.metric))) {
        const GroupKeys keys = context.keys(run, contest.dataset, contest.model, "");
        table.group(keys);
        for (const Entrant& entrant : contest.entrants) {
          const auto found = parts.find(entrant.score.subject);
          if (found != parts.end() && matrix.of_data) {  // the same for every method
            add_rows(table, "annotated concepts", entrant, squared(found->second));
            break;
          }
          if (found != parts.end()) add_rows(table, entrant.method, entrant, found->second);
        }
        if (const auto ideal = ideals.find(keys); matrix.metric == "ois" && ideal != ideals.end())
          add_ideal(table, ideal->second);
      }
    }
    if (!table.empty()) section.html += figure_html("matrix", table.id()) + table.folded_html();
  }
  if (!section.html.empty())
    section.html =
        "<p>Means over seeds. A pure, disentangled representation tells its own concept, on the "
        "diagonal, and of the others no more than they tell each other: that is the ideal, shown "
        "where the run has it as the mean over the networks that every method had trained for its "
        "lowest seed.</p>\n" +
        section.html;
  section.html += dependencies_html(context);
  return section;
}

}  // namespace conoscope::results
