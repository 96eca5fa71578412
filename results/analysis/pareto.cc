// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/pareto.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "results/boards/board.h"

namespace conoscope::results {

namespace {

/// A row's place, the greater the better on every axis; nullopt: it has none.
std::optional<std::vector<double>> place_of(const std::vector<Field>& row,
                                            const std::vector<std::pair<std::size_t, bool>>& axes) {
  std::vector<double> place;
  for (const auto& [column, higher] : axes) {
    const auto* estimate = std::get_if<Estimate>(&row[column]);
    if (estimate == nullptr || estimate->n == 0 || estimate->n < estimate->asked) return {};
    place.push_back(higher ? estimate->mean : -estimate->mean);
  }
  return place;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i]) return false;
  return a != b;
}

}  // namespace

void mark_pareto(Table& board, const std::vector<ParetoAxis>& axes) {
  if (axes.empty()) throw std::invalid_argument("mark_pareto: no metric given");
  const std::size_t coverage = board.column("coverage");
  std::vector<std::pair<std::size_t, bool>> columns;
  for (const ParetoAxis& axis : axes) columns.emplace_back(board.column(axis.metric), axis.higher);
  const auto contests = contests_of(board);
  std::vector<std::optional<std::vector<double>>> places;
  for (const auto& row : board.rows) places.push_back(place_of(row, columns));

  std::vector<Field> marks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; places[i] && j < places.size(); ++j)
      beaten = beaten || (places[j] && contests[j] == contests[i] && beats(*places[j], *places[i]));
    marks.push_back(places[i] ? Field(std::string(beaten ? "no" : "yes")) : Field());
  }
  const auto at = static_cast<std::ptrdiff_t>(coverage + 1);
  board.columns.insert(board.columns.begin() + at, Column{.name = "pareto"});
  for (std::size_t i = 0; i < marks.size(); ++i)
    board.rows[i].insert(board.rows[i].begin() + at, std::move(marks[i]));
}

}  // namespace conoscope::results
