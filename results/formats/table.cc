// SPDX-License-Identifier: Apache-2.0
#include "results/formats/table.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace conoscope::results {

std::string text_of(const Field& field) {
  const auto* text = std::get_if<std::string>(&field);
  return text != nullptr ? *text : std::string();
}

Field field_of(const std::optional<double>& number) {
  if (!number) return {};
  return *number;
}

Field low_end(const Estimate& estimate) {
  if (!estimate.half_width) return {};
  return estimate.mean - *estimate.half_width;
}

Field high_end(const Estimate& estimate) {
  if (!estimate.half_width) return {};
  return estimate.mean + *estimate.half_width;
}

void Table::add(std::vector<Field> row) {
  if (row.size() != columns.size())
    throw std::invalid_argument("Table::add: " + std::to_string(row.size()) + " fields for " +
                                std::to_string(columns.size()) + " columns");
  rows.push_back(std::move(row));
}

std::size_t Table::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  if (found == columns.end())
    throw std::invalid_argument("the table has no column " + std::string(name));
  return static_cast<std::size_t>(found - columns.begin());
}

void Table::keep(const std::vector<std::string>& names) {
  std::vector<std::size_t> kept;
  for (const auto& name : names) kept.push_back(column(name));
  const auto only = [&kept](auto& of) {
    std::remove_cvref_t<decltype(of)> out;
    for (const std::size_t c : kept) out.push_back(of[c]);
    of = std::move(out);
  };
  only(columns);
  for (auto& row : rows) only(row);
}

}  // namespace conoscope::results
