// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "results/formats/human_text.h"
#include "results/formats/table.h"
#include "results/formats/utf8.h"

namespace conoscope::results {

namespace {

/// One field of megabytes must not pad every other row to its width.
constexpr int kWidest = 500;

}  // namespace

std::string write_aligned(const Table& table) {
  const Footnotes notes(table);
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(printable(column.name));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      lines.back().push_back(printable(human_text(row[i], table.columns[i])) +
                             raised(notes.marks(row[i])));
  }
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], std::min(kWidest, display_width(line[i])));
  std::string out;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string text;
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      const int missing = std::max(0, widths[i] - display_width(lines[l][i]));
      const std::string space(static_cast<std::size_t>(missing), ' ');
      text += i ? "  " : "";
      text += is_right_aligned(table.columns[i]) ? space + lines[l][i] : lines[l][i] + space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
    if (l == 0) {
      for (std::size_t i = 0; i < widths.size(); ++i)
        out.append(i ? "  " : "").append(static_cast<std::size_t>(widths[i]), '-');
      out += "\n";
    }
  }
  for (std::size_t i = 0; i < notes.texts().size(); ++i)
    out.append(i == 0 ? "\n" : "")
        .append(raised(std::to_string(i + 1)))
        .append(" ")
        .append(printable(notes.texts()[i]))
        .append("\n");
  return out;
}

}  // namespace conoscope::results
