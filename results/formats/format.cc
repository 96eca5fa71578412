#include "results/formats/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace conoscope::results {

namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> kFormats = {
    {{"table", Format::table},
     {"csv", Format::csv},
     {"json", Format::json},
     {"ndjson", Format::ndjson},
     {"md", Format::md},
     {"latex", Format::latex}}};

std::string number_text(double value, std::chars_format style, int precision) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, style, precision);
  return {text.data(), end.ptr};
}

std::string infinity_text(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

// ---- UTF-8 ----

constexpr char32_t kReplacement = 0xFFFD;

// Takes one character from the front; what is not UTF-8 gives U+FFFD, a byte at a time.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  char32_t c = length == 1   ? first
               : length == 2 ? first & 0x1F
               : length == 3 ? first & 0x0F
                             : first & 0x07;
  bool good = length > 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0) == 0x80;
    c = (c << 6) | (byte(i) & 0x3F);
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  good = good && !(length == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) &&
         !(length == 4 && (c < 0x10000 || c > 0x10FFFF));
  text.remove_prefix(good ? length : 1);
  return good ? c : kReplacement;
}

void append_character(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

std::string hex_text(char32_t c, int width) {
  std::string text;
  for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
    text += "0123456789abcdef"[(c >> shift) & 15];
  return text;
}

// A log tail may hold anything; nothing of it may steer the terminal.
std::string shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (is_control(c))
      out.append("\\x").append(hex_text(c, 2));
    else
      append_character(out, c);
  }
  return out;
}

// ---- one field ----

std::string human_text(const Field& field, const Column& column) {
  struct Writer {
    int digits;
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return digits_text(number, digits); }
    std::string operator()(const Estimate& e) const { return estimate_text(e, digits); }
    std::string operator()(const Coverage& c) const {
      return std::to_string(c.n) + "/" + std::to_string(c.asked);
    }
  };
  return std::visit(Writer{column.digits}, field);
}

bool is_number(const Field& field) {
  return !std::holds_alternative<std::monostate>(field) &&
         !std::holds_alternative<std::string>(field);
}

bool is_right_aligned(const Column& column) { return column.type != ColumnType::text; }

// ---- machines: estimates and coverages become plain columns ----

Table expanded(const Table& table) {
  Table out;
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::estimate) {
      out.columns.push_back({column.name, ColumnType::real, column.digits});
      out.columns.push_back({column.name + "_half_width", ColumnType::real, column.digits});
      out.columns.push_back({column.name + "_n", ColumnType::integer, column.digits});
    } else if (column.type == ColumnType::coverage) {
      out.columns.push_back({column.name + "_n", ColumnType::integer, column.digits});
      out.columns.push_back({column.name + "_asked", ColumnType::integer, column.digits});
    } else {
      out.columns.push_back(column);
    }
  }
  for (const auto& row : table.rows) {
    std::vector<Field> fields;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].type == ColumnType::estimate) {
        if (const auto* e = std::get_if<Estimate>(&row[i])) {
          fields.emplace_back(e->mean);
          fields.emplace_back(e->half_width ? Field(*e->half_width) : Field());
          fields.emplace_back(e->n);
        } else {
          fields.insert(fields.end(), 3, Field());
        }
      } else if (table.columns[i].type == ColumnType::coverage) {
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

std::string machine_number(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return std::to_string(*integer);
  return shortest_text(std::get<double>(field));
}

// ---- csv ----

std::string csv_text(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

std::string write_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out.append(i ? "," : "").append(csv_text(table.columns[i].name));
  out += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) out += ',';
      if (const auto* text = std::get_if<std::string>(&row[i]))
        out += csv_text(*text);
      else if (is_number(row[i]))
        out += machine_number(row[i]);
    }
    out += "\r\n";
  }
  return out;
}

// ---- json ----

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
    else if (c < 0x20)
      out.append("\\u").append(hex_text(c, 4));
    else
      append_character(out, c);
  }
  return out + "\"";
}

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

std::string write_ndjson(const Table& table) {
  std::string out;
  for (const auto& row : table.rows) out += json_object(table, row) + "\n";
  return out;
}

// ---- people ----

std::string write_aligned(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(shown(column.name));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      lines.back().push_back(shown(human_text(row[i], table.columns[i])));
  }
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  std::string out;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string text;
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      const std::string space(static_cast<std::size_t>(widths[i] - display_width(lines[l][i])),
                              ' ');
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
  return out;
}

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

