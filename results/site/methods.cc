// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "results/boards/run_metrics.h"
#include "results/boards/summaries.h"
#include "results/formats/human_text.h"
#include "results/report/explained_sample.h"
#include "results/report/headline.h"
#include "results/report/page.h"
#include "results/site/contents.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

std::vector<const SiteScore*> scores_of(const SiteContents& contents, const SiteMethod& method) {
  std::vector<const SiteScore*> out;
  for (const SiteScore& score : contents.scores)
    if (score.method == method) out.push_back(&score);
  return out;
}

/// The sample that it explains worst, of the first study that has explained some, beside its twins.
std::string picture_of(const SiteContents& contents, const std::vector<const SiteScore*>& scores) {
  const auto& shapes = contents.options.report.summaries;
  const auto shape = std::ranges::find(shapes, "explained_samples", &SummaryShape::name);
  if (shape == shapes.end()) return {};
  std::set<std::size_t> tried;
  for (const SiteScore* score : scores) {
    const std::string& run = contents.studies[score->study].run.key;
    if (!tried.insert(score->study).second || !is_asked(contents.store, run, shape->name)) continue;
    const auto cells = cell_summaries(contents.store, run, *shape);
    const auto own = std::ranges::find_if(cells, [score](const CellSummary& cell) {
      return cell.subject == score->entrant.score.subject && cell.control == "none" &&
             !cell.values.empty();
    });
    if (own == cells.end()) continue;
    std::vector<CellSummary> twins;
    std::ranges::copy_if(cells, std::back_inserter(twins), [own](const CellSummary& cell) {
      return cell.subject == own->subject && cell.seed == own->seed && cell.control != "none";
    });
    const auto panels = explained_panels(score->entrant.method, *own, twins, *shape);
    if (panels.empty()) continue;
    const auto& data = contents.options.report.data;
    PictureSheet sheet;
    return "<div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">" +
           explained_sample_svg(panels[0], data ? data(own->cell) : CellData(), sheet, true) +
           "</div>\n";
  }
  return {};
}

void add_how_to_run(SitePage& page, const SiteContents& contents, const SiteMethod& method,
                    const std::vector<const SiteScore*>& scores) {
  const auto& [kind, id] = method;
  std::string text;
  std::set<std::size_t> studies;
  for (const SiteScore* score : scores)
    if (const std::string& name = contents.studies[score->study].run.name;
        studies.insert(score->study).second && contents.options.shipped.contains(name))
      text += "conoscope run " + name + " --only " + kind + "=" + id + "\n";
  if (kind == "explainer" && contents.options.plugins.contains(method))
    text += "conoscope measure surf arrays.npz --explain " + id + "\n";
  page.heading("How to run it");
  if (!text.empty()) page.add(pre_html(text));
  page.paragraph(text.empty() ? "In a run file:" : "In a run file of your own:");
  page.add(pre_html("[[" + kind + "]]\nid = \"" + id + "\"\n"));
}

/// What the attempts of the newest version declared.
Table stored_facts(Store& store, const SiteMethod& method) {
  Table out{{{"key"}, {"value"}}, {}};
  Statement query(store.connection(),
                  "SELECT version, licence, citation FROM plugin WHERE kind = ? AND id = ? "
                  "ORDER BY version DESC, sha256 LIMIT 1");
  if (!query.bind_all(method.first, method.second).step()) return out;
  const char* keys[] = {"version", "licence", "citation"};
  for (int i = 0; i < 3; ++i)
    if (const std::string value = query.text(i); !value.empty())
      out.add({std::string(keys[i]), value});
  return out;
}

void write_method_page(const SiteContents& contents, const SiteMethod& method,
                       const std::string& address, const SiteSink& sink) {
  const auto& [kind, id] = method;
  const auto known = contents.options.plugins.find(method);
  const bool here = known != contents.options.plugins.end();
  const auto scores = scores_of(contents, method);
  SitePage page(contents.options, address, id);
  page.add("<p class=\"question\">" + html_text(here ? known->second.summary : kind) + "</p>\n");
  if (const std::string picture = picture_of(contents, scores); !picture.empty())
    page.heading("How it explains a sample, and what its twins say")
        .paragraph(
            "The bias and each concept's share of the logit, from the sample that it explains "
            "worst; the dashed line is the model's own logit.")
        .add(picture);
  page.heading("Scores").table(score_table(contents, scores, true));
  page.list("below", {marks_legend()});
  add_how_to_run(page, contents, method, scores);
  page.heading("The plugin");
  if (here)
    page.add("<div class=\"facts\">")
        .table({"facts", "What it says of itself, with licence and citation", known->second.facts})
        .add("</div>\n")
        .table({"parameters", "Its parameters", without_empty_columns(known->second.parameters)});
  else
    page.paragraph("It is not installed where this page was written; this is what the store knows:")
        .add("<div class=\"facts\">")
        .table({"facts", "What it said of itself when it was run",
                stored_facts(contents.store, method)})
        .add("</div>\n");
  page.write(sink);
}

}  // namespace

void write_method_pages(const SiteContents& contents, const SiteSink& sink) {
  SitePage all(contents.options, "methods.html", "Methods");
  for (const auto& [wanted, caption] :
       {std::pair("explainer", "Explainers"), {"model", "Models that have concepts or codes"}}) {
    SiteTable table{wanted + std::string("s"),
                    caption,
                    {{Column::text("method"), Column::text("summary"), Column::text("licence"),
                      Column::text("studies")},
                     {}}};
    for (const auto& [method, page] : contents.methods) {
      if (method.first != wanted) continue;
      const auto known = contents.options.plugins.find(method);
      const SitePlugin plugin =
          known == contents.options.plugins.end() ? SitePlugin() : known->second;
      std::set<std::string> studies;
      for (const SiteScore* score : scores_of(contents, method))
        studies.insert(contents.studies[score->study].run.name);
      table.table.add({method.second, plugin.summary, plugin.licence,
                       listed({studies.begin(), studies.end()})});
      table.links[{"method", method.second}] = page;
      write_method_page(contents, method, page, sink);
    }
    all.table(table);
  }
  all.write(sink);
}

}  // namespace conoscope::results
