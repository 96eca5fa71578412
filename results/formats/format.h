// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// How a table is written, by a file of the same name.
///
/// table   aligned text for terminals; control characters are shown, not sent
/// csv     RFC 4180 with header: CRLF, quotes doubled; NULL is empty, an empty text is ""; a text
///         that a spreadsheet would take for a formula begins with '
/// json    array of objects
/// ndjson  one object a line
/// md      a table of GitHub-flavoured Markdown
/// latex   a tabular with booktabs rules
///
/// table, md and latex are for people: significant digits as the column says, NULL is -, an
/// estimate is mean ± half-width with a raised number for each of its messages, which are listed
/// below the table. csv, json and ndjson are for machines: the shortest digits that give the same
/// double back, NULL is empty or null; an estimate x takes the columns x, x_half_width, x_n and, if
/// its column asks for it, x_message (several joined with "; "), a coverage x the columns x_n and
/// x_asked. An infinity, which a user's own query can make, is "inf" or "-inf" everywhere.
struct Format {
  std::string_view name;
  bool for_people;
  std::string (*write)(const Table& table);  ///< for machines: of an expanded table

  static const Format table, csv, json, ndjson, md, latex;  ///< those that code asks for

  friend bool operator==(const Format& a, const Format& b) { return a.name == b.name; }
};

std::vector<std::string> format_names();
/// "table, csv, json, ndjson, md or latex"
std::string format_names_text();
/// None: there is no such format.
std::optional<Format> parse_format(std::string_view text);

std::string to_text(const Table& table, const Format& format);

/// The same text for machines of a table that comes in parts, of equal columns.
class TextInParts {
 public:
  explicit TextInParts(const Format& format) : format_(format) {}
  /// The part's text: what comes between it and the ones before is in it.
  std::string add(const Table& part);
  /// What comes after the last part.
  std::string end() const;

 private:
  Format format_;
  std::size_t parts_ = 0, rows_ = 0;
};

}  // namespace conoscope::results
