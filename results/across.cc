#include "results/across.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace conoscope::results {

namespace {

std::size_t index_of(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return i;
  throw std::invalid_argument("across_datasets: the table has no column " + name);
}

}  // namespace

Table across_datasets(const Table& board) {
  const std::size_t dataset = index_of(board, "dataset"), model = index_of(board, "model"),
                    explainer = index_of(board, "explainer");
  using Place = std::pair<std::string, std::string>;  // dataset, model
  std::vector<Place> places;
  std::vector<std::string> explainers;
  std::map<std::pair<std::string, Place>, const std::vector<Field>*> entries;
  std::map<std::string, std::set<std::string>> models;
  for (const auto& row : board.rows) {
    const Place place{std::get<std::string>(row[dataset]), std::get<std::string>(row[model])};
    const auto& name = std::get<std::string>(row[explainer]);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    if (std::find(explainers.begin(), explainers.end(), name) == explainers.end())
      explainers.push_back(name);
    models[place.first].insert(place.second);
    entries[{name, place}] = &row;
  }
  // A board is sorted by dataset, model and rank: what the first place does not have comes last.
  if (!places.empty())
    std::stable_sort(explainers.begin(), explainers.end(), [&](const auto& a, const auto& b) {
      const bool has_a = entries.count({a, places[0]}) != 0;
      const bool has_b = entries.count({b, places[0]}) != 0;
      return has_a != has_b ? has_a : !has_a && a < b;
    });

  Table out{{{"explainer"}}, {}};
  for (const auto& name : explainers) out.rows.push_back({name});
  for (const Place& place : places)
    for (std::size_t c = 0; c < board.columns.size(); ++c) {
      const Column& column = board.columns[c];
      if (column.type != ColumnType::estimate || column.name.find('@') != std::string::npos)
        continue;
      std::vector<Field> values;
      bool any = false;
      for (const auto& name : explainers) {
        const auto it = entries.find({name, place});
        values.push_back(it == entries.end() ? Field() : (*it->second)[c]);
        any = any || !std::holds_alternative<std::monostate>(values.back());
      }
      if (!any) continue;
      Column turned = column;
      turned.name = place.first + (models[place.first].size() > 1 ? ", " + place.second : "") +
                    ": " + column.name;
      out.columns.push_back(std::move(turned));
      for (std::size_t r = 0; r < values.size(); ++r) out.rows[r].push_back(std::move(values[r]));
    }
  return out;
}

}  // namespace conoscope::results
