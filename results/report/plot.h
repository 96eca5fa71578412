// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"

namespace conoscope::results {

/// One picture of a table, drawn without a browser: a row for each of the table's, a point for its
/// number, a line for its interval. Text columns that differ between rows name them.
///
///   a column difference   its interval is low ... high, beside a line at 0   (compare)
///   else estimates        the first is a filled point, others are open marks (board)
///   else a column value   points                                             (history)
///
/// Rows without a number say so. The axis is linear.
///
/// throws  std::invalid_argument: none of these columns, or no row with a number
std::string plot_svg(const Table& table, const std::string& title);

/// The same to stand in a page, in the colour of its text.
std::string plot_inline(const Table& table, const std::string& title);

/// A page with this picture and nothing else: it follows the reader's light or dark colours.
std::string plot_html(const Table& table, const std::string& title);

}  // namespace conoscope::results
