// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace conoscope::results {

/// A mean with the half-width of its interval: "0.812 ± 0.021". Unknown half-width: one value only.
struct Estimate {
  double mean = 0;  ///< without a meaning where n is 0
  std::optional<double> half_width;
  std::int64_t n = 0;                      ///< values that went in
  std::int64_t asked = 0;                  ///< values asked for; shown where it is not n
  std::vector<std::string> messages = {};  ///< about missing or doubtful values, each text once
  bool best = false;                       ///< md and latex: bold
  std::string marks = {};                  ///< for people, behind the number
};

/// How many there are of how many asked for: "2/3".
struct Coverage {
  std::int64_t n = 0, asked = 0;
};

/// One field; monostate is NULL.
using Field = std::variant<std::monostate, std::string, std::int64_t, double, Estimate, Coverage>;

/// Empty where it holds no text.
std::string text_of(const Field& field);

/// NULL without a number.
Field field_of(const std::optional<double>& number);

/// The interval's ends; NULL without a half-width.
Field low_end(const Estimate& estimate);
Field high_end(const Estimate& estimate);

enum class ColumnType { kText, kInteger, kReal, kEstimate, kCoverage };

/// Which of two numbers is the better one.
enum class Better { kNeither, kHigher, kLower };

struct Column {
  std::string name;
  ColumnType type = ColumnType::kText;
  int digits = 4;         ///< significant digits of a real for people; machines get all
  bool messages = false;  ///< estimates: machines get a column <name>_message, too
  bool up = false;        ///< a real is rounded away from 0, for people
  int tiny = 0;           ///< k: for people, what is nearer to 0 than 10^-k is < 1e-k; 0: as it is
  Better better = Better::kNeither;  ///< on a screen: an arrow

  static Column text(std::string name) { return {std::move(name)}; }
  static Column integer(std::string name) { return {std::move(name), ColumnType::kInteger}; }
  static Column real(std::string name) { return {std::move(name), ColumnType::kReal}; }
  static Column estimate(std::string name) { return {std::move(name), ColumnType::kEstimate}; }
  static Column coverage(std::string name) { return {std::move(name), ColumnType::kCoverage}; }
};

/// Rows and typed columns, to be written in any format (format.h).
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Field>> rows;

  /// throws  std::invalid_argument: as many fields as columns are needed
  void add(std::vector<Field> row);

  /// Where the column of this name stands.
  /// throws  std::invalid_argument: there is none
  std::size_t column(std::string_view name) const;

  /// Keeps these columns alone, in this order.
  /// throws  std::invalid_argument: there is no such column
  void keep(const std::vector<std::string>& names);
};

}  // namespace conoscope::results