std::string write_md(const Table& table) {
  std::string out = "|";
  for (const Column& column : table.columns)
    out.append(" ").append(md_text(column.name)).append(" |");
  out += "\n|";
  for (const Column& column : table.columns) out += is_right_aligned(column) ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i)
      out.append(" ").append(md_text(human_text(row[i], table.columns[i]))).append(" |");
    out += "\n";
  }
  return out;
}

std::string latex_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    switch (c) {
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
  const std::string text = human_text(field, column);
  // A hyphen is not a minus sign.
  return is_number(field) && text[0] == '-' ? "$-$" + latex_text(text.substr(1)) : latex_text(text);
}

std::string write_latex(const Table& table) {
  std::string out = "% needs \\usepackage{booktabs}\n\\begin{tabular}{";
  for (const Column& column : table.columns) out += is_right_aligned(column) ? 'r' : 'l';
  out += "}\n\\toprule\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out.append(i ? " & " : "").append(latex_text(table.columns[i].name));
  out += " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out.append(i ? " & " : "").append(latex_field(row[i], table.columns[i]));
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

// The power of ten of the first significant digit after rounding to so many digits.
int exponent_of(double value, int digits) {
  const std::string text = number_text(value, std::chars_format::scientific, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
  for (const auto& [name, format] : kFormats)
    if (name == text) return format;
  return std::nullopt;
}

bool for_people(Format format) {
  return format == Format::table || format == Format::md || format == Format::latex;
}

std::string to_text(const Table& table, Format format) {
  switch (format) {
    case Format::table:
      return write_aligned(table);
    case Format::csv:
      return write_csv(expanded(table));
    case Format::json:
      return write_json(expanded(table));
    case Format::ndjson:
      return write_ndjson(expanded(table));
    case Format::md:
      return write_md(table);
    case Format::latex:
      return write_latex(table);
  }
  return "";
}

std::string shortest_text(double value) {
  if (!std::isfinite(value)) return infinity_text(value);
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string digits_text(double value, int digits) {
  if (!std::isfinite(value)) return infinity_text(value);
  if (value == 0) return number_text(0.0, std::chars_format::fixed, digits - 1);
  const int exponent = exponent_of(value, digits);
  if (exponent < -4 || exponent >= std::max(digits, 6))
    return number_text(value, std::chars_format::scientific, digits - 1);
  return number_text(value, std::chars_format::fixed, std::max(0, digits - 1 - exponent));
}

std::string estimate_text(const Estimate& estimate, int digits) {
  std::string text;
  if (!estimate.half_width) {
    text = digits_text(estimate.mean, digits) + " ± -";
  } else if (*estimate.half_width == 0) {
    text = digits_text(estimate.mean, digits) + " ± 0";
  } else {
    const int exponent = exponent_of(*estimate.half_width, 2);
    const int decimals = std::max(0, 1 - exponent);
    // Far from 1 the common decimals would be a row of zeros.
    if (decimals > 8 || std::abs(estimate.mean) >= 1e6 || *estimate.half_width >= 1e6)
      text = digits_text(estimate.mean, digits) + " ± " + digits_text(*estimate.half_width, 2);
    else
      text = number_text(estimate.mean, std::chars_format::fixed, decimals) + " ± " +
             number_text(*estimate.half_width, std::chars_format::fixed, decimals);
  }
  if (estimate.n != estimate.asked)
    text += " (" + std::to_string(estimate.n) + "/" + std::to_string(estimate.asked) + ")";
  return text;
}

int display_width(std::string_view text) {
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kZero = {{{0x0300, 0x036F},
                                                                   {0x0483, 0x0489},
                                                                   {0x0591, 0x05BD},
                                                                   {0x064B, 0x065F},
                                                                   {0x1AB0, 0x1AFF},
                                                                   {0x1DC0, 0x1DFF},
                                                                   {0x200B, 0x200F},
                                                                   {0x20D0, 0x20FF},
                                                                   {0xFE00, 0xFE0F}}};
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kWide = {{{0x1100, 0x115F},
                                                                   {0x2E80, 0x303E},
                                                                   {0x3041, 0xA4CF},
                                                                   {0xAC00, 0xD7A3},
                                                                   {0xF900, 0xFAFF},
                                                                   {0xFE30, 0xFE6F},
                                                                   {0xFF00, 0xFF60},
                                                                   {0x1F300, 0x1FAFF},
                                                                   {0x20000, 0x3FFFD}}};
  const auto in = [](const auto& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [c](const auto& range) { return c >= range.first && c <= range.second; });
  };
  int width = 0;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    width += in(kZero, c) ? 0 : in(kWide, c) ? 2 : 1;
  }
  return width;
}

}  // namespace conoscope::results
