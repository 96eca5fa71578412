// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "results/formats/human_text.h"
#include "results/formats/table.h"
#include "results/formats/utf8.h"

namespace conoscope::results {

namespace {

std::string latex_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    switch (c) {
      case '[':  // at the start of a row they would belong to the \\ before
      case '*':
        out.append("{").append(1, static_cast<char>(c)).append("}");
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        out += static_cast<char>(c);
        break;
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '"':
        out += "\\textquotedbl{}";
        break;
      case U'±':
        out += "$\\pm$";
        break;
      case U'≈':
        out += "$\\approx$";
        break;
      case U'✓':
        out += "$\\surd$";
        break;
      default:
        if (is_control(c))
          out += ' ';
        else
          append_character(out, c);
    }
  }
  return out;
}

std::string latex_field(const Field& field, const Column& column) {
  if (is_tiny(field, column)) return "$<10^{-" + std::to_string(column.tiny) + "}$";
  const std::string text = human_text(field, column);
  // A hyphen is not a minus sign.
  const bool number = column.type != ColumnType::kText;
  return number && text.size() > 1 && text[0] == '-' ? "$-$" + latex_text(text.substr(1))
                                                     : latex_text(text);
}

std::string superscript(const std::string& marks) {
  return marks.empty() ? "" : "$^{" + marks + "}$";
}

}  // namespace

std::string write_latex(const Table& table) {
  const Footnotes notes(table);
  std::string out = "% needs \\usepackage{booktabs}\n\\begin{tabular}{";
  for (const Column& column : table.columns) out += is_right_aligned(column) ? 'r' : 'l';
  out += "}\n\\toprule\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out.append(i ? " & " : "").append(latex_text(table.columns[i].name));
  out += " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out.append(i ? " & " : "")
          .append(is_best(row[i]) ? "\\textbf{" : "")
          .append(latex_field(row[i], table.columns[i]))
          .append(is_best(row[i]) ? "}" : "")
          .append(superscript(notes.marks(row[i])));
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n";
  for (std::size_t i = 0; i < notes.texts().size(); ++i)
    out.append(i == 0 ? "\n{\\footnotesize\n" : "\\\\\n")
        .append(superscript(std::to_string(i + 1)))
        .append(" ")
        .append(latex_text(notes.texts()[i]));
  return out + (notes.texts().empty() ? "" : "\n}\n");
}

}  // namespace conoscope::results
