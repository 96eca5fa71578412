// SPDX-License-Identifier: Apache-2.0
#include "datasets/table/columns.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/join.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>

namespace conoscope::datasets {

using formats::csv_number;
using formats::TextField;
using formats::TextTable;

namespace {

constexpr std::size_t kManyCategories = 20;

const std::string& name_of(const TextTable& table, std::int64_t column) {
  return table.columns[static_cast<std::size_t>(column)];
}

[[noreturn]] void refuse(const TextTable& table, std::int64_t row, std::int64_t column,
                         const std::string& why) {
  throw std::invalid_argument(table.place(row, column) + why);
}

std::string quoted(const TextField& field) { return "'" + std::string(field.text) + "'"; }

/// Two numbers must not become one, nor two categories.
void refuse_large(const TextTable& table, std::int64_t column, std::span<const std::int64_t> rows,
                  bool categorical) {
  constexpr double kLargestCounted = 0x1p53;
  for (const std::int64_t row : rows) {
    const TextField& field = table.at(row, column);
    std::string why = formats::lost_digits(field.text);
    if (why.empty() && categorical && std::abs(*csv_number(field.text)) > kLargestCounted)
      why = quoted(field) + " is beyond 2^53, up to which float64 has every whole number";
    if (!why.empty())
      refuse(table, row, column,
             why + "; where such numbers are names, put a letter in front of them");
  }
}

/// Replaces the fields by codes: by the numbers' order, or the texts'.
template <typename Key, typename KeyOf>
void encode(const TextTable& table, std::int64_t column, std::span<const std::int64_t> rows,
            const KeyOf& key_of, TableColumn& out) {
  std::map<Key, std::size_t> codes;
  std::map<Key, std::string> names;  // as the category is first written
  for (const std::int64_t row : rows) {
    const TextField& field = table.at(row, column);
    names.try_emplace(key_of(field), field.text);
  }
  for (const auto& [key, name] : names) {
    codes[key] = out.categories.size();
    out.categories.push_back(name);
  }
  for (const std::int64_t row : rows)
    out.values.push_back(static_cast<double>(codes.at(key_of(table.at(row, column)))));
}

}  // namespace

Columns named_columns(const TextTable& table, const std::string& role,
                      const std::vector<std::string>& names) {
  Columns out;
  for (const std::string& wanted : names) {
    const std::string place =
        table.origin + (table.header_line > 0 ? ":" + std::to_string(table.header_line) : "");
    const auto found = formats::columns_called(table.columns, wanted, place);
    if (found.empty())
      throw std::invalid_argument(place + ": there is no column '" + wanted + "'" + ", which " +
                                  role + " names; there are " +
                                  boost::algorithm::join(table.columns, ", "));
    for (const std::int64_t column : found) {
      if (std::ranges::find(out, column) != out.end())
        throw std::invalid_argument("table: " + role + " names the column " +
                                    name_of(table, column) + " twice");
      out.push_back(column);
    }
  }
  return out;
}

bool is_missing(const TextField& field) {
  if (field.quoted) return field.text.empty();
  constexpr std::array<std::string_view, 6> kWords = {"", "na", "n/a", "nan", "null", "?"};
  std::string word(field.text);
  std::ranges::transform(word, word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kWords, word) != kWords.end();
}

std::vector<std::int64_t> complete_rows(const TextTable& table, const Columns& columns) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < table.rows; ++row)
    if (std::ranges::none_of(columns, [&](std::int64_t c) { return is_missing(table.at(row, c)); }))
      rows.push_back(row);
  return rows;
}

void refuse_missing(const TextTable& table, const Columns& columns) {
  for (std::int64_t row = 0; row < table.rows; ++row)
    for (const std::int64_t column : columns)
      if (is_missing(table.at(row, column)))
        refuse(table, row, column,
               "the value of " + name_of(table, column) + " is missing (" +
                   quoted(table.at(row, column)) +
                   "); missing = \"drop_rows\" leaves such rows out, impute fills inputs in");
}

