#include "results/analysis/pareto.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace conoscope::results {

namespace {

std::size_t column_of(const Table& table, const std::string& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  if (found == table.columns.end())
    throw std::invalid_argument("mark_pareto: the board has no column " + name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

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
  const std::size_t dataset = column_of(board, "dataset"), model = column_of(board, "model"),
                    coverage = column_of(board, "coverage");
  std::vector<std::pair<std::size_t, bool>> columns;
  for (const ParetoAxis& axis : axes)
    columns.emplace_back(column_of(board, axis.metric), axis.higher);
  std::vector<std::optional<std::vector<double>>> places;
  for (const auto& row : board.rows) places.push_back(place_of(row, columns));

  std::vector<Field> marks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& row = board.rows[i];
    bool beaten = false;
    for (std::size_t j = 0; places[i] && j < places.size(); ++j)
      beaten =
          beaten ||
          (places[j] &&
           std::get<std::string>(board.rows[j][dataset]) == std::get<std::string>(row[dataset]) &&
           std::get<std::string>(board.rows[j][model]) == std::get<std::string>(row[model]) &&
           beats(*places[j], *places[i]));
    marks.push_back(places[i] ? Field(std::string(beaten ? "no" : "yes")) : Field());
  }
  const auto at = static_cast<std::ptrdiff_t>(coverage + 1);
  board.columns.insert(board.columns.begin() + at, Column{.name = "pareto"});
  for (std::size_t i = 0; i < marks.size(); ++i)
    board.rows[i].insert(board.rows[i].begin() + at, std::move(marks[i]));
}

}  // namespace conoscope::results
