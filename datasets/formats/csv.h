#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/formats/array.h"

namespace conoscope::formats {

enum class CsvHeader { automatic, present, absent };  ///< automatic: a first line with a non-number

/// A table of numbers: comma-separated, one row a line, every row as long as the first.
struct Table {
  std::vector<std::string> columns;  ///< empty without a header
  std::int64_t rows = 0, width = 0;
  std::vector<double> values;  ///< rows x width
};

/// Fields may be quoted and padded with blanks; \r\n, a byte order mark and a missing newline at
/// the end are fine.
///
/// throws  std::invalid_argument, beginning with origin:line:column (both from 1): a field that is
///         empty or not a number (quoting it), a line that is empty or has another number of
///         fields, an open quote, or no row at all
Table parse_csv(std::string_view text, const std::string& origin,
                CsvHeader header = CsvHeader::automatic);

/// The same for a file, plain or gzipped (told by its first bytes, not by its name).
Table read_csv(const std::string& path, CsvHeader header = CsvHeader::automatic);

/// One field of a table of text.
struct TextField {
  std::string_view text;     ///< without blanks and quotes
  std::uint32_t column = 0;  ///< where it begins in its line, from 1
  bool quoted = false;
};

/// A table whose fields may be anything, with names for its columns.
struct TextTable {
  std::string origin;
  std::vector<std::string> columns;  ///< empty without a header
  std::int64_t rows = 0, width = 0;
  std::int64_t header_line = 0;       ///< of the file, from 1; 0: none
  std::int64_t first_line = 1;        ///< of the file, where row 0 stands
  std::vector<TextField> fields;      ///< rows x width
  std::shared_ptr<const void> owner;  ///< keeps the texts alive

  const TextField& at(std::int64_t row, std::int64_t column) const {
    return fields[static_cast<std::size_t>(row * width + column)];
  }
  /// "origin:line:column: "
  std::string place(std::int64_t row, std::int64_t column) const;
};

/// The same layout as parse_csv(), every field kept as the text that it is.
///
/// header      present or absent
/// skip_lines  lines before the header (or the first row) that are not looked at
/// throws      std::invalid_argument, beginning with origin:line:column: as parse_csv(), and a name
///             in the header that is empty or is listed twice. Fields may be empty
TextTable parse_text_csv(std::string text, const std::string& origin, CsvHeader header,
                         std::int64_t skip_lines = 0);

/// The same for a file, plain or gzipped.
TextTable read_text_csv(const std::string& path, CsvHeader header, std::int64_t skip_lines = 0);

/// The number that a field is: as parse_csv() reads it, so "nan" and "inf" are numbers too.
std::optional<double> csv_number(std::string_view text);

/// rows x width as float64; a table of one column becomes a vector.
Array to_array(Table table, const std::string& origin);

/// Unpacks gzip data, all members of it.
/// throws  std::invalid_argument, beginning with origin: damaged or cut short
std::string gunzip(std::span<const char> bytes, const std::string& origin);

}  // namespace conoscope::formats
