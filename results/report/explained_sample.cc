// SPDX-License-Identifier: Apache-2.0
#include "results/report/explained_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "results/formats/numbers.h"
#include "results/formats/utf8.h"
#include "results/report/page.h"
#include "results/report/svg.h"

namespace conoscope::results {

namespace {

constexpr double kWidth = 720, kImage = 140, kRow = 36, kThumb = 34, kHead = 40, kFoot = 34;
constexpr double kNames = 170, kBars = 330, kBarsEnd = 640;  // where names begin, and bars
constexpr const char* kMore = "#2b7bba";
constexpr const char* kLess = "#d55e00";
constexpr const char* kOutline = "#ff8c1a";

double at(const std::vector<double>& values, std::size_t row, const SummaryShape& shape,
          std::string_view column) {
  const auto found = std::ranges::find(shape.columns, column);
  if (found == shape.columns.end())
    throw std::logic_error(shape.name + " has no column " + std::string(column));
  return values[row * shape.columns.size() +
                static_cast<std::size_t>(found - shape.columns.begin())];
}

/// "+0.42"
std::string signed_text(double value) {
  const std::string text = digits_text(value, 3);
  return value >= 0.0 ? "+" + text : text;
}

std::string share_text(double share) {
  return std::isnan(share) ? "" : " (p " + digits_text(share, 2) + ")";
}

/// Where logits stand: all that is added up, on one scale.
class Axis {
 public:
  explicit Axis(const std::vector<ExplainedPanel>& panels) {
    for (const ExplainedPanel& panel : panels) {
      double sum = panel.of.bias;
      note(sum);
      for (const ConceptTerm& term : panel.of.terms) note(sum += term.contribution);
      note(panel.of.logit);
      note(panel.of.surrogate_logit);
    }
    if (low_ == high_) high_ += 1.0;
  }
  double x(double value) const {
    return kBars + (kBarsEnd - kBars) * (value - low_) / (high_ - low_);
  }

 private:
  void note(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double low_ = 0.0, high_ = 0.0;
};

class Drawing {
 public:
  Drawing(const std::vector<ExplainedPanel>& panels, const CellData& data, PictureSheet& sheet)
      : panels_(panels), sheet_(sheet), axis_(panels), data_(data) {
    if (data.picture) picture_ = data.picture(panels[0].of.sample);
    for (const ExplainedPanel& panel : panels_)
      height_ += kHead + kRow * static_cast<double>(panel.of.terms.size() + 3);
    height_ = std::max(height_, picture_ ? kImage + 80.0 : 80.0) + kFoot;
  }

  double height() const { return height_; }

  std::string sample() const {
    const ExplainedSample& of = panels_[0].of;
    std::string out;
    double y = 16.0;
    if (picture_) {
      out += sheet_.use(*picture_, 0, 0, kImage);
      y += kImage;
    }
    const auto line = [&](const std::string& text, const std::string& more = "") {
      out += svg_text(0, y, "start", text, more);
      y += 17.0;
    };
    line("test sample " + std::to_string(of.sample));
    if (!std::isnan(of.label)) line("label: " + class_name(of.label));
    line("model: " + class_name(static_cast<double>(of.output)) + share_text(of.probability),
         " font-weight=\"600\"");
    return out;
  }

  std::string panels() const {
    std::string out;
    double y = 0.0;
    for (const ExplainedPanel& panel : panels_) out += panel_svg(panel, y);
    return out + svg_text((kBars + kBarsEnd) / 2.0, y + 20.0, "middle",
                          "logit of " + class_name(static_cast<double>(panels_[0].of.output)));
  }

 private:
  std::string class_name(double number) const {
    return shortened(CellData::name(data_.classes, number), 18);
  }

  /// A row's name, its bar from one logit to another, and its number.
  std::string row(double y, const std::string& name, double from, double to,
                  const std::string& number, const std::string& kind,
                  const std::string& colour) const {
    const double left = axis_.x(std::min(from, to)), right = axis_.x(std::max(from, to));
    return svg_text(kNames + kThumb + 8.0, y + 22.0, "start", name) + "<rect class=\"" + kind +
           "\" data-from=\"" + shortest_text(from) + "\" data-to=\"" + shortest_text(to) + "\"" +
           svg_attribute("x", left) + svg_attribute("y", y + 8.0) +
           svg_attribute("width", std::max(right - left, 1.0)) +
           svg_attribute("height", kRow - 16.0) + " fill=\"" + colour + "\"/>\n" +
           svg_text(kWidth, y + 22.0, "end", number);
  }

