// SPDX-License-Identifier: Apache-2.0
#include "results/boards/across.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "results/boards/board.h"

namespace conoscope::results {

Table across_datasets(const Table& board) {
  const std::size_t dataset = board.column("dataset"), model = board.column("model"),
                    explainer = board.column("explainer");
  using Place = std::pair<std::string, std::string>;  // dataset; the model that is explained
  std::vector<Place> places;
  std::vector<std::string> methods;
  std::map<std::pair<std::string, Place>, const std::vector<Field>*> entries;
  std::map<std::string, std::set<std::string>> models;
  bool explainers_only = true, models_only = true;
  for (const auto& row : board.rows) {
    const auto* of_explainer = std::get_if<std::string>(&row[explainer]);
    const auto& of_model = std::get<std::string>(row[model]);
    // What is judged is the model itself where nothing explains it.
    const std::string& method = of_explainer != nullptr ? *of_explainer : of_model;
    const Place place{std::get<std::string>(row[dataset]), of_explainer != nullptr ? of_model : ""};
    if (of_explainer != nullptr)
      models_only = false;
    else
      explainers_only = false;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    if (std::find(methods.begin(), methods.end(), method) == methods.end())
      methods.push_back(method);
    if (of_explainer != nullptr) models[place.first].insert(place.second);
    entries[{method, place}] = &row;
  }
  // A board is sorted by dataset, model and rank: what the first place does not have comes last.
  if (!places.empty())
    std::stable_sort(methods.begin(), methods.end(), [&](const auto& a, const auto& b) {
      const bool has_a = entries.count({a, places[0]}) != 0;
      const bool has_b = entries.count({b, places[0]}) != 0;
      return has_a != has_b ? has_a : !has_a && a < b;
    });

  Table out{{{explainers_only ? "explainer" : models_only ? "model" : "method"}}, {}};
  for (const auto& name : methods) out.rows.push_back({name});
  for (std::size_t c = 0; c < board.columns.size(); ++c) {
    if (board.columns[c].name != kOriginColumn) continue;
    out.columns.push_back(board.columns[c]);
    for (auto& row : out.rows) {
      std::set<std::string> origins;
      for (const Place& place : places)
        if (const auto it = entries.find({std::get<std::string>(row[0]), place});
            it != entries.end())
          origins.insert(text_of((*it->second)[c]));
      // The one that was seen least: in the order of the alphabet, too.
      row.push_back(origins.empty() || origins.rbegin()->empty() ? Field()
                                                                 : Field(*origins.rbegin()));
    }
  }
  for (const Place& place : places)
    for (std::size_t c = 0; c < board.columns.size(); ++c) {
      const Column& column = board.columns[c];
      if (column.type != ColumnType::kEstimate || column.name.find('@') != std::string::npos)
        continue;
      std::vector<Field> values;
      bool any = false;
      for (const auto& name : methods) {
        const auto it = entries.find({name, place});
        values.push_back(it == entries.end() ? Field() : (*it->second)[c]);
        const auto* estimate = std::get_if<Estimate>(&values.back());
        any = any || (estimate != nullptr && estimate->n > 0);
      }
      if (!any) continue;
      Column turned = column;
      const bool name_model =
          !place.second.empty() && (models[place.first].size() > 1 || !explainers_only);
      turned.name = place.first + (name_model ? ", " + place.second : "") + ": " + column.name;
      out.columns.push_back(std::move(turned));
      for (std::size_t r = 0; r < values.size(); ++r) out.rows[r].push_back(std::move(values[r]));
    }
  return out;
}

}  // namespace conoscope::results
