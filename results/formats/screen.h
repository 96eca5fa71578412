// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// What a table is printed on.
struct Screen {
  int width = 80;       ///< columns
  bool styled = false;  ///< it shows bold and faint text
};

/// A text in lines of so many columns, cut behind a blank, comma, semicolon, bracket, colon, = or _ where there is
/// one.
std::vector<std::string> wrapped(const std::string& text, int width);

/// The format `table`, made to fit a terminal:
///
///   - a column that says the same in every row becomes a line above the table, and so do the
///     parameters that all components of a kind share; a column without anything goes
///   - the columns of a metric's controls are named by the control, and a metric's head has an
///     arrow to where better is
///   - texts wrap at blanks, commas and brackets; numbers never do: columns that find no room
///     stand below, beside the rows' names once more
///   - rows of long texts alone stand below each other, a line for each column
///   - footnotes that differ in their numbers alone are one
///
/// Needs more columns than the screen has only where a number alone does.
std::string to_screen(const Table& table, const Screen& screen);

}  // namespace conoscope::results
