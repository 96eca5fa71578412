// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/csv.h"

namespace conoscope::datasets {

/// Columns of a table, by number from 0.
using Columns = std::vector<std::int64_t>;

/// The columns of these names; FIRST-LAST names all from one column to another (columns_called()).
/// role    whose list it is, for messages
/// throws  std::invalid_argument: a name that the table has not (lists those that it has), or that
///         is listed twice
Columns named_columns(const formats::TextTable& table, const std::string& role,
                      const std::vector<std::string>& names);

/// Whether a field says that its value is not known: empty, NA, N/A, NaN, null or ?, in any letter
/// case. Words in quotes are text.
bool is_missing(const formats::TextField& field);

/// The rows in which none of the columns has a missing value, ascending.
std::vector<std::int64_t> complete_rows(const formats::TextTable& table, const Columns& columns);

/// throws  std::invalid_argument, beginning with file:line:column: the first missing value of the
///         columns
void refuse_missing(const formats::TextTable& table, const Columns& columns);

/// One column's values: numbers as they are, or the codes of categories.
struct TableColumn {
  std::string name;
  std::vector<double> values;           ///< one for each row asked for
  std::vector<std::string> categories;  ///< code 0, 1, ...; empty: the values are numbers
};

/// A column of numbers is taken as it is, one without a number as categories. Categories get the
/// codes 0, 1, ... in ascending order of their texts' bytes, or of their values where all are
/// numbers.
///
/// rows          without a missing value in this column
/// categorical   the values are categories, whatever they look like
/// throws        std::invalid_argument, beginning with file:line:column: a text in a column that
///               holds numbers too, an infinite number, a whole number that float64 cannot hold or,
///               as a category, one beyond 2^53, or texts of which nearly each is another (a
///               name of the row, no category: more than 20 and more than half the rows)
TableColumn read_column(const formats::TextTable& table, std::int64_t column,
                        std::span<const std::int64_t> rows, bool categorical);

/// What stands for a missing value: the middle of the numbers that are known (the mean of the two
/// in the middle), or the value known most often, of equals the smallest. Categories have no middle
/// and get the latter either way.
enum class Imputation { median, mode };

/// read_column() of a column in which values may be missing. Those are filled in with what the
/// training rows tell, so that no test row has a say.
///
/// train   positions in `rows`, ascending
/// filled  how many values were missing, added to
/// throws  std::invalid_argument: as read_column(), and where no training row has a value
TableColumn imputed_column(const formats::TextTable& table, std::int64_t column,
                           std::span<const std::int64_t> rows, std::span<const std::int64_t> train,
                           bool categorical, Imputation imputation, std::int64_t& filled);

/// A 0 and 1 column for each of the categories, named "column=category"; of two, for the second.
std::vector<TableColumn> one_for_each_category(TableColumn codes);

/// 0 and 1 columns: numbers that are 0 or 1, or two categories (the second one is 1). More
/// categories become a column each, named "column=category".
/// throws  std::invalid_argument, beginning with file:line:column: another number; or one category
std::vector<TableColumn> indicators(const formats::TextTable& table, std::int64_t column,
                                    std::span<const std::int64_t> rows, bool categorical);

}  // namespace conoscope::datasets
