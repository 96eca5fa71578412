// SPDX-License-Identifier: Apache-2.0
#include "results/formats/screen.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "results/formats/human_text.h"
#include "results/formats/merged_notes.h"
#include "results/formats/named_parameters.h"
#include "results/formats/utf8.h"

namespace conoscope::results {

namespace {

constexpr int kGap = 2, kNarrowest = 12;

/// A column as it stands on the screen: its head and a text for each row.
struct Shown {
  std::string head;
  std::vector<std::string> texts;
  std::vector<bool> best;
  bool is_text = true;
  int width = 0;
};

/// May a line end behind it?
bool ends_line(char32_t c) {
  return std::u32string_view(U" ,;=(_:").find(c) != std::u32string_view::npos;
}

/// Of the longest piece that wrapped() need not cut.
int longest_piece(const std::string& text) {
  int out = 0;
  std::string piece;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view from = rest;
    const char32_t c = take_character(rest);
    piece += from.substr(0, from.size() - rest.size());
    out = std::max(out, display_width(piece));
    if (ends_line(c)) piece.clear();
  }
  return out;
}

int natural_width(const Shown& column) {
  int out = display_width(column.head);
  for (const auto& text : column.texts) out = std::max(out, display_width(text));
  return out;
}

int total_width(const std::vector<const Shown*>& columns) {
  int out = 0;
  for (const Shown* one : columns) out += one->width + (out > 0 ? kGap : 0);
  return out;
}

/// Wraps the heads of numbers, then makes the widest texts narrower until all columns find room, or
/// none can become narrower.
void shrink(const std::vector<Shown*>& columns, int width) {
  if (total_width({columns.begin(), columns.end()}) <= width) return;
  for (Shown* one : columns)
    if (!one->is_text) {
      one->width = longest_piece(one->head);
      for (const auto& text : one->texts) one->width = std::max(one->width, display_width(text));
    }
  for (;;) {
    int total = -kGap;
    Shown* widest = nullptr;
    for (Shown* one : columns) {
      total += one->width + kGap;
      if (one->is_text && one->width > kNarrowest && (!widest || one->width > widest->width))
        widest = one;
    }
    if (total <= width || widest == nullptr) return;
    --widest->width;
  }
}

class Writer {
 public:
  Writer(const Screen& screen, std::size_t rows) : screen_(screen), rows_(rows) {}

  void lines(const std::vector<std::string>& texts, const std::string& hanging = "") {
    for (const auto& text : texts) {
      const int indent = display_width(hanging);
      bool first = true;
      for (const auto& line : wrapped(text, screen_.width - indent)) {
        out_ += (first ? "" : hanging) + line + "\n";
        first = false;
      }
    }
  }

  void block(const std::vector<const Shown*>& columns) {
    row(
        columns, true, [](const Shown& column) { return column.head; },
        [](const Shown&) { return false; });
    for (std::size_t i = 0; i < columns.size(); ++i)
      out_.append(i ? kGap : 0, ' ').append(static_cast<std::size_t>(columns[i]->width), '-');
    out_ += "\n";
    for (std::size_t r = 0; r < rows_; ++r)
      row(
          columns, false, [r](const Shown& column) { return column.texts[r]; },
          [r](const Shown& column) { return column.best[r]; });
  }

  /// A row after the other, a line or more for each column that says something.
  void records(const std::vector<Shown>& columns) {
    int heads = 0;
    for (const Shown& column : columns) heads = std::max(heads, display_width(column.head));
    for (std::size_t r = 0; r < rows_; ++r) {
      if (r > 0) blank();
      for (const Shown& column : columns) {
        if (column.texts[r].empty() || column.texts[r] == "-") continue;
        std::string before = column.head;
        before.append(static_cast<std::size_t>(heads + kGap - display_width(before)), ' ');
        for (const auto& line : wrapped(column.texts[r], screen_.width - heads - kGap)) {
          out_ += before + line + "\n";
          before.assign(static_cast<std::size_t>(heads + kGap), ' ');
        }
      }
    }
  }

  void blank() { out_ += "\n"; }
  std::string text() && { return std::move(out_); }

 private:
  template <typename TextOf, typename IsBold>
  void row(const std::vector<const Shown*>& columns, bool wraps, const TextOf& text_of,
           const IsBold& is_bold) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const Shown* column : columns) {
      const std::string text = text_of(*column);
      cells.push_back(column->is_text || wraps ? wrapped(text, column->width)
                                               : std::vector<std::string>{text});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string text = l < cells[i].size() ? cells[i][l] : "";
        const bool bold = screen_.styled && l == 0 && !text.empty() && is_bold(*columns[i]);
        const std::string space(
            static_cast<std::size_t>(std::max(0, columns[i]->width - display_width(text))), ' ');
        const std::string shown = bold ? "\x1b[1m" + text + "\x1b[0m" : text;
        const std::string cell = columns[i]->is_text ? shown + space : space + shown;
        line.append(i ? kGap : 0, ' ').append(cell);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out_ += line + "\n";
    }
  }

  Screen screen_;
  std::size_t rows_;
  std::string out_;
};

