#pragma once

#include <cstdint>
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

/// rows x width as float64; a table of one column becomes a vector.
Array to_array(Table table, const std::string& origin);

/// Unpacks gzip data, all members of it.
/// throws  std::invalid_argument, beginning with origin: damaged or cut short
std::string gunzip(std::span<const char> bytes, const std::string& origin);

}  // namespace conoscope::formats
