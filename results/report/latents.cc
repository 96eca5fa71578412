// SPDX-License-Identifier: Apache-2.0
#include "results/report/latents.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "results/formats/numbers.h"
#include "results/report/shown_summaries.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

/// One line of the picture: what is held, and the points along the factor that is changed.
struct Line {
  std::string role, held;
  std::size_t place = 0;  ///< among the held values, from 1; 0: none is held
  std::vector<JsonObject> points;
  double low = INFINITY, high = -INFINITY;
};

void add_effects(PageTable& table, const ShownSummary& of) {
  std::map<std::tuple<double, double, double>, Line> lines;  // latent, factor, held
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const bool own = of.number(r, "factor") == of.number(r, "parent");
    Line& line = lines[{of.number(r, "latent"), of.number(r, "factor"),
                        own ? -INFINITY : of.number(r, "held")}];
    line.role = own ? "its own" : "factor " + of.name(r, "parent");
    line.held = own ? "-" : of.text(r, "held");
    const double mean = of.number(r, "mean"), deviation = of.number(r, "deviation");
    line.low = std::min(line.low, mean);
    line.high = std::max(line.high, mean);
    JsonObject point;
    point.add("value", of.field(r, "value")).add("mean", mean);
    if (!std::isnan(deviation)) point.add("low", mean - deviation).add("high", mean + deviation);
    line.points.push_back(std::move(point));
  }
  std::map<std::pair<double, double>, std::size_t> places;
  for (auto& [key, line] : lines) {
    const auto [latent, factor, held] = key;
    if (line.held != "-") line.place = ++places[{latent, factor}];
    const std::string changed = CellData::name(of.data.factors, factor);
    table.add({of.method, real_text(latent), changed, line.role, line.held,
               std::to_string(line.points.size()), real_text(line.low), real_text(line.high)},
              JsonObject()
                  .add("method", of.method)
                  .add("latent", latent)
                  .add("factor", changed)
                  .add("held", line.held)
                  .add("order", line.place == 0 ? std::string("none") : std::to_string(line.place))
                  .add("marks", line.points));
  }
}

/// The outline of each violin, as wide as its density says: values of a factor stand in their order.
void add_violins(PageTable& table, const ShownSummary& of) {
  constexpr double kHalfWidth = 0.45;
  std::size_t points = 0;
  for (const std::string& column : of.shape.columns) points += column.starts_with("density_");
  std::map<std::pair<double, double>, std::vector<std::size_t>> panels;
  for (std::size_t r = 0; r < of.rows(); ++r)
    panels[{of.number(r, "latent"), of.number(r, "factor")}].push_back(r);
  for (const auto& [key, rows] : panels) {
    std::vector<std::vector<double>> densities;
    double largest = 0.0;
    for (const std::size_t r : rows) {
      std::vector<double>& density = densities.emplace_back();
      for (std::size_t p = 0; p < points; ++p) {
        density.push_back(of.number(r, "density_" + std::to_string(p)));
        if (density.back() > largest) largest = density.back();
      }
    }
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const std::size_t r = rows[place];
      const double low = of.number(r, "low"), high = of.number(r, "high");
      std::vector<JsonObject> outline;
      for (std::size_t p = 0; p < points && largest > 0.0; ++p) {
        const double density = densities[place][p];
        if (std::isnan(density)) break;  // a single code: a line without a width
        const double half = kHalfWidth * density / largest, at = static_cast<double>(place);
        const double step = (high - low) / static_cast<double>(points - 1);
        outline.push_back(JsonObject()
                              .add("at", low + step * static_cast<double>(p))
                              .add("left", at - half)
                              .add("right", at + half)
                              .add("density", density));
      }
      if (outline.empty())
        for (const double half : {-0.1, 0.1})
          outline.push_back(JsonObject()
                                .add("at", low)
                                .add("left", static_cast<double>(place) - std::abs(half))
                                .add("right", static_cast<double>(place) + half));
      const std::string factor = CellData::name(of.data.factors, key.second);
      table.add({of.method, real_text(key.first), factor, of.text(r, "value"), real_text(low),
                 real_text(high)},
                JsonObject()
                    .add("method", of.method)
                    .add("latent", key.first)
                    .add("factor", factor)
                    .add("of", of.text(r, "value"))
                    .add("marks", outline));
    }
  }
}

