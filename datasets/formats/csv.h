// SPDX-License-Identifier: Apache-2.0
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

/// kAutomatic: the first row is one if it holds anything but numbers.
enum class CsvHeader { kAutomatic, kPresent, kAbsent };

/// How a file of separated values is laid out.
struct CsvLayout {
  CsvHeader header = CsvHeader::kAutomatic;
  std::int64_t skip_lines = 0;  ///< before the first row; they are not looked at
  char separator = '\0';        ///< '\0': the one that the first row holds most of: , ; or a tab
};

/// A table of numbers, every row as long as the first.
struct CsvTable {
  std::vector<std::string> columns;  ///< empty without a header
  std::int64_t rows = 0, width = 0;
  std::vector<double> values;  ///< rows x width
};

/// As RFC 4180 has it: fields may be quoted, with line ends, separators and doubled quotes inside;
/// they may be padded with blanks; \r\n, a byte order mark, a missing newline and empty lines at
/// the end are fine.
///
/// throws  std::invalid_argument, beginning with origin:line:column (both from 1): a field that is
///         empty or not a number (quoting it), a whole number that lost_digits() is about, an empty
///         line before others, a row with another number of fields, an open quote, or no row at all
CsvTable parse_csv(std::string_view text, const std::string& origin, const CsvLayout& layout = {});

/// parse_csv() of a file, plain or gzipped, as its first bytes tell.
CsvTable read_csv(const std::string& path, const CsvLayout& layout = {});

/// One field of a table of text.
struct TextField {
  std::string_view text;               ///< without blanks and quotes
  std::uint32_t line = 0, column = 0;  ///< where it begins in its file, from 1
  bool quoted = false;
};

/// A table whose fields may be anything, with names for its columns.
struct TextTable {
  std::string origin;
  std::vector<std::string> columns;  ///< empty without a header
  std::int64_t rows = 0, width = 0;
  std::int64_t header_line = 0;       ///< of the file, from 1; 0: none
  std::vector<TextField> fields;      ///< rows x width
  std::shared_ptr<const void> owner;  ///< keeps the texts alive

  const TextField& at(std::int64_t row, std::int64_t column) const {
    return fields[static_cast<std::size_t>(row * width + column)];
  }
  /// "origin:line:column: "
  std::string place(std::int64_t row, std::int64_t column) const;
};

/// As parse_csv(), but fields stay text.
///
/// layout  header: present or absent
/// throws  std::invalid_argument, beginning with origin:line:column: as parse_csv(), and a name
///         in the header that is empty or is listed twice. Fields may be empty
TextTable parse_text_csv(std::string text, const std::string& origin, const CsvLayout& layout);

/// parse_text_csv() of a file, plain or gzipped.
TextTable read_text_csv(const std::string& path, const CsvLayout& layout);

/// The number that a field is: as parse_csv() reads it, so "nan" and "inf" are numbers too. What is
/// beyond the range of double is infinite, or 0.
std::optional<double> csv_number(std::string_view text);

/// Of a whole number that is written out, what is wrong with it as a double: "'9007199254740993' is
/// ...". Empty: all of its digits are kept, or it is no such number.
std::string lost_digits(std::string_view text);

/// Which columns, by number from 0, a name stands for: the column of that name, or, as FIRST-LAST,
/// all from one column to another in the table's order. Empty: none.
///
/// throws  std::invalid_argument, beginning with origin: two columns have the name, the last comes
///         before the first, or several ranges could be meant
std::vector<std::int64_t> columns_called(std::span<const std::string> columns,
                                         const std::string& name, const std::string& origin);

/// rows x width as float64; a table of one column becomes a vector.
Array to_array(CsvTable table, const std::string& origin);

}  // namespace conoscope::formats
