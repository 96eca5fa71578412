// SPDX-License-Identifier: Apache-2.0
#include "harness/app/plot_option.h"

#include <algorithm>

#include "harness/app/command.h"
#include "harness/app/text_file.h"
#include "results/report/plot.h"

namespace conoscope::app {

void add_plot(Options& options) {
  options.text("plot", "FILE",
               "draw it, too: FILE.svg, or FILE.html, a page with the picture alone");
}

void write_plot(const Options& options, const results::Table& table, const std::string& title) {
  if (!options.has("plot")) return;
  const std::filesystem::path path = options.get<std::string>("plot");
  const bool page = path.extension() == ".html";
  if (!page && path.extension() != ".svg")
    throw UsageError("--plot " + path.string() + ": a name that ends with .svg or .html");
  const auto metric = std::ranges::find(table.columns, "metric", &results::Column::name);
  if (metric != table.columns.end()) {
    const auto at = static_cast<std::size_t>(metric - table.columns.begin());
    const auto name = [at](const std::vector<results::Field>& row) {
      const auto* text = std::get_if<std::string>(&row[at]);
      return text == nullptr ? std::string() : *text;
    };
    if (std::ranges::any_of(table.rows,
                            [&](const auto& row) { return name(row) != name(table.rows[0]); }))
      throw UsageError("--plot: metrics share no axis; choose one with -m NAME");
  }
  try {
    replace_file(path, page ? results::plot_html(table, title) : results::plot_svg(table, title));
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string("--plot: ") + e.what());
  }
}

}  // namespace conoscope::app
