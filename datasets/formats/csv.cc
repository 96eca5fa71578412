// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "datasets/formats/file.h"
#include "datasets/formats/gzip.h"

namespace conoscope::formats {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin, char separator)
      : text_(text), origin_(origin), separator_(separator) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (const std::size_t zero = text_.find('\0'); zero != text_.npos) {
      const std::string_view before = text_.substr(0, zero);
      const std::size_t begin = before.rfind('\n') + 1;  // of the line; npos + 1 is 0
      refuse(static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
             static_cast<std::uint32_t>(zero - begin + 1),
             "a byte that is zero, which no text has; if it is UTF-16, save it as UTF-8");
    }
  }

  /// The next line, whatever it holds.
  bool skip_line() {
    if (at_ == text_.size()) return false;
    at_ = std::min(text_.find('\n', at_), text_.size() - 1);
    end_line();
    return true;
  }

  /// Appends the next row's fields. False: nothing is left but line ends.
  bool next_row(std::vector<TextField>& fields) {
    row_line_ = line_;
    const std::size_t content =
        text_.find_first_not_of(separator_ == '\t' ? " \r\n" : " \t\r\n", at_);
    if (content == text_.npos) return false;
    if (text_.substr(at_, content - at_).find('\n') != text_.npos) fail(at_, "the line is empty");
    if (separator_ == '\0') separator_ = most_of_the_row();
    for (;;) {
      fields.push_back(next_field());
      if (at_ == text_.size()) return true;
      if (text_[at_] == '\n') {
        end_line();
        return true;
      }
      ++at_;  // the separator
    }
  }

  [[noreturn]] void fail(const TextField& field, const std::string& why) const {
    refuse(field.line, field.column, why);
  }

  /// `fields` are the last row's; those of the first row were `width`.
  void check_width(std::span<const TextField> fields, std::size_t width) const {
    if (fields.size() == width) return;
    const std::string why = std::to_string(fields.size()) + " fields, expected " +
                            std::to_string(width) + " as in the first line";
    if (fields.size() > width) fail(fields[width], why);
    refuse(row_line_, row_end_, why);
  }

  /// Of the last row, from 1.
  std::uint32_t row_line() const { return row_line_; }
  std::deque<std::string> take_unescaped() { return std::move(unescaped_); }

 private:
  TextField next_field() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    TextField field{{}, line_, column_of(at_)};
    if (at_ < text_.size() && text_[at_] == '"') {
      field.quoted = true;
      field.text = quoted_text();
      const std::size_t behind = at_;
      if (!trim(rest_of_field()).empty()) fail(behind, "text after a closing quote");
    } else {
      field.text = trim(rest_of_field());
    }
    row_end_ = column_of(ends_with_return() ? at_ - 1 : at_);
    return field;
  }

  /// Up to the next separator or line end.
  std::string_view rest_of_field() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    const std::size_t end = ends_with_return() && at_ > begin ? at_ - 1 : at_;
    return text_.substr(begin, end - begin);
  }
  bool ends_with_return() const {
    return at_ > 0 && text_[at_ - 1] == '\r' && (at_ == text_.size() || text_[at_] == '\n');
  }

  std::string_view quoted_text() {
    const std::uint32_t line = line_, column = column_of(at_);
    const std::size_t begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_ == text_.size()) refuse(line, column, "a quote is opened and not closed");
      if (text_[at_] == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      } else if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        doubled = true;
        ++at_;
      }
    }
    const std::string_view inside = text_.substr(begin, at_++ - begin);
    if (!doubled) return inside;
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < inside.size(); ++i) {
      plain += inside[i];
      if (inside[i] == '"') ++i;
    }
    return plain;
  }

  /// Which separator stands most often outside quotes; a comma where none does.
  char most_of_the_row() const {
    constexpr std::string_view kSeparators = ",;\t";
    std::array<std::size_t, kSeparators.size()> counts{};
    bool quoted = false;
    for (std::size_t i = at_; i < text_.size() && (quoted || text_[i] != '\n'); ++i) {
      if (text_[i] == '"') quoted = !quoted;
      const std::size_t which = kSeparators.find(text_[i]);
      if (!quoted && which != kSeparators.npos) ++counts[which];
    }
    return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
  }

  void end_line() {
    ++line_;
    line_begin_ = ++at_;
  }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
  std::uint32_t column_of(std::size_t at) const {
    return static_cast<std::uint32_t>(at - line_begin_ + 1);
  }
  [[noreturn]] void fail(std::size_t at, const std::string& why) const {
    refuse(line_, column_of(at), why);
  }
  [[noreturn]] void refuse(std::uint32_t line, std::uint32_t column, const std::string& why) const {
    throw std::invalid_argument(origin_ + ":" + std::to_string(line) + ":" +
                                std::to_string(column) + ": " + why);
  }

  std::string_view text_;
  const std::string& origin_;
  char separator_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::uint32_t line_ = 1, row_line_ = 1, row_end_ = 1;
  std::deque<std::string> unescaped_;  // a deque, so that views of them stay valid
};

