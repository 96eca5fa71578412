// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/boards/summaries.h"
#include "results/report/sections.h"

namespace conoscope::results {

/// One subject's table of a summary, as the page shows it: of its lowest seed alone, for latents and
/// components of two seeds are not the same ones.
struct ShownSummary {
  GroupKeys keys;  ///< of the group of rows that it belongs to
  std::string method;
  SummaryShape shape;
  CellSummary cell;
  CellData data;
  std::vector<CellSummary> twins;  ///< of the same seed: under the run's controls
  std::vector<CellSummary> again;  ///< of other seeds, in their order

  std::size_t rows() const { return cell.values.size() / shape.columns.size(); }
  /// NaN: there is no number.
  double number(std::size_t row, std::string_view column) const;
  /// As an axis or a legend says it: "-" where there is no number.
  std::string text(std::size_t row, std::string_view column) const;
  /// What the data call a concept of a model, a factor or a class, by the column's name; else its number.
  std::string name(std::size_t row, std::string_view column) const;
  /// The same for a picture: numbers stay numbers, which have an order.
  Field named(std::size_t row, std::string_view column) const;
  /// NULL: there is no number.
  Field field(std::size_t row, std::string_view column) const;
  /// name_0, name_1, ... of a row, see metrics/summaries/packed_pixels.h.
  Picture picture(std::size_t row, std::string_view name) const;
  /// row_0, row_1, ... of a row.
  FiredGrid fired(std::size_t row) const;
};

/// The same table of another cell.
ShownSummary with_cell(const ReportContext& context, const ShownSummary& of,
                       const CellSummary& cell);

/// Those of all runs, in the order of the boards; what has none is left out.
std::vector<ShownSummary> shown_summaries(const ReportContext& context, std::string_view name);

/// A group of rows for each of them.
template <typename AddRows>
void add_summaries(PageTable& table, const ReportContext& context, std::string_view name,
                   const AddRows& add_rows) {
  for (const ShownSummary& one : shown_summaries(context, name)) {
    table.group(one.keys);
    add_rows(table, one);
  }
}

/// A row for each number of a matrix, which the summary holds as one of its columns: method, what it
/// is a matrix of, row, column, number.
void add_matrix(PageTable& table, const ShownSummary& of, const std::string& what,
                std::string_view row, std::string_view column, std::string_view number);

/// As a table's cell shows a number.
std::string real_text(double value);

}  // namespace conoscope::results
