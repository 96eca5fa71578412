#include <string>
#include <string_view>

#include "results/formats/machines.h"
#include "results/formats/writers.h"

namespace conoscope::results {

namespace {

std::string csv_text(std::string_view given) {
  // Spreadsheets take what begins so for a formula and run it, whoever wrote the text; some begin a
  // field after a semicolon or a tab, too, and leave out a quote there.
  std::string text;
  bool begins = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool formula = std::string_view("=+-@").find(given[i]) != given.npos ||
                         (i == 0 && std::string_view("\t\r").find(given[i]) != given.npos);
    if (begins && formula) text += '\'';
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
