#include "datasets/factorial/table.h"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace conoscope::datasets {

FactorTable every_combination(std::vector<int> sizes) {
  std::size_t rows = 1;
  for (const int size : sizes) rows *= static_cast<std::size_t>(size);
  FactorTable table{std::move(sizes), {}};
  const std::size_t width = table.sizes.size();
  table.classes.resize(rows * width);
  std::vector<int> at(width, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t f = 0; f < width; ++f)
      table.classes[i * width + f] = static_cast<std::uint8_t>(at[f]);
    for (std::size_t f = width; f-- > 0;) {
      if (++at[f] < table.sizes[f]) break;
      at[f] = 0;
    }
  }
  return table;
}

std::vector<int> parse_strides(const std::string& text, std::span<const int> sizes,
                               const std::string& parameter) {
  if (text.empty()) return std::vector<int>(sizes.size(), 1);
  std::string range;
  for (const int size : sizes) range += (range.empty() ? "" : ",") + std::to_string(size);
  const auto refuse = [&] {
    throw std::invalid_argument(parameter + " is \"" + text + "\", expected " +
                                std::to_string(sizes.size()) +
                                " whole numbers with commas between, from 1 to " + range);
  };
  std::vector<int> strides;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    while (at != end && *at == ' ') ++at;
    int stride = 0;
    const auto [next, error] = std::from_chars(at, end, stride);
    if (error != std::errc() || strides.size() == sizes.size() || stride < 1 ||
        stride > sizes[strides.size()])
      refuse();
    strides.push_back(stride);
    at = next;
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    if (*at++ != ',') refuse();
  }
  if (strides.size() != sizes.size()) refuse();
  return strides;
}

bool on_strides(std::span<const std::uint8_t> row, std::span<const int> strides) {
  for (std::size_t f = 0; f < row.size(); ++f)
    if (row[f] % strides[f] != 0) return false;
  return true;
}

std::vector<std::int64_t> rows_on_strides(const FactorTable& table, std::span<const int> strides) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < table.rows(); ++i)
    if (on_strides(table.row(i), strides)) rows.push_back(i);
  return rows;
}

}  // namespace conoscope::datasets
