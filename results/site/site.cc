// SPDX-License-Identifier: Apache-2.0
#include "results/site/site.h"

#include "results/formats/json.h"
#include "results/formats/utf8.h"
#include "results/report/embedded.h"
#include "results/site/contents.h"

namespace conoscope::results {

namespace {

/// The search's index, as a script: a page from a file may not fetch JSON.
std::string search_script(const SiteContents& contents) {
  Table pages{
      {Column::text("kind"), Column::text("name"), Column::text("page"), Column::text("about")},
      {}};
  for (const SiteStudy& study : contents.studies)
    pages.add(
        {std::string("study"), printable(study.run.name), study.page, printable(study.question)});
  for (const auto& [method, page] : contents.methods) {
    const auto known = contents.options.plugins.find(method);
    pages.add({method.first, printable(method.second), page,
               known == contents.options.plugins.end() ? std::string()
                                                       : printable(known->second.summary)});
  }
  for (const auto& [name, metric] : contents.metrics)
    pages.add({std::string("metric"), printable(name), metric.page, printable(metric.question)});
  std::string out = "const conoscopePages = [";
  for (std::size_t i = 0; i < pages.rows.size(); ++i)
    out += (i == 0 ? "\n" : ",\n") + json_object(pages, pages.rows[i]);
  return out + "\n];\n";
}

}  // namespace

void write_site(Store& store, const SiteOptions& options, const SiteSink& sink) {
  const SiteContents contents = site_contents(store, options);
  sink("style.css",
       std::string(embedded_text("page.css")) + std::string(embedded_text("site.css")));
  sink("site.js", embedded_text("site.js"));
  sink("search.js", search_script(contents));
  write_front_page(contents, sink);
  write_study_pages(contents, sink);
  write_method_pages(contents, sink);
  write_metric_pages(contents, sink);
}

}  // namespace conoscope::results
