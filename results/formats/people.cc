#include "results/formats/people.h"

#include <algorithm>
#include <cstdint>

#include "results/formats/numbers.h"

namespace conoscope::results {

std::string human_text(const Field& field, const Column& column) {
  struct Writer {
    int digits;
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return digits_text(number, digits); }
    std::string operator()(const Estimate& e) const { return estimate_text(e, digits); }
    std::string operator()(const Coverage& c) const {
      return std::to_string(c.n) + "/" + std::to_string(c.asked);
    }
  };
  return std::visit(Writer{column.digits}, field);
}

bool is_right_aligned(const Column& column) { return column.type != ColumnType::text; }

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
