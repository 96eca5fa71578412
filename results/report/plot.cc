// SPDX-License-Identifier: Apache-2.0
#include "results/report/plot.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "results/formats/human_text.h"
#include "results/formats/utf8.h"
#include "results/report/page.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

struct Mark {
  std::size_t series = 0;
  double at = 0, low = 0, high = 0;  ///< low and high are at where there is no interval
};

struct Row {
  std::string label;
  std::vector<Mark> marks;
};

struct Plot {
  std::vector<std::string> series;  ///< more than one has a legend
  std::vector<Row> rows;
  std::string axis;
  bool zero = false;
};

std::optional<double> real(const Field& field) {
  const auto* value = std::get_if<double>(&field);
  return value != nullptr && std::isfinite(*value) ? std::optional(*value) : std::nullopt;
}

std::optional<std::size_t> column(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// The text and whole-number columns in which rows differ, except for what is said of a number.
std::vector<std::string> labels_of(const Table& table) {
  const std::set<std::string> kept_out = {"rank",   "verdict", "better", "pairs",
                                          "needed", "n_a",     "n_b",    "message"};
  std::vector<std::string> out(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& at = table.columns[c];
    if (kept_out.contains(at.name) ||
        (at.type != ColumnType::kText && at.type != ColumnType::kInteger))
      continue;
    std::vector<std::string> texts;
    for (const auto& row : table.rows) texts.push_back(human_text(row[c], at));
    if (table.rows.size() > 1 &&
        std::ranges::all_of(texts, [&](const auto& text) { return text == texts.front(); }))
      continue;
    for (std::size_t r = 0; r < out.size(); ++r) out[r] += (out[r].empty() ? "" : ", ") + texts[r];
  }
  return out;
}

Plot plot_of(const Table& table) {
  Plot out;
  const auto labels = labels_of(table);
  for (const std::string& label : labels) out.rows.push_back({label, {}});
  const auto difference = column(table, "difference"), low = column(table, "low"),
             high = column(table, "high"), value = column(table, "value");
  if (difference && low && high) {
    out.axis = "difference";
    out.zero = true;
    out.series = {"difference"};
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      if (const auto at = real(table.rows[r][*difference]))
        out.rows[r].marks.push_back({0, *at, real(table.rows[r][*low]).value_or(*at),
                                     real(table.rows[r][*high]).value_or(*at)});
  } else {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].type != ColumnType::kEstimate) continue;
      for (std::size_t r = 0; r < table.rows.size(); ++r)
        if (const auto* of = std::get_if<Estimate>(&table.rows[r][c]); of != nullptr && of->n > 0) {
          const double half = of->half_width.value_or(0.0);
          out.rows[r].marks.push_back(
              {out.series.size(), of->mean, of->mean - half, of->mean + half});
        }
      out.series.push_back(table.columns[c].name);
    }
    if (out.series.empty() && value) {
      out.series = {"value"};
      for (std::size_t r = 0; r < table.rows.size(); ++r)
        if (const auto at = real(table.rows[r][*value]))
          out.rows[r].marks.push_back({0, *at, *at, *at});
    }
    if (!out.series.empty()) out.axis = out.series.front();
  }
  if (std::ranges::none_of(out.rows, [](const Row& row) { return !row.marks.empty(); }))
    throw std::invalid_argument("plot: there is no number to draw");
  return out;
}

/// 1, 2 or 5 times a power of ten, about a sixth of the range.
double nice_step(double range) {
  const double rough = range / 6.0, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0})
    if (rough <= times * power) return times * power;
  return 10.0 * power;
}

/// Not printf, which follows the locale.
std::string decimal(double value, std::chars_format format, int digits) {
  char text[352];  // the longest: 309 digits before the point
  const auto end = std::to_chars(text, text + sizeof text, value, format, digits);
  return {text, end.ptr};
}