void skip_lines(Reader& reader, const std::string& origin, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    if (!reader.skip_line())
      throw std::invalid_argument(origin + ": " + std::to_string(i) + " lines, none after the " +
                                  std::to_string(count) + " that are skipped");
}

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& origin, const CsvLayout& layout) {
  Reader reader(text, origin, layout.separator);
  skip_lines(reader, origin, layout.skip_lines);
  CsvTable table;
  std::vector<TextField> fields;
  bool first = true;
  for (; reader.next_row(fields); fields.clear()) {
    if (first) {
      first = false;
      table.width = static_cast<std::int64_t>(fields.size());
      const bool numbers = std::ranges::all_of(
          fields, [](const TextField& field) { return csv_number(field.text).has_value(); });
      if (layout.header == CsvHeader::kPresent ||
          (layout.header == CsvHeader::kAutomatic && !numbers)) {
        for (const TextField& field : fields) table.columns.emplace_back(field.text);
        continue;
      }
    }
    reader.check_width(fields, static_cast<std::size_t>(table.width));
    for (const TextField& field : fields) {
      const auto value = csv_number(field.text);
      if (!value)
        reader.fail(field, field.text.empty()
                               ? "the field is empty"
                               : "'" + std::string(field.text) + "' is not a number");
      if (const std::string lost = lost_digits(field.text); !lost.empty()) reader.fail(field, lost);
      table.values.push_back(*value);
    }
    ++table.rows;
  }
  if (table.rows == 0) throw std::invalid_argument(origin + ":1:1: there is no row of numbers");
  return table;
}

CsvTable read_csv(const std::string& path, const CsvLayout& layout) {
  const MappedFile file(path);
  const std::span<const char> bytes = file.bytes();
  if (is_gzip(bytes)) return parse_csv(gunzip(bytes, path), path, layout);
  return parse_csv({bytes.data(), bytes.size()}, path, layout);
}

std::optional<double> csv_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc::result_out_of_range && end == last)
    if (long double wide = 0; std::from_chars(text.data(), last, wide).ec == std::errc())
      return static_cast<double>(wide);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::string lost_digits(std::string_view text) {
  constexpr std::size_t kAlwaysKept = 15;
  if (text.size() <= kAlwaysKept) return "";
  std::string_view digits = text;
  if (digits[0] == '+' || digits[0] == '-') digits.remove_prefix(1);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() <= kAlwaysKept || digits.find_first_not_of("0123456789") != digits.npos)
    return "";
  const auto value = csv_number(digits);
  if (!value || !std::isfinite(*value)) return "";
  std::array<char, 320> exact{};
  const char* const end =
      std::to_chars(exact.data(), exact.data() + exact.size(), *value, std::chars_format::fixed, 0)
          .ptr;
  const std::string_view kept(exact.data(), static_cast<std::size_t>(end - exact.data()));
  if (kept == digits) return "";
  return "'" + std::string(text) +
         "' is a whole number that float64 cannot hold: it would become " +
         (text[0] == '-' ? "-" : "") + std::string(kept);
}

