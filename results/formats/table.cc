#include "results/formats/table.h"

#include <stdexcept>
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

}  // namespace conoscope::results
