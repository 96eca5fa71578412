// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/table.h"

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

std::vector<int> checked_strides(std::span<const std::int64_t> every, std::span<const int> sizes,
                                 const std::string& parameter) {
  if (every.empty()) return std::vector<int>(sizes.size(), 1);
  std::string range;
  for (const int size : sizes) range += (range.empty() ? "" : ", ") + std::to_string(size);
  bool good = every.size() == sizes.size();
  for (std::size_t f = 0; good && f < every.size(); ++f)
    good = every[f] >= 1 && every[f] <= sizes[f];
  if (!good) {
    std::string given;
    for (const std::int64_t stride : every)
      given += (given.empty() ? "" : ", ") + std::to_string(stride);
    throw std::invalid_argument(parameter + " is [" + given + "], expected " +
                                std::to_string(sizes.size()) + " whole numbers from 1 to [" +
                                range + "]");
  }
  return {every.begin(), every.end()};
}

std::vector<std::int64_t> rows_on_strides(
    const FactorTable& table, std::span<const int> strides, std::int64_t steps,
    const std::function<bool(std::span<const std::uint8_t> row, std::size_t step)>& allowed) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    bool keep = true;
    for (std::size_t f = 0; keep && f < row.size(); ++f) keep = row[f] % strides[f] == 0;
    for (std::size_t step = 0; keep && step < static_cast<std::size_t>(steps); ++step)
      keep = allowed(row, step);
    if (keep) rows.push_back(i);
  }
  return rows;
}

FactorGrid::FactorGrid(const FactorTable& table, std::span<const std::int64_t> rows)
    : occurring_(table.sizes.size(), 0) {
  for (const int size : table.sizes) place_.emplace_back(static_cast<std::size_t>(size), -1);
  for (const std::int64_t i : rows) {
    const auto row = table.row(i);
    for (std::size_t f = 0; f < row.size(); ++f) place_[f][row[f]] = 0;
  }
  for (std::size_t f = 0; f < place_.size(); ++f)
    for (int& place : place_[f])
      if (place == 0) place = occurring_[f]++;
}

bool FactorGrid::is_on(std::span<const std::uint8_t> row, std::span<const int> strides) const {
  for (std::size_t f = 0; f < row.size(); ++f)
    if (place_[f][row[f]] % strides[f] != 0) return false;
  return true;
}

std::int64_t FactorGrid::combinations(std::span<const int> strides) const {
  std::int64_t all = 1;
  for (std::size_t f = 0; f < occurring_.size(); ++f)
    all *= (occurring_[f] + strides[f] - 1) / strides[f];
  return all;
}

}  // namespace conoscope::datasets
