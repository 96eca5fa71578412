// SPDX-License-Identifier: Apache-2.0
#include "results/report/attacks.h"

#include <algorithm>
#include <cmath>

#include "results/formats/numbers.h"
#include "results/report/shown_summaries.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

constexpr double kImage = 120, kGap = 12, kNames = 420, kBars = 500, kBarsEnd = 700, kWidth = 830;
constexpr double kRow = 30, kBar = 8;
constexpr const char* kBefore = "#8a8a8a";
constexpr const char* kAfter = "#d55e00";

/// A number before and after.
struct Pair {
  std::string name;
  double before = 0.0, after = 0.0;
};

std::vector<Pair> pairs_of(const ShownSummary& of, std::size_t row) {
  std::vector<Pair> out = {{"bias", of.number(row, "bias"), of.number(row, "bias")}};
  for (int t = 0; t < 6; ++t) {
    const std::string place = "_" + std::to_string(t);
    if (std::isnan(of.number(row, "concept" + place))) continue;
    out.push_back({"concept " + of.text(row, "concept" + place), of.number(row, "before" + place),
                   of.number(row, "after" + place)});
  }
  const Pair rest{"all others", of.number(row, "rest_before"), of.number(row, "rest_after")};
  if (rest.before != 0.0 || rest.after != 0.0) out.push_back(rest);
  out.push_back(
      {"surrogate", of.number(row, "surrogate_logit"), of.number(row, "moved_surrogate_logit")});
  out.push_back({"model", of.number(row, "logit"), of.number(row, "moved_logit")});
  return out;
}

std::string images_svg(const ShownSummary& of, std::size_t row, PictureSheet& sheet) {
  std::string out;
  double x = 0.0;
  const auto add = [&](const Picture& picture, const std::string& name) {
    out += sheet.use(picture, x, 0, kImage) + svg_text(x, kImage + 15.0, "start", name);
    x += kImage + kGap;
  };
  const auto before = of.data.picture
                          ? of.data.picture(static_cast<std::int64_t>(of.number(row, "sample")))
                          : std::nullopt;
  if (before) add(*before, "before");
  add(of.picture(row, "moved_pixel"), "after");
  add(of.picture(row, "difference_pixel"),
      "the change, ± " + digits_text(100.0 * of.number(row, "epsilon"), 2) + " %");
  return out;
}

std::string attack_svg(const ShownSummary& of, std::size_t row, PictureSheet& sheet) {
  const std::vector<Pair> pairs = pairs_of(of, row);
  double low = 0.0, high = 0.0;
  for (const Pair& pair : pairs) {
    low = std::min({low, pair.before, pair.after});
    high = std::max({high, pair.before, pair.after});
  }
  if (low == high) high += 1.0;
  const auto at = [&](double value) {
    return kBars + (kBarsEnd - kBars) * (value - low) / (high - low);
  };
  const auto bar = [&](double value, double y, const char* kind, const char* colour) {
    const double left = at(std::min(value, 0.0)), right = at(std::max(value, 0.0));
    return std::string("<rect class=\"") + kind + "\" data-value=\"" + shortest_text(value) + "\"" +
           svg_attribute("x", left) + svg_attribute("y", y) +
           svg_attribute("width", std::max(right - left, 1.0)) + svg_attribute("height", kBar) +
           " fill=\"" + colour + "\"/>\n";
  };
  std::string out = images_svg(of, row, sheet);
  double y = 0.0;
  for (const Pair& pair : pairs) {
    out += svg_text(kNames, y + 17.0, "start", pair.name) +
           bar(pair.before, y + 4.0, "before", kBefore) +
           bar(pair.after, y + 4.0 + kBar, "after", kAfter) +
           svg_text(kWidth, y + 17.0, "end",
                    digits_text(pair.before, 3) + " → " + digits_text(pair.after, 3));
    y += kRow;
  }
  out += svg_line(at(0.0), 0, at(0.0), y, " stroke=\"currentColor\"");
  const double noise = of.number(row, "by_noise");
  double line = kImage + 44.0;
  const auto say = [&](const std::string& text) {
    out += svg_text(0, line, "start", text);
    line += 17.0;
  };
  say("test sample " + of.text(row, "sample") + ", class " + of.name(row, "output") +
      " before and after");
  say("contributions moved by " + digits_text(of.number(row, "change"), 3) +
      (noise > 0.0 ? ", " + digits_text(of.number(row, "change") / noise, 2) + " times noise"
                   : ""));
  say("grey: before, coloured: after");
  return svg_begin(
             kWidth, std::max(y, line) + 8.0,
             "Test sample " + of.text(row, "sample") + " under attack, explained by " + of.method,
             "currentColor") +
         out + "</svg>\n";
}

}  // namespace

std::string attacks_html(const ReportContext& context) {
  PageDrawings drawings("attacked", "Sample");
  for (const ShownSummary& one : shown_summaries(context, "attacked_samples"))
    for (std::size_t r = 0; r < one.rows(); ++r)
      drawings.add(one.keys, one.method,
                   one.name(r, "output") + ": test sample " + one.text(r, "sample"),
                   attack_svg(one, r, context.sheet));
  if (drawings.empty()) return {};
  return "<div class=part><h3>What does a change that the model does not notice do?</h3>\n<p>A "
         "sample before and after the worst change of its input that was found among those under "
         "which no logit moves further than noise moves it; the change itself, stretched to the "
         "full range of grey; and each concept's contribution before and after, those that "
         "change most first.</p>\n" +
         drawings.html() + "</div>\n";
}

}  // namespace conoscope::results
