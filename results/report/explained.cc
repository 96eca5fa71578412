// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "results/report/attacks.h"
#include "results/report/explained_sample.h"
#include "results/report/sections.h"
#include "results/report/shown_summaries.h"

namespace conoscope::results {

namespace {

/// Of all drawings, images apart, that a page has room for.
constexpr std::size_t kMostDrawn = std::size_t{8} << 20;

const char* choice_text(double choice) {
  return std::isnan(choice) ? ""
         : choice == 0.0    ? ", explained well"
         : choice == 1.0    ? ", typical"
                            : ", worst";
}

void add_drawings(PageDrawings& drawings, std::size_t& drawn, const ShownSummary& of,
                  const ReportContext& context) {
  const CellData& data = of.data;
  for (const auto& panels : explained_panels(of.method, of.cell, of.twins, of.shape)) {
    if (drawn > kMostDrawn) return;
    const ExplainedSample& sample = panels[0].of;
    const std::string svg = explained_sample_svg(panels, data, context.sheet, false);
    drawn += svg.size();
    drawings.add(of.keys, of.method,
                 CellData::name(data.classes, static_cast<double>(sample.output)) +
                     choice_text(sample.choice) + ": test sample " + std::to_string(sample.sample),
                 svg);
  }
}

std::string samples_html(const ReportContext& context) {
  PageDrawings drawings("explained", "Sample");
  std::size_t drawn = 0;
  for (const ShownSummary& one : shown_summaries(context, "explained_samples"))
    add_drawings(drawings, drawn, one, context);
  if (drawings.empty()) return {};
  std::string out =
      "<div class=part><p>An explanation claims that the model is a sum: a bias, and each "
      "concept's score times its "
      "importance. Here that sum is made for one test sample and the class that the model answers. "
      "Each bar begins where the last one ended; the sum is the surrogate's logit, and the dashed "
      "line is the model's. Where the image has an outline, the concept fires there. Below stand "
      "the "
      "method's randomised twins on the same sample. Of each class: the sample that is explained "
      "worst, a typical one, and the one that is explained best.</p>\n" +
      drawings.html() + "</div>\n";
  if (drawn > kMostDrawn)
    out +=
        "<p>Not all samples are drawn: the page would be too large. Write a report of fewer "
        "runs.</p>\n";
  return out;
}

void add_logits(PageTable& table, const ShownSummary& of, const CellData& data) {
  std::map<std::pair<double, double>, std::vector<JsonObject>> points;
  for (std::size_t r = 0; r < of.rows(); ++r)
    points[{of.number(r, "output"), of.number(r, "surrogate_output")}].push_back(
        JsonObject()
            .add("sample", of.field(r, "sample"))
            .add("logit", of.field(r, "logit"))
            .add("value", of.field(r, "surrogate_logit")));
  for (const auto& [outputs, marks] : points) {
    const std::string model = CellData::name(data.classes, outputs.first),
                      surrogate = CellData::name(data.classes, outputs.second);
    table.add({of.method, model, surrogate, std::to_string(marks.size())},
              JsonObject()
                  .add("method", of.method)
                  .add("model_says", model)
                  .add("surrogate_says", surrogate)
                  .add("agreement", std::string(outputs.first == outputs.second ? "the same answer"
                                                                                : "another answer"))
                  .add("samples", static_cast<std::int64_t>(marks.size()))
                  .add("marks", marks));
  }
}

void add_importances(PageTable& table, const ShownSummary& of, const CellData& data) {
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const std::string output = CellData::name(data.classes, of.number(r, "output"));
    table.add({of.method, output, of.text(r, "concept"), of.text(r, "importance")},
              JsonObject()
                  .add("method", of.method)
                  .add("row", output)
                  .add("column", of.field(r, "concept"))
                  .add("mean", of.field(r, "importance")));
  }
}

}  // namespace

Section explained_section(const ReportContext& context) {
  PageTable logits(
      "surrogate-table", "Test samples by the answers of model and surrogate",
      {kMethodColumn, "the model says", "the surrogate says", PageColumn("samples", "samples")});
  PageTable importances(
      "importances-table", "Importance of each concept for each class",
      {kMethodColumn, "class", PageColumn("concept", "column"), PageColumn("importance", "mean")});
  const auto add = [&context](PageTable& table, const char* summary, const auto& add_rows) {
    for (const ShownSummary& one : shown_summaries(context, summary)) {
      table.group(one.keys);
      add_rows(table, one, one.data);
    }
  };
  add(logits, "surrogate_logits", add_logits);
  add(importances, "concept_importances", add_importances);
  Section section{"explanations", "What does an explanation say?",
                  samples_html(context) + attacks_html(context)};
  if (!logits.empty())
    section.html +=
        "<div class=part><h3>Where do model and surrogate agree?</h3>\n<p>Each point is a test "
        "sample: the logit of "
        "the class that the model answers, and what the surrogate makes of it. On the line the two "
        "are equal. Beside it, how often which answer meets which.</p>\n<div class=pair>" +
        figure_of_one_html("surrogate", logits.id()) +
        figure_of_one_html("agreement", logits.id(), "agreement") + "</div>\n" +
        logits.folded_html() + "</div>\n";
  if (!importances.empty())
    section.html +=
        "<div class=part><h3>How much does each concept count?</h3>\n<p>Where classes have "
        "concepts of "
        "their own, these stand in the order of their importance.</p>\n" +
        figure_of_one_html("importances", importances.id()) + importances.folded_html() +
        "</div>\n";
  return section;
}

}  // namespace conoscope::results