  std::string fired(const ConceptTerm& term, double y) const {
    if (!picture_ || term.fired.empty()) return "";
    const double top = y + (kRow - kThumb) / 2.0;
    return sheet_.use(*picture_, kNames, top, kThumb) +
           outline_svg(fired_outline(term.fired, kNames, top, kThumb), 1.2);
  }

  std::string panel_svg(const ExplainedPanel& panel, double& y) const {
    const ExplainedSample& of = panel.of;
    std::string out = "<g class=\"panel\" data-title=\"" + html_text(panel.title) + "\">\n";
    out += svg_text(kNames, y + 16.0, "start", shortened(panel.title, 40), " font-weight=\"600\"");
    out += svg_text(kNames, y + 32.0, "start",
                    "its surrogate: " + class_name(static_cast<double>(of.surrogate_output)) +
                        (of.surrogate_output == of.output ? share_text(of.surrogate_probability)
                                                          : ", not the model's answer"));
    y += kHead;
    const double top = y;
    double sum = of.bias;
    out += row(y, "bias", 0.0, sum, signed_text(of.bias), "bias", "#8a8a8a");
    for (const ConceptTerm& term : of.terms) {
      y += kRow;
      const double next = sum + term.contribution;
      const std::string name = term.concept_id ? "concept " + std::to_string(*term.concept_id)
                               : of.terms.size() == 1 ? "no concept"
                                                      : "all others";
      out += fired(term, y);
      out += row(y, name, sum, next, signed_text(term.contribution), "term",
                 term.contribution >= 0.0 ? kMore : kLess);
      sum = next;
    }
    y += kRow;
    out += row(y, "surrogate", 0.0, of.surrogate_logit, digits_text(of.surrogate_logit, 3),
               "surrogate", "currentColor");
    y += kRow;
    out += row(y, "model", 0.0, of.logit, digits_text(of.logit, 3), "model", "#8a8a8a");
    y += kRow;
    out += svg_line(axis_.x(0.0), top, axis_.x(0.0), y, " stroke=\"currentColor\"");
    out += svg_line(axis_.x(of.logit), top, axis_.x(of.logit), y,
                    " stroke=\"currentColor\" stroke-dasharray=\"3 3\"");
    return out + "</g>\n";
  }

