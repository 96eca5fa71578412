// SPDX-License-Identifier: Apache-2.0
#include "results/formats/machine_text.h"

#include <boost/algorithm/string/join.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "results/formats/numbers.h"

namespace conoscope::results {

namespace {

Field joined(const std::vector<std::string>& messages) {
  if (messages.empty()) return {};
  return boost::algorithm::join(messages, "; ");
}

}  // namespace

Table expanded(const Table& table) {
  Table out;
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::kEstimate) {
      out.columns.push_back({column.name, ColumnType::kReal, column.digits});
      out.columns.push_back({column.name + "_half_width", ColumnType::kReal, column.digits});
      out.columns.push_back({column.name + "_n", ColumnType::kInteger, column.digits});
      if (column.messages) out.columns.push_back({column.name + "_message"});
    } else if (column.type == ColumnType::kCoverage) {
      out.columns.push_back({column.name + "_n", ColumnType::kInteger, column.digits});
      out.columns.push_back({column.name + "_asked", ColumnType::kInteger, column.digits});
    } else {
      out.columns.push_back(column);
    }
  }
  for (const auto& row : table.rows) {
    std::vector<Field> fields;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].type == ColumnType::kEstimate) {
        const bool messages = table.columns[i].messages;
        if (const auto* e = std::get_if<Estimate>(&row[i])) {
          fields.push_back(field_of(e->n > 0 ? std::optional(e->mean) : std::nullopt));
          fields.push_back(field_of(e->half_width));
          fields.emplace_back(e->n);
          if (messages) fields.push_back(joined(e->messages));
        } else {
          fields.insert(fields.end(), messages ? 4 : 3, Field());
        }
      } else if (table.columns[i].type == ColumnType::kCoverage) {
        if (const auto* c = std::get_if<Coverage>(&row[i])) {
          fields.emplace_back(c->n);
          fields.emplace_back(c->asked);
        } else {
          fields.insert(fields.end(), 2, Field());
        }
      } else {
        fields.push_back(row[i]);
      }
    }
    out.add(std::move(fields));
  }
  return out;
}

bool is_number(const Field& field) {
  return !std::holds_alternative<std::monostate>(field) &&
         !std::holds_alternative<std::string>(field);
}

std::string machine_number(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return std::to_string(*integer);
  return shortest_text(std::get<double>(field));
}

}  // namespace conoscope::results
