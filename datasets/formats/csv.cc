#include "datasets/formats/csv.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "datasets/formats/file.h"

namespace conoscope::formats {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : rest_(text), origin_(origin) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// The next line, whatever it holds.
  bool skip_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++line_number_;
    return true;
  }

  bool next_line() {
    if (!skip_line()) return false;
    if (trim(line_).empty()) fail(1, "the line is empty");
    return true;
  }

  /// Appends the line's fields.
  void split(std::vector<TextField>& fields) const {
    std::size_t at = 0;
    for (;;) {
      std::size_t begin = at;
      while (begin < line_.size() && (line_[begin] == ' ' || line_[begin] == '\t')) ++begin;
      std::size_t end = 0;
      if (begin < line_.size() && line_[begin] == '"') {
        const std::size_t close = line_.find('"', begin + 1);
        if (close == line_.npos) fail(begin + 1, "a quote is opened and not closed");
        end = std::min(line_.find(',', close), line_.size());
        if (!trim(line_.substr(close + 1, end - close - 1)).empty())
          fail(close + 2, "text after a closing quote");
        fields.push_back({line_.substr(begin + 1, close - begin - 1), place(begin), true});
      } else {
        end = std::min(line_.find(',', begin), line_.size());
        fields.push_back({trim(line_.substr(begin, end - begin)), place(begin), false});
      }
      if (end == line_.size()) return;
      at = end + 1;
    }
  }

  [[noreturn]] void fail(std::size_t column, const std::string& why) const {
    throw std::invalid_argument(origin_ + ":" + std::to_string(line_number_) + ":" +
                                std::to_string(column) + ": " + why);
  }

  /// `fields` are this line's; those of the first line were `width`.
  void check_width(std::span<const TextField> fields, std::size_t width) const {
    if (fields.size() != width)
      fail(fields.size() > width ? fields[width].column : line_.size() + 1,
           std::to_string(fields.size()) + " fields, expected " + std::to_string(width) +
               " as in the first line");
  }

  std::size_t line_number() const { return line_number_; }

 private:
  static std::uint32_t place(std::size_t begin) { return static_cast<std::uint32_t>(begin + 1); }

  std::string_view rest_, line_;
  const std::string& origin_;
  std::size_t line_number_ = 0;
};

}  // namespace

Table parse_csv(std::string_view text, const std::string& origin, CsvHeader header) {
  Reader reader(text, origin);
  Table table;
  std::vector<TextField> fields;
  bool first = true;
  while (reader.next_line()) {
    fields.clear();
    reader.split(fields);
    if (first) {
      first = false;
      table.width = static_cast<std::int64_t>(fields.size());
      const bool numbers = std::all_of(fields.begin(), fields.end(), [](const TextField& field) {
        return csv_number(field.text).has_value();
      });
      if (header == CsvHeader::present || (header == CsvHeader::automatic && !numbers)) {
        for (const TextField& field : fields) table.columns.emplace_back(field.text);
        continue;
      }
    }
    reader.check_width(fields, static_cast<std::size_t>(table.width));
    for (const TextField& field : fields) {
      const auto value = csv_number(field.text);
      if (!value)
        reader.fail(field.column, field.text.empty()
                                      ? "the field is empty"
                                      : "'" + std::string(field.text) + "' is not a number");
      table.values.push_back(*value);
    }
    ++table.rows;
  }
  if (table.rows == 0) throw std::invalid_argument(origin + ":1:1: there is no row of numbers");
  return table;
}

namespace {

bool is_gzip(std::span<const char> bytes) {
  return bytes.size() > 1 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

Table read_csv(const std::string& path, CsvHeader header) {
  const MappedFile file(path);
  const std::span<const char> bytes = file.bytes();
  if (is_gzip(bytes)) return parse_csv(gunzip(bytes, path), path, header);
  return parse_csv({bytes.data(), bytes.size()}, path, header);
}

std::optional<double> csv_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string TextTable::place(std::int64_t row, std::int64_t column) const {
  return origin + ":" + std::to_string(first_line + row) + ":" +
         std::to_string(at(row, column).column) + ": ";
}

TextTable parse_text_csv(std::string text, const std::string& origin, CsvHeader header,
                         std::int64_t skip_lines) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  TextTable table;
  table.origin = origin;
  table.owner = owner;
  Reader reader(*owner, origin);
  for (std::int64_t i = 0; i < skip_lines; ++i)
    if (!reader.skip_line())
      throw std::invalid_argument(origin + ": " + std::to_string(i) + " lines, none after the " +
                                  std::to_string(skip_lines) + " that are skipped");
  std::vector<TextField> line;
  if (header == CsvHeader::present && reader.next_line()) {
    reader.split(line);
    for (const TextField& field : line) {
      if (field.text.empty()) reader.fail(field.column, "the column has no name");
      if (std::ranges::find(table.columns, field.text) != table.columns.end())
        reader.fail(field.column, "the name " + std::string(field.text) + " is listed twice");
      table.columns.emplace_back(field.text);
    }
    table.width = static_cast<std::int64_t>(line.size());
    table.header_line = static_cast<std::int64_t>(reader.line_number());
  }
  table.first_line = static_cast<std::int64_t>(reader.line_number()) + 1;
  while (reader.next_line()) {
    line.clear();
    reader.split(line);
    if (table.width == 0) table.width = static_cast<std::int64_t>(line.size());
    reader.check_width(line, static_cast<std::size_t>(table.width));
    table.fields.insert(table.fields.end(), line.begin(), line.end());
    ++table.rows;
  }
  if (table.rows == 0)
    throw std::invalid_argument(origin + ":" + std::to_string(table.first_line) +
                                ":1: there is no row");
  return table;
}

TextTable read_text_csv(const std::string& path, CsvHeader header, std::int64_t skip_lines) {
  const MappedFile file(path);
  const std::span<const char> bytes = file.bytes();
  return parse_text_csv(
      is_gzip(bytes) ? gunzip(bytes, path) : std::string(bytes.data(), bytes.size()), path, header,
      skip_lines);
}

Array to_array(Table table, const std::string& origin) {
  Array array;
  array.shape = {table.rows, table.width};
  if (table.width == 1) array.shape.pop_back();
  array.origin = origin;
  const auto values = std::make_shared<const std::vector<double>>(std::move(table.values));
  array.bytes = {reinterpret_cast<const char*>(values->data()), values->size() * sizeof(double)};
  array.owner = values;
  return array;
}

std::string gunzip(std::span<const char> bytes, const std::string& origin) {
  z_stream stream{};
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);

  std::string out;
  std::vector<char> buffer(std::size_t{1} << 16);
  std::span<const char> rest = bytes;
  int code = Z_OK;
  do {
    // avail_in is 32 bits wide.
    const auto chunk = std::min<std::size_t>(rest.size(), std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(chunk);
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    rest = rest.subspan(chunk - stream.avail_in);
    if (code == Z_BUF_ERROR && rest.empty())
      throw std::invalid_argument(origin + ": the gzip data are cut short after " +
                                  std::to_string(bytes.size()) + " bytes");
    if (code != Z_OK && code != Z_STREAM_END)
      throw std::invalid_argument(origin + ": the gzip data are damaged" +
                                  (stream.msg != nullptr ? std::string(": ") + stream.msg : ""));
    if (code == Z_STREAM_END && !rest.empty()) {
      inflateReset(&stream);
      code = Z_OK;
    }
  } while (code != Z_STREAM_END);
  return out;
}

}  // namespace conoscope::formats