/// A line of images: samples and their reconstructions, then one for each latent that is moved.
std::string traversals_svg(const ShownSummary& of, PictureSheet& sheet) {
  constexpr double kNames = 110, kSide = 64, kGap = 6, kText = 18, kWidth = 610;
  std::string out;
  double y = 0.0;
  const auto name = [&](const std::string& text) {
    out += svg_text(0, y + kSide / 2.0 + 4.0, "start", text);
  };
  const auto place = [](std::size_t step) {
    return kNames + (kSide + kGap) * static_cast<double>(step);
  };
  std::size_t row = 0;
  if (of.data.picture) {
    name("samples");
    for (std::size_t r = 0; r < of.rows() && std::isnan(of.number(r, "latent")); ++r)
      if (const auto picture = of.data.picture(static_cast<std::int64_t>(of.number(r, "sample"))))
        out += sheet.use(*picture, place(r), y, kSide);
    y += kSide + kGap;
  }
  name("reconstructed");
  for (; row < of.rows() && std::isnan(of.number(row, "latent")); ++row)
    out += sheet.use(of.picture(row, "pixel"), place(row), y, kSide);
  y += kSide + kGap;
  while (row < of.rows()) {
    const double latent = of.number(row, "latent");
    name("latent " + real_text(latent));
    for (std::size_t step = 0; row < of.rows() && of.number(row, "latent") == latent;
         ++row, ++step) {
      out += sheet.use(of.picture(row, "pixel"), place(step), y, kSide);
      out += svg_text(place(step) + kSide / 2.0, y + kSide + 13.0, "middle",
                      digits_text(of.number(row, "value"), 2));
    }
    y += kSide + kGap + kText;
  }
  return svg_begin(kWidth, y, "Reconstructions and traversals of " + of.method, "currentColor") +
         out + "</svg>\n";
}

std::string traversals_html(const ReportContext& context) {
  PageDrawings drawings("traversals", "Seed");
  for (const ShownSummary& one : shown_summaries(context, "latent_traversals"))
    drawings.add(one.keys, one.method, std::to_string(one.cell.seed),
                 traversals_svg(one, context.sheet));
  if (drawings.empty()) return {};
  return "<div class=part><h3>What does a latent change?</h3>\n<p>Samples and what the decoder "
         "makes of "
         "their codes; below, the first of them with one latent moved from its 2 % to its 98 % "
         "quantile, the others as they are.</p>\n" +
         drawings.html() + "</div>\n";
}

}  // namespace

std::string latents_html(const ReportContext& context) {
  std::string html = traversals_html(context);
  PageTable effects(
      "effect-table", "Mean of a latent over one factor, its own factor held at a value",
      {kMethodColumn, PageColumn("latent", "latent"), PageColumn("changed factor", "factor"),
       "held", "at", "values", "least mean", "largest mean"});
  add_summaries(effects, context, "interventional_effect", add_effects);
  if (!effects.empty())
    html +=
        "<div class=part><h3>Does a latent keep still while its own factor does?</h3>\n<p>The "
        "factor that a latent "
        "depends on is held at a value, a line for each, and another one is changed: flat lines "
        "are "
        "robust. In the column of its own factor: the mean, and one standard deviation to both "
        "sides.</p>\n" +
        figure_of_one_html("effect", effects.id()) + effects.folded_html() + "</div>\n";
  PageTable violins("violin-table", "Where a latent's codes lie, for each value of each factor",
                    {kMethodColumn, PageColumn("latent", "latent"), PageColumn("factor", "factor"),
                     PageColumn("value", "of"), "smallest code", "largest code"});
  add_summaries(violins, context, "latent_violin", add_violins);
  if (!violins.empty())
    html +=
        "<div class=part><h3>How is a latent spread?</h3>\n<p>The density of a latent for each "
        "value of a "
        "factor, in their order; nothing is held.</p>\n" +
        figure_of_one_html("violin", violins.id()) + violins.folded_html() + "</div>\n";
  return html;
}

}  // namespace conoscope::results