  const std::vector<ExplainedPanel>& panels_;
  PictureSheet& sheet_;
  Axis axis_;
  const CellData& data_;
  std::optional<Picture> picture_;
  double height_ = 0.0;
};

/// A grid's value between its positions, which stand in the middle of their squares.
double between(const FiredGrid& grid, double row, double column) {
  const auto last = static_cast<double>(grid.size() - 1);
  row = std::clamp(row, 0.0, last);
  column = std::clamp(column, 0.0, last);
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
  const std::size_t below = std::min(r + 1, grid.size() - 1),
                    right = std::min(c + 1, grid.size() - 1);
  const double down = row - static_cast<double>(r), across = column - static_cast<double>(c);
  return (grid[r][c] * (1.0 - across) + grid[r][right] * across) * (1.0 - down) +
         (grid[below][c] * (1.0 - across) + grid[below][right] * across) * down;
}

}  // namespace

std::string CellData::name(const std::vector<std::string>& names, double number) {
  const auto place = static_cast<std::size_t>(number);
  return number >= 0.0 && place < names.size() ? names[place]
                                               : std::to_string(static_cast<std::int64_t>(number));
}

std::string outline_svg(const std::string& path, double width) {
  if (path.empty()) return "";
  return "<path class=\"fired\" d=\"" + path + "\" fill=\"none\" stroke=\"#fff\"" +
         svg_attribute("stroke-width", 2.0 * width) + "/><path d=\"" + path +
         "\" fill=\"none\" stroke=\"" + kOutline + "\"" + svg_attribute("stroke-width", width) +
         "/>\n";
}

std::string shortened(const std::string& text, int most) {
  if (display_width(text) <= most) return text;
  std::string out;
  for (std::string_view rest = text; display_width(out) < most - 1;)
    append_character(out, take_character(rest));
  return out + "…";
}

FiredGrid fired_grid(const std::vector<double>& packed_rows) {
  FiredGrid out;
  for (const double packed : packed_rows)
    if (!std::isnan(packed)) out.emplace_back();
  for (std::size_t r = 0; r < out.size(); ++r) {
    auto levels = static_cast<std::uint64_t>(std::clamp(packed_rows[r], 0.0, 0x1p48 - 1.0));
    for (std::size_t c = 0; c < out.size(); ++c, levels /= 64)
      out[r].push_back(static_cast<double>(levels % 64) / 63.0);
  }
  return out;
}

std::string fired_outline(const FiredGrid& grid, double x, double y, double side) {
  if (grid.empty()) return "";
  constexpr std::size_t kFiner = 4;
  const std::size_t cells = grid.size() * kFiner;
  const auto fires = [&](std::size_t r, std::size_t c) {
    if (r >= cells || c >= cells) return false;
    const auto place = [](std::size_t cell) {
      return (static_cast<double>(cell) + 0.5) / kFiner - 0.5;
    };
    return between(grid, place(r), place(c)) >= 0.5;
  };
  const double step = side / static_cast<double>(cells);
  std::string out;
  // The edges between cells that fire and cells that do not, along each line of either direction.
  for (const bool across : {true, false})
    for (std::size_t line = 0; line <= cells; ++line)
      for (std::size_t from = 0; from < cells; ++from) {
        std::size_t to = from;
        const auto is_edge = [&](std::size_t along) {
          return across ? fires(line - 1, along) != fires(line, along)
                        : fires(along, line - 1) != fires(along, line);
        };
        while (to < cells && is_edge(to)) ++to;
        if (to == from) continue;
        const double length = step * static_cast<double>(to - from);
        const double first = step * static_cast<double>(from),
                     at_line = step * static_cast<double>(line);
        out += "M" + svg_number(x + (across ? first : at_line)) + " " +
               svg_number(y + (across ? at_line : first)) + (across ? "h" : "v") +
               svg_number(length);
        from = to;
      }
  return out;
}

std::vector<ExplainedSample> explained_samples(const std::vector<double>& values,
                                               const SummaryShape& shape) {
  std::vector<ExplainedSample> out;
  for (std::size_t r = 0; r < values.size() / shape.columns.size(); ++r) {
    const auto number = [&](std::string_view column) { return at(values, r, shape, column); };
    const auto whole = [&](std::string_view column) {
      return static_cast<std::int64_t>(number(column));
    };
    if (out.empty() || out.back().sample != whole("sample"))
      out.push_back({whole("sample"),
                     whole("output"),
                     whole("surrogate_output"),
                     number("label"),
                     number("choice"),
                     number("logit"),
                     number("probability"),
                     number("surrogate_logit"),
                     number("surrogate_probability"),
                     number("bias"),
                     {}});
    ConceptTerm term{
        std::nullopt, number("score"), number("importance"), number("contribution"), {}};
    if (!std::isnan(number("concept"))) term.concept_id = whole("concept");
    std::vector<double> packed;
    for (const std::string& column : shape.columns)
      if (column.starts_with("row_")) packed.push_back(number(column));
    term.fired = fired_grid(packed);
    out.back().terms.push_back(std::move(term));
  }
  return out;
}

std::vector<std::vector<ExplainedPanel>> explained_panels(const std::string& method,
                                                          const CellSummary& cell,
                                                          const std::vector<CellSummary>& twins,
                                                          const SummaryShape& shape) {
  auto samples = explained_samples(cell.values, shape);
  std::ranges::stable_sort(samples, std::greater(), &ExplainedSample::choice);
  std::map<std::string, std::vector<ExplainedSample>> of_twins;
  for (const CellSummary& twin : twins)
    of_twins[twin.control] = explained_samples(twin.values, shape);
  std::vector<std::vector<ExplainedPanel>> out;
  for (const ExplainedSample& sample : samples) {
    out.push_back({{method, sample}});
    for (const auto& [control, others] : of_twins)
      if (const auto same = std::ranges::find(others, sample.sample, &ExplainedSample::sample);
          same != others.end())
        out.back().push_back({"its twin: " + control, *same});
  }
  return out;
}

std::string explained_sample_svg(const std::vector<ExplainedPanel>& panels, const CellData& data,
                                 PictureSheet& sheet, bool alone) {
  const ExplainedSample& of = panels.at(0).of;
  const Drawing drawing(panels, data, sheet);
  const double margin = alone ? 12.0 : 0.0;
  std::string out =
      svg_begin(kWidth + 2.0 * margin, drawing.height() + margin,
                "Test sample " + std::to_string(of.sample) + ", explained by " + panels[0].title,
                alone ? "#1b1f24" : "currentColor");
  if (alone)
    out +=
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g color=\"#1b1f24\" "
        "transform=\"translate(12 12)\">\n";
  out += drawing.sample() + drawing.panels();
  if (alone) out += "</g>\n" + (sheet.empty() ? std::string() : sheet.definitions());
  return out + "</svg>\n";
}

}  // namespace conoscope::results
