// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/letters.h"

#include <algorithm>
#include <set>

namespace conoscope::results {

namespace {

using Together = std::set<std::size_t>;  // methods that share a letter

/// What another one holds already says nothing.
void absorb(std::vector<Together>& columns) {
  std::vector<Together> kept;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bool covered = false;
    for (std::size_t j = 0; j < columns.size() && !covered; ++j)
      covered = i != j && std::ranges::includes(columns[j], columns[i]) &&
                (columns[i].size() < columns[j].size() || j < i);
    if (!covered) kept.push_back(columns[i]);
  }
  columns = std::move(kept);
}

std::string letter(std::size_t number) {
  std::string out;
  for (++number; number > 0; number = (number - 1) / 26)
    out.insert(out.begin(), static_cast<char>('a' + (number - 1) % 26));
  return out;
}

}  // namespace

std::vector<std::string> shared_letters(
    std::size_t count, const std::function<bool(std::size_t, std::size_t)>& different) {
  std::vector<Together> columns(1);
  for (std::size_t i = 0; i < count; ++i) columns[0].insert(i);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      if (!different(i, j)) continue;
      std::vector<Together> split;
      for (Together& column : columns) {
        if (!column.contains(i) || !column.contains(j)) {
          split.push_back(std::move(column));
          continue;
        }
        Together without = column;
        without.erase(i);
        column.erase(j);
        split.push_back(std::move(column));
        split.push_back(std::move(without));
      }
      columns = std::move(split);
      absorb(columns);
      if (columns.size() > kMostLetters) return {};
    }
  std::ranges::sort(columns);
  std::vector<std::string> out(count);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (const std::size_t method : columns[c])
      out[method] += (out[method].empty() ? "" : " ") + letter(c);
  return out;
}

}  // namespace conoscope::results
