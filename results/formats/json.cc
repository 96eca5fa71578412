// SPDX-License-Identifier: Apache-2.0
#include "results/formats/json.h"

#include <cmath>
#include <string_view>

#include "results/formats/machine_text.h"
#include "results/formats/utf8.h"

namespace conoscope::results {

namespace {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == '"')
      out += "\\\"";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (is_control(c))
      out.append("\\u").append(hex_text(c, 4));
    else
      append_character(out, c);
  }
  return out + "\"";
}

}  // namespace

std::string json_field(const Field& field) {
  if (std::holds_alternative<std::monostate>(field)) return "null";
  if (const auto* text = std::get_if<std::string>(&field)) return json_text(*text);
  const std::string number = machine_number(field);
  const auto* real = std::get_if<double>(&field);
  return real != nullptr && !std::isfinite(*real) ? json_text(number) : number;
}

std::string json_object(const Table& table, const std::vector<Field>& row) {
  std::string out = "{";
  for (std::size_t i = 0; i < row.size(); ++i)
    out.append(i ? ", " : "")
        .append(json_text(table.columns[i].name))
        .append(": ")
        .append(json_field(row[i]));
  return out + "}";
}

std::string write_json(const Table& table) {
  std::string out = "[";
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    out.append(i ? ",\n " : "\n ").append(json_object(table, table.rows[i]));
  return out + (table.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace conoscope::results