/// What a column of words, or of coverages where there are any, says in every one of several rows.
std::optional<std::string> text_of_all(const Shown& column, ColumnType type) {
  if (column.texts.size() < 2 || (type != ColumnType::kText && type != ColumnType::kCoverage))
    return std::nullopt;
  std::string out = "-";
  for (const auto& text : column.texts) {
    if (text == out || (type == ColumnType::kCoverage && text == "-")) continue;
    if (out != "-" || (type == ColumnType::kText && &text != &column.texts.front()))
      return std::nullopt;
    out = text;
  }
  return out;
}

std::string arrow(Better better) {
  switch (better) {
    case Better::kHigher:
      return " ↑";
    case Better::kLower:
      return " ↓";
    case Better::kNeither:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, int width) {
  std::vector<std::string> out(1);
  std::string_view rest = text;
  std::size_t cut = 0;  // where the last line may be cut
  while (!rest.empty()) {
    const std::string_view from = rest;
    const char32_t c = take_character(rest);
    const std::string one(from.substr(0, from.size() - rest.size()));
    if (display_width(out.back() + one) > width && !out.back().empty()) {
      std::string next = cut > 0 ? out.back().substr(cut) : "";
      if (cut > 0) out.back().erase(cut);
      out.back().erase(out.back().find_last_not_of(' ') + 1);
      out.push_back(next);
      cut = 0;
    }
    if (c == U' ' && out.back().empty() && out.size() > 1) continue;
    const bool opens = c == U'(' && out.back().ends_with(' ');  // belongs to what follows
    out.back() += one;
    if (ends_line(c) && !opens) cut = out.back().size();
  }
  return out;
}

std::string to_screen(const Table& table, const Screen& screen) {
  const Footnotes notes(table);
  const MergedNotes merged(notes.texts());
  std::vector<Shown> written;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    Shown shown{printable(column.name), {}, {}, !is_right_aligned(column), 0};
    for (const auto& row : table.rows) {
      shown.texts.push_back(printable(human_text(row[i], column)) +
                            merged.marks(notes.marks(row[i])));
      shown.best.push_back(is_best(row[i]));
    }
    written.push_back(std::move(shown));
  }
  // Equal rows have nothing to tell them apart that could be left.
  const bool rows_differ = std::ranges::any_of(written, [](const Shown& column) {
    return std::ranges::adjacent_find(column.texts, std::ranges::not_equal_to()) !=
           column.texts.end();
  });

  std::vector<std::string> above;
  std::vector<Shown> columns;
  std::size_t names = 0;  // the columns that name the rows, which come first
  bool naming = true;
  std::string metric;
  for (std::size_t i = 0; i < written.size(); ++i) {
    Shown& shown = written[i];
    const Column& column = table.columns[i];
    naming = naming && (shown.is_text || column.name == "rank");
    if (const auto all = text_of_all(shown, column.type); all && rows_differ) {
      if (*all != "-") above.push_back(shown.head + ": " + *all);
      continue;
    }
    if (shown.is_text)
      for (const auto& [id, parameters] : take_shared_parameters(shown.texts))
        above.push_back("every " + id + ": " + parameters);
    const auto at = shown.head.find('@');
    if (at != std::string::npos && at > 0 && shown.head.substr(0, at) == metric) {
      shown.head.erase(0, at);
    } else {
      metric = shown.head;
      shown.head += arrow(column.better);
    }
    shown.width = natural_width(shown);
    columns.push_back(std::move(shown));
    if (naming) names = columns.size();
  }

  Writer out(screen, table.rows.size());
  out.lines(above, "  ");
  if (!above.empty()) out.blank();
  std::vector<Shown*> all, named;
  for (Shown& one : columns) all.push_back(&one);
  named.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(names));
  // Texts alone that would become columns of single words.
  if (names == columns.size() && total_width({all.begin(), all.end()}) > 3 * screen.width) {
    out.records(columns);
    return std::move(out).text();
  }
  shrink(all, screen.width);
  if (total_width({all.begin(), all.end()}) > screen.width) {  // names take half of it then
    for (Shown* one : named) one->width = natural_width(*one);
    shrink(named, screen.width / 2);
  }
  std::vector<const Shown*> block(named.begin(), named.end());
  for (std::size_t i = names; i < columns.size(); ++i) {
    block.push_back(&columns[i]);
    if (total_width(block) <= screen.width || block.size() == names + 1) continue;
    block.pop_back();
    out.block(block);
    out.blank();
    block.assign(named.begin(), named.end());
    block.push_back(&columns[i]);
  }
  out.block(block);
  if (!notes.texts().empty()) out.blank();
  std::size_t number = 0;
  for (const auto& text : merged.texts())
    out.lines({raised(std::to_string(++number)) + " " + printable(text)}, "  ");
  return std::move(out).text();
}

}  // namespace conoscope::results