std::vector<std::int64_t> columns_called(std::span<const std::string> columns,
                                         const std::string& name, const std::string& origin) {
  const auto number_of = [&](const std::string& one) -> std::int64_t {
    const auto found = std::ranges::find(columns, one);
    if (found == columns.end()) return -1;
    if (std::find(found + 1, columns.end(), one) != columns.end())
      throw std::invalid_argument(origin + ": two columns are called '" + one + "'");
    return found - columns.begin();
  };
  if (const std::int64_t column = number_of(name); column >= 0) return {column};
  std::vector<std::int64_t> out;
  for (std::size_t dash = name.find('-'); dash != name.npos; dash = name.find('-', dash + 1)) {
    const std::int64_t first = number_of(name.substr(0, dash));
    const std::int64_t last = number_of(name.substr(dash + 1));
    if (first < 0 || last < 0) continue;
    if (!out.empty())
      throw std::invalid_argument(origin + ": '" + name + "' can mean several ranges of columns");
    if (last < first)
      throw std::invalid_argument(origin + ": '" + name + "': " + name.substr(dash + 1) +
                                  " comes before " + name.substr(0, dash));
    for (std::int64_t column = first; column <= last; ++column) out.push_back(column);
  }
  return out;
}

std::string TextTable::place(std::int64_t row, std::int64_t column) const {
  const TextField& field = at(row, column);
  return origin + ":" + std::to_string(field.line) + ":" + std::to_string(field.column) + ": ";
}

TextTable parse_text_csv(std::string text, const std::string& origin, const CsvLayout& layout) {
  struct Owner {
    std::string text;
    std::deque<std::string> unescaped;
  };
  const auto owner = std::make_shared<Owner>(Owner{std::move(text), {}});
  TextTable table;
  table.origin = origin;
  Reader reader(owner->text, origin, layout.separator);
  skip_lines(reader, origin, layout.skip_lines);
  std::vector<TextField> row;
  if (layout.header == CsvHeader::kPresent && reader.next_row(row)) {
    for (const TextField& field : row) {
      if (field.text.empty()) reader.fail(field, "the column has no name");
      if (std::ranges::find(table.columns, field.text) != table.columns.end())
        reader.fail(field, "the name " + std::string(field.text) + " is listed twice");
      table.columns.emplace_back(field.text);
    }
    table.width = static_cast<std::int64_t>(row.size());
    table.header_line = reader.row_line();
  }
  for (row.clear(); reader.next_row(row); row.clear()) {
    if (table.width == 0) table.width = static_cast<std::int64_t>(row.size());
    reader.check_width(row, static_cast<std::size_t>(table.width));
    table.fields.insert(table.fields.end(), row.begin(), row.end());
    ++table.rows;
  }
  if (table.rows == 0)
    throw std::invalid_argument(origin + ":" + std::to_string(reader.row_line()) +
                                ":1: there is no row");
  owner->unescaped = reader.take_unescaped();
  table.owner = owner;
  return table;
}

TextTable read_text_csv(const std::string& path, const CsvLayout& layout) {
  const MappedFile file(path);
  const std::span<const char> bytes = file.bytes();
  return parse_text_csv(
      is_gzip(bytes) ? gunzip(bytes, path) : std::string(bytes.data(), bytes.size()), path, layout);
}

Array to_array(CsvTable table, const std::string& origin) {
  Array array;
  array.shape = {table.rows, table.width};
  if (table.width == 1) array.shape.pop_back();
  array.origin = origin;
  array.columns = std::move(table.columns);
  const auto values = std::make_shared<const std::vector<double>>(std::move(table.values));
  array.bytes = {reinterpret_cast<const char*>(values->data()), values->size() * sizeof(double)};
  array.owner = values;
  return array;
}

}  // namespace conoscope::formats
