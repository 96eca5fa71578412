#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/formats/table.h"

namespace conoscope::results {

/// table   aligned text for terminals; control characters are shown, not sent
/// csv     RFC 4180 with header: CRLF, quotes doubled; NULL is empty, an empty text is ""
/// json    array of objects
/// ndjson  one object a line
/// md      a table of GitHub-flavoured Markdown
/// latex   a tabular with booktabs rules
///
/// table, md and latex are for people: significant digits as the column says, NULL is -, an
/// estimate is mean ± half-width. csv, json and ndjson are for machines: the shortest digits that
/// give the same double back, NULL is empty or null; an estimate x takes the columns x,
/// x_half_width and x_n, a coverage x the columns x_n and x_asked. An infinity, which a user's own
/// query can make, is "inf" or "-inf" everywhere.
enum class Format { table, csv, json, ndjson, md, latex };

/// None: there is no such format.
std::optional<Format> parse_format(std::string_view text);

/// table, md and latex.
bool for_people(Format format);

std::string to_text(const Table& table, Format format);

/// Shortest text that reads back as the same double: 0.1, 1e-09, inf.
std::string shortest_text(double value);

/// So many significant digits, zeros kept: 0.5000, 12.30, 1.235e-07.
std::string digits_text(double value, int digits);

/// Mean and half-width with the same decimals, two significant digits of the half-width:
/// "0.812 ± 0.021"; "0.8120 ± -" without a half-width; " (2/3)" behind it where values are missing.
std::string estimate_text(const Estimate& estimate, int digits);

/// Columns a terminal needs for UTF-8 text: 0 for combining marks, 2 for wide characters.
int display_width(std::string_view text);

}  // namespace conoscope::results
