// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/ranking.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "results/boards/board.h"

namespace conoscope::results {

namespace {

using Row = std::vector<Field>;

const Estimate* number_in(const Row& row, std::size_t column) {
  const auto* estimate = std::get_if<Estimate>(&row[column]);
  return estimate != nullptr && estimate->n > 0 ? estimate : nullptr;
}

/// Rows that are ranked together: [begin, end) for each contest.
std::vector<std::pair<std::size_t, std::size_t>> contests(const Table& board) {
  const auto contest = contests_of(board);
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t begin = 0, end; begin < contest.size(); begin = end) {
    for (end = begin + 1; end < contest.size() && contest[end] == contest[begin];) ++end;
    out.emplace_back(begin, end);
  }
  return out;
}

}  // namespace

void mark_best(Table& board, const std::string& metric, const std::string& direction) {
  if (direction == "none") return;
  const std::size_t column = board.column(metric);
  const auto origin = std::ranges::find(board.columns, kOriginColumn, &Column::name);
  const auto competes = [&](const Row& row) {
    return origin == board.columns.end() ||
           text_of(row[static_cast<std::size_t>(origin - board.columns.begin())]) != kSelfReported;
  };
  const auto complete = [&](std::size_t row) {
    const auto* number = competes(board.rows[row]) ? number_in(board.rows[row], column) : nullptr;
    return number != nullptr && number->n == number->asked ? number : nullptr;
  };
  for (const auto& [begin, end] : contests(board)) {
    std::optional<double> best;
    for (std::size_t r = begin; r < end; ++r)
      if (const auto* number = complete(r))
        if (!best || (direction == "higher" ? number->mean > *best : number->mean < *best))
          best = number->mean;
    for (std::size_t r = begin; r < end; ++r)
      if (const auto* number = complete(r); number != nullptr && number->mean == *best)
        std::get<Estimate>(board.rows[r][column]).best = true;
  }
}

void add_control_lines(Table& board, const std::string& metric, const std::string& direction) {
  if (direction == "none") return;
  const std::size_t column = board.column(metric), dataset = board.column("dataset"),
                    model = board.column("model"), explainer = board.column("explainer");
  std::vector<Row> rows;
  for (const auto& [begin, end] : contests(board)) {
    std::vector<Row> block(board.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                           board.rows.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t c = 0; c < board.columns.size(); ++c) {
      if (!board.columns[c].name.starts_with(metric + "@")) continue;
      Estimate mean;
      for (std::size_t r = begin; r < end; ++r)
        if (const auto* number = number_in(board.rows[r], c)) mean.mean += number->mean, ++mean.n;
      if (mean.n == 0) continue;
      mean.mean /= static_cast<double>(mean.n);
      mean.asked = mean.n;
      Row line(board.columns.size());
      line[dataset] = block[0][dataset];
      line[model] = block[0][model];
      line[explainer] = "-- " + board.columns[c].name.substr(metric.size() + 1) + " --";
      line[column] = mean;
      const auto stands_above = [&](const Row& row) {
        const auto* number = number_in(row, column);
        return number != nullptr &&
               (direction == "higher" ? number->mean >= mean.mean : number->mean <= mean.mean);
      };
      block.insert(std::find_if_not(block.begin(), block.end(), stands_above), std::move(line));
    }
    rows.insert(rows.end(), block.begin(), block.end());
  }
  board.rows = std::move(rows);
}

}  // namespace conoscope::results
