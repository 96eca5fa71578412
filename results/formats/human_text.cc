// SPDX-License-Identifier: Apache-2.0
#include "results/formats/human_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "results/formats/numbers.h"

namespace conoscope::results {

std::string human_text(const Field& field, const Column& column) {
  struct Writer {
    int digits;
    bool up;
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const {
      return digits_text(up ? rounded_up(number, digits) : number, digits);
    }
    std::string operator()(const Estimate& e) const {
      return estimate_text(e, digits) + (e.marks.empty() ? "" : " " + e.marks);
    }
    std::string operator()(const Coverage& c) const {
      return std::to_string(c.n) + "/" + std::to_string(c.asked);
    }
  };
  if (is_tiny(field, column)) return "<1e-" + std::to_string(column.tiny);
  return std::visit(Writer{column.digits, column.up}, field);
}

bool is_tiny(const Field& field, const Column& column) {
  if (column.tiny == 0) return false;
  const auto* number = std::get_if<double>(&field);
  const auto* estimate = std::get_if<Estimate>(&field);
  if (number == nullptr && (estimate == nullptr || estimate->n == 0)) return false;
  const double value = std::abs(number != nullptr ? *number : estimate->mean);
  return value != 0 && value < std::pow(10.0, -column.tiny);
}

bool is_best(const Field& field) {
  const auto* estimate = std::get_if<Estimate>(&field);
  return estimate != nullptr && estimate->best;
}

bool is_right_aligned(const Column& column) { return column.type != ColumnType::kText; }

std::string listed(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i)
    out += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return out;
}

std::string raised(const std::string& marks) {
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : marks) {
    if (c == ',')
      out += c;
    else
      out += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

Footnotes::Footnotes(const Table& table) {
  for (const auto& row : table.rows)
    for (const Field& field : row)
      if (const auto* estimate = std::get_if<Estimate>(&field))
        for (const std::string& text : estimate->messages)
          if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
}

std::string Footnotes::marks(const Field& field) const {
  std::string out;
  if (const auto* estimate = std::get_if<Estimate>(&field))
    for (const std::string& text : estimate->messages)
      out += (out.empty() ? "" : ",") +
             std::to_string(std::find(texts_.begin(), texts_.end(), text) - texts_.begin() + 1);
  return out;
}

}  // namespace conoscope::results
