// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string_view>

#include "results/formats/human_text.h"
#include "results/formats/table.h"

namespace conoscope::results {

namespace {

std::string md_text(std::string_view text) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                               static_cast<unsigned char>(text[i]) >= 0x80);
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      out += "<br>";
    } else if (c == '\r') {
      continue;
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      // Inside a word an underscore means nothing: snake_case stays readable.
      const bool harmless = c == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
      if (!harmless && std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string superscript(const std::string& marks) {
  return marks.empty() ? "" : "<sup>" + marks + "</sup>";
}

}  // namespace

std::string write_markdown(const Table& table) {
  const Footnotes notes(table);
  std::string out = "|";
  for (const Column& column : table.columns)
    out.append(" ").append(md_text(column.name)).append(" |");
  out += "\n|";
  for (const Column& column : table.columns) out += is_right_aligned(column) ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i)
      out.append(" ")
          .append(is_best(row[i]) ? "**" : "")
          .append(md_text(human_text(row[i], table.columns[i])))
          .append(is_best(row[i]) ? "**" : "")
          .append(superscript(notes.marks(row[i])))
          .append(" |");
    out += "\n";
  }
  for (std::size_t i = 0; i < notes.texts().size(); ++i)
    out.append(i == 0 ? "\n" : "")
        .append(std::to_string(i + 1))
        .append(". ")
        .append(md_text(notes.texts()[i]))
        .append("\n");
  return out;
}

}  // namespace conoscope::results