constexpr const char* kColours[] = {"#2b7bba", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a"};

/// The shape says the series as well as the colour does.
std::string mark_svg(std::size_t series, double x, double y, const std::string& label) {
  const std::string colour = kColours[series % std::size(kColours)];
  std::string shape;
  if (series == 0)
    shape = "<circle r=\"4.5\"" + svg_attribute("cx", x) + svg_attribute("cy", y) + " fill=\"" +
            colour + "\"";
  else if (series % 2 == 1)
    shape = "<path d=\"M" + svg_number(x) + " " + svg_number(y - 5) +
            "l5 5-5 5-5-5z\" fill=\"none\" " + "stroke-width=\"1.6\" stroke=\"" + colour + "\"";
  else
    shape = "<rect width=\"8\" height=\"8\"" + svg_attribute("x", x - 4) +
            svg_attribute("y", y - 4) + " fill=\"none\" stroke-width=\"1.6\" stroke=\"" + colour +
            "\"";
  const std::string name = shape.substr(1, shape.find(' ') - 1);
  return shape + "><title>" + html_text(label) + "</title></" + name + ">\n";
}

/// So that long names leave room for the points; the title of a row has all of it.
std::string shortened(const std::string& label) {
  constexpr int kMost = 48;  // columns of display_width
  std::string out;
  for (std::string_view rest = label; !rest.empty();) {
    std::string longer = out;
    append_character(longer, take_character(rest));
    if (display_width(longer) > kMost) return out + "...";
    out = std::move(longer);
  }
  return out;
}

/// The numbers that the axis runs over.
struct Range {
  double low = INFINITY, high = -INFINITY, step = 0;
};

/// throws  std::invalid_argument: the numbers are too far apart
Range range_of(const Plot& plot) {
  Range out;
  for (const Row& row : plot.rows)
    for (const Mark& mark : row.marks) {
      out.low = std::min({out.low, mark.low, mark.at});
      out.high = std::max({out.high, mark.high, mark.at});
    }
  if (plot.zero) {
    out.low = std::min(out.low, 0.0);
    out.high = std::max(out.high, 0.0);
  }
  if (out.low == out.high) {  // all alike: room on both sides
    const double room = out.low == 0.0 ? 1.0 : std::abs(out.low) / 2.0;
    out.low -= room;
    out.high += room;
  }
  if (!std::isfinite(out.high - out.low))
    throw std::invalid_argument("plot: the numbers are too far apart");
  out.step = nice_step(out.high - out.low);
  out.low = std::floor(out.low / out.step) * out.step;
  out.high = std::ceil(out.high / out.step) * out.step;
  return out;
}

constexpr double kWidth = 760, kRow = 24, kTop = 44;  // of the picture, a row, what is above them

/// A plot's parts, each where its numbers put it.
class Drawing {
 public:
  Drawing(const Plot& plot, const std::string& ink)
      : plot_(plot), ink_(ink), range_(range_of(plot)) {
    int longest = 8;
    for (const Row& row : plot.rows)
      longest = std::max(longest, display_width(shortened(printable(row.label))));
    left_ = 16.0 + 7.5 * longest;  // pixels of a character, in the widest of the fonts
    bottom_ = kTop + kRow * static_cast<double>(plot.rows.size());
  }

  double height() const {
    const double legend =
        plot_.series.size() > 1 ? 20.0 * static_cast<double>(plot_.series.size()) : 0;
    return bottom_ + 48.0 + legend;
  }

  std::string axis() const {
    std::string out;
    const auto steps = static_cast<int>(std::lround((range_.high - range_.low) / range_.step));
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(range_.step) + 1e-9)));
    for (int i = 0; i <= steps; ++i) {
      const double value = range_.low + range_.step * i, x = x_of(value);
      out += svg_line(x, kTop, x, bottom_, " stroke=\"" + ink_ + "\" stroke-opacity=\"0.12\"");
      const std::string text = digits > 6 || std::abs(value) >= 1e6
                                   ? decimal(value, std::chars_format::general, 3)
                                   : decimal(value, std::chars_format::fixed, digits);
      out += svg_text(x, bottom_ + 16.0, "middle", text);
    }
    if (plot_.zero)
      out += svg_line(x_of(0.0), kTop, x_of(0.0), bottom_,
                      " stroke=\"" + ink_ + "\" stroke-dasharray=\"4 3\"");
    return out + svg_text((left_ + kRight) / 2.0, bottom_ + 36.0, "middle", plot_.axis);
  }

  std::string rows() const {
    std::string out;
    for (std::size_t r = 0; r < plot_.rows.size(); ++r) {
      const Row& row = plot_.rows[r];
      const double y = kTop + kRow * (static_cast<double>(r) + 0.5);
      out += svg_text(left_ - 10.0, y + 4.0, "end", shortened(printable(row.label)));
      if (row.marks.empty()) out += svg_text(left_ + 6.0, y + 4.0, "start", "no number");
      for (const Mark& mark : row.marks) {
        if (mark.low < mark.high)
          out += svg_line(x_of(mark.low), y, x_of(mark.high), y,
                          std::string(" stroke-width=\"1.6\" stroke=\"") +
                              kColours[mark.series % std::size(kColours)] + "\"");
        out += mark_svg(mark.series, x_of(mark.at), y,
                        row.label + ", " + plot_.series[mark.series] + ": " +
                            human_text(mark.at, {.name = "", .type = ColumnType::kReal}));
      }
    }
    return out;
  }

  std::string legend() const {
    std::string out;
    for (std::size_t s = 0; s < plot_.series.size() && plot_.series.size() > 1; ++s) {
      const double y = bottom_ + 58.0 + 20.0 * static_cast<double>(s);
      out += mark_svg(s, left_ + 6.0, y, plot_.series[s]);
      out += svg_text(left_ + 18.0, y + 4.0, "start", plot_.series[s]);
    }
    return out;
  }

 private:
  static constexpr double kRight = kWidth - 24.0;

  double x_of(double value) const {
    return left_ + (kRight - left_) * (value - range_.low) / (range_.high - range_.low);
  }

  const Plot& plot_;
  const std::string& ink_;
  const Range range_;
  double left_ = 0, bottom_ = 0;  ///< where the names end, and the rows
};

std::string svg_of(const Table& table, const std::string& title, const std::string& ink,
                   const std::string& paper) {
  const Plot plot = plot_of(table);
  const Drawing drawing(plot, ink);
  std::string out = svg_begin(kWidth, drawing.height(), title, ink);
  if (!paper.empty()) out += "<rect width=\"100%\" height=\"100%\" fill=\"" + paper + "\"/>\n";
  out += "<text x=\"16\" y=\"22\" font-size=\"14\">" + html_text(title) + "</text>\n";
  return out + drawing.axis() + drawing.rows() + drawing.legend() + "</svg>\n";
}

}  // namespace

std::string plot_svg(const Table& table, const std::string& title) {
  return svg_of(table, title, "#1b1f24", "#fff");
}

std::string plot_inline(const Table& table, const std::string& title) {
  return svg_of(table, title, "currentColor", "");
}

std::string plot_html(const Table& table, const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
         "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<meta name=viewport content=\"width=device-width, "
         "initial-scale=1\">\n<title>" +
         html_text(title) +
         "</title>\n<style>:root { color-scheme: light dark; } svg { max-width: 100%; height: "
         "auto; "
         "}</style>\n</head>\n<body>\n" +
         plot_inline(table, title) + "</body>\n</html>\n";
}

}  // namespace conoscope::results