TableColumn read_column(const TextTable& table, std::int64_t column,
                        std::span<const std::int64_t> rows, bool categorical) {
  TableColumn out;
  out.name = name_of(table, column);
  std::int64_t first_text = -1;
  std::size_t numbers = 0;
  for (const std::int64_t row : rows) {
    if (const auto value = csv_number(table.at(row, column).text)) {
      ++numbers;
      if (!std::isfinite(*value))
        refuse(table, row, column, quoted(table.at(row, column)) + " is not a finite number");
    } else if (first_text < 0) {
      first_text = row;
    }
  }
  if (!categorical && numbers > 0 && first_text >= 0)
    refuse(table, first_text, column,
           quoted(table.at(first_text, column)) + " is not a number, as " +
               std::to_string(numbers) + " other values of " + out.name +
               " are; categorical takes them all for categories");
  if (first_text < 0) refuse_large(table, column, rows, categorical);
  const auto number = [](const TextField& field) { return *csv_number(field.text); };
  if (!categorical && first_text < 0) {
    for (const std::int64_t row : rows) out.values.push_back(number(table.at(row, column)));
    return out;
  }
  if (first_text < 0)
    encode<double>(table, column, rows, number, out);
  else
    encode<std::string>(
        table, column, rows, [](const TextField& field) { return std::string(field.text); }, out);
  if (!categorical && out.categories.size() > kManyCategories &&
      out.categories.size() > rows.size() / 2)
    refuse(table, first_text, column,
           out.name + " holds " + std::to_string(out.categories.size()) + " texts in " +
               std::to_string(rows.size()) +
               " rows, which name the rows rather than group them; ignore leaves the column out, "
               "categorical takes it all the same");
  return out;
}

TableColumn imputed_column(const TextTable& table, std::int64_t column,
                           std::span<const std::int64_t> rows, std::span<const std::int64_t> train,
                           bool categorical, Imputation imputation, std::int64_t& filled) {
  std::vector<std::int64_t> known;
  for (const std::int64_t row : rows)
    if (!is_missing(table.at(row, column))) known.push_back(row);
  if (known.size() == rows.size()) return read_column(table, column, rows, categorical);
  if (known.empty())
    throw std::invalid_argument(table.place(rows[0], column) + name_of(table, column) +
                                " has no value in any row; ignore leaves the column out");
  TableColumn out = read_column(table, column, known, categorical);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(rows.size(), missing);
  for (std::size_t i = 0, next = 0; i < rows.size() && next < known.size(); ++i)
    if (rows[i] == known[next]) values[i] = out.values[next++];
  std::vector<double> seen;
  for (const std::int64_t i : train)
    if (const double value = values[static_cast<std::size_t>(i)]; !std::isnan(value))
      seen.push_back(value);
  if (seen.empty())
    throw std::invalid_argument(table.place(rows[0], column) + name_of(table, column) +
                                " has no value in any training row, to fill in where it has none");
  std::ranges::sort(seen);
  const std::size_t n = seen.size();
  double typical = (seen[(n - 1) / 2] + seen[n / 2]) / 2;
  if (imputation == Imputation::mode || !out.categories.empty()) {
    std::map<double, std::size_t> counts;
    for (const double value : seen) ++counts[value];
    typical =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  }
  for (double& value : values)
    if (std::isnan(value)) {
      value = typical;
      ++filled;
    }
  out.values = std::move(values);
  return out;
}

std::vector<TableColumn> one_for_each_category(TableColumn codes) {
  if (codes.categories.size() == 2) {
    codes.name += "=" + codes.categories[1];
    return {codes};
  }
  std::vector<TableColumn> out;
  for (std::size_t code = 0; code < codes.categories.size(); ++code) {
    TableColumn one{codes.name + "=" + codes.categories[code], codes.values, {}};
    for (double& value : one.values) value = value == static_cast<double>(code) ? 1.0 : 0.0;
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<TableColumn> indicators(const TextTable& table, std::int64_t column,
                                    std::span<const std::int64_t> rows, bool categorical) {
  TableColumn all = read_column(table, column, rows, categorical);
  if (all.categories.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (all.values[i] != 0.0 && all.values[i] != 1.0)
        refuse(table, rows[i], column,
               quoted(table.at(rows[i], column)) + " is neither 0 nor 1, as " + all.name +
                   " must be; categorical makes a column of each of its values");
    return {all};
  }
  if (all.categories.size() == 1)
    refuse(table, rows[0], column,
           all.name + " is " + all.categories[0] + " in every row: nothing to tell apart");
  return one_for_each_category(std::move(all));
}

}  // namespace conoscope::datasets
