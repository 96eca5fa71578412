// SPDX-License-Identifier: Apache-2.0
#include "results/report/shown_summaries.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "results/boards/run_metrics.h"
#include "results/formats/human_text.h"

namespace conoscope::results {

double ShownSummary::number(std::size_t row, std::string_view column) const {
  const auto at = std::ranges::find(shape.columns, column);
  if (at == shape.columns.end())
    throw std::logic_error("report: " + shape.name + " has no column " + std::string(column));
  return cell.at(row, static_cast<std::size_t>(at - shape.columns.begin()), shape.columns.size());
}

std::string ShownSummary::name(std::size_t row, std::string_view column) const {
  const double value = number(row, column);
  if (std::isnan(value)) return "-";
  if (column == "factor" || column == "parent") return CellData::name(data.factors, value);
  if (column == "label" || column.ends_with("output")) return CellData::name(data.classes, value);
  if (column != "concept" && column != "other") return text(row, column);
  // What an explainer finds has no name.
  return CellData::name(cell.explainer.empty() ? data.concepts : std::vector<std::string>(), value);
}

Field ShownSummary::named(std::size_t row, std::string_view column) const {
  const std::string given = name(row, column);
  return given == text(row, column) ? field(row, column) : Field(given);
}

Field ShownSummary::field(std::size_t row, std::string_view column) const {
  const double value = number(row, column);
  Field out;
  if (!std::isnan(value)) out = value;
  return out;
}

std::string ShownSummary::text(std::size_t row, std::string_view column) const {
  return real_text(number(row, column));
}

Picture ShownSummary::picture(std::size_t row, std::string_view name) const {
  std::vector<double> packed;
  for (std::size_t c = 0; c < shape.columns.size(); ++c)
    if (shape.columns[c].starts_with(std::string(name) + "_"))
      packed.push_back(cell.at(row, c, shape.columns.size()));
  const auto side =
      static_cast<std::uint32_t>(std::lround(std::sqrt(2.0 * static_cast<double>(packed.size()))));
  Picture out{side, side, 3, {}};
  for (const double two : packed) {
    const auto bits = static_cast<std::uint64_t>(std::clamp(two, 0.0, 0x1p48 - 1.0));
    for (int shift = 40; shift >= 0; shift -= 8)
      out.bytes += static_cast<char>(static_cast<unsigned char>(bits >> shift & 255U));
  }
  return out;
}

FiredGrid ShownSummary::fired(std::size_t row) const {
  std::vector<double> packed;
  for (const std::string& column : shape.columns)
    if (column.starts_with("row_")) packed.push_back(number(row, column));
  return fired_grid(packed);
}

namespace {

/// Of a cell; images as long as the page has room for them.
CellData cell_data(const ReportContext& context, const std::string& cell) {
  if (!context.options.data) return {};
  CellData out = context.options.data(cell);
  if (out.picture)
    out.picture = [picture = out.picture, &sheet = context.sheet](std::int64_t sample) {
      return sheet.full() ? std::nullopt : picture(sample);
    };
  return out;
}

}  // namespace

std::vector<ShownSummary> shown_summaries(const ReportContext& context, std::string_view name) {
  std::vector<ShownSummary> out;
  const auto& shapes = context.options.summaries;
  const auto shape = std::ranges::find(shapes, name, &SummaryShape::name);
  if (shape == shapes.end()) return out;
  for (const ReportedRun& run : context.runs) {
    if (!is_asked(context.store, run.key, shape->name)) continue;
    auto cells = cell_summaries(context.store, run.key, *shape);
    for (const Contest& contest : contests(context.store, run.key, shape->name, "none"))
      for (const Entrant& entrant : contest.entrants) {
        // By seed, within one subject.
        const auto found = std::ranges::find_if(cells, [&entrant](const CellSummary& cell) {
          return cell.subject == entrant.score.subject && cell.control == "none";
        });
        if (found == cells.end()) continue;
        ShownSummary one{context.keys(run, contest.dataset, contest.model, ""),
                         entrant.method,
                         *shape,
                         *found,
                         cell_data(context, found->cell),
                         {},
                         {}};
        std::ranges::copy_if(cells, std::back_inserter(one.again), [&found](const auto& cell) {
          return cell.subject == found->subject && cell.seed != found->seed &&
                 cell.control == "none";
        });
        std::ranges::copy_if(cells, std::back_inserter(one.twins), [&found](const auto& cell) {
          return cell.subject == found->subject && cell.seed == found->seed &&
                 cell.control != "none";
        });
        out.push_back(std::move(one));
      }
  }
  return out;
}

ShownSummary with_cell(const ReportContext& context, const ShownSummary& of,
                       const CellSummary& cell) {
  ShownSummary out = of;
  out.cell = cell;
  out.data = cell_data(context, cell.cell);
  return out;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "-";
  // Labels, factors and true values are whole numbers mostly.
  if (value == std::floor(value) && std::abs(value) < 1e6)
    return std::to_string(static_cast<std::int64_t>(value));
  return human_text(value, {.name = "", .type = ColumnType::kReal});
}

void add_matrix(PageTable& table, const ShownSummary& of, const std::string& what,
                std::string_view row, std::string_view column, std::string_view number) {
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const double value = of.number(r, number);
    if (std::isnan(value)) continue;
    table.add({of.method, what, of.name(r, row), of.name(r, column), real_text(value)},
              JsonObject()
                  .add("method", of.method)
                  .add("panel", what + ": " + of.method)
                  .add("row", of.named(r, row))
                  .add("column", of.named(r, column))
                  .add("mean", value));
  }
}

}  // namespace conoscope::results
