// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "results/formats/machine_text.h"
#include "results/formats/table.h"

namespace conoscope::results {

namespace {

/// U+FF1D, U+FF0B, U+FF0D, U+FF20: = + - @
bool begins_in_full_width(std::string_view text) {
  for (const std::string_view sign :
       {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"})
    if (text.starts_with(sign)) return true;
  return false;
}

std::string csv_text(std::string_view given) {
  // Spreadsheets take what begins so for a formula and run it, whoever wrote the text, in full width,
  // too; some begin a field after a semicolon or a tab as well, and leave out a quote there.
  std::string text;
  bool begins = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool formula =
        begins && (std::string_view("=+-@").find(given[i]) != given.npos ||
                   begins_in_full_width(given.substr(i)) ||
                   (i == 0 && std::string_view("\t\r").find(given[i]) != given.npos));
    if (formula) text += '\'';
    text += given[i];
    begins = given[i] == ';' || given[i] == '\t' || (begins && given[i] == '"');
  }
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

}  // namespace

std::string write_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out.append(i ? "," : "").append(csv_text(table.columns[i].name));
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) out += ',';
      if (const auto* text = std::get_if<std::string>(&row[i]))
        out += csv_text(*text);
      else if (is_number(row[i]))
        out += machine_number(row[i]);
    }
    out += "\n";
  }
  return out;
}

}  // namespace conoscope::results
