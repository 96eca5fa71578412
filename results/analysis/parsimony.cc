// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/parsimony.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "results/analysis/area_over_k.h"
#include "results/boards/estimate.h"

namespace conoscope::results {

namespace {

std::vector<const ScoresAtK*> complete_points(const Sweep& sweep) {
  std::vector<const ScoresAtK*> out;
  for (const auto& point : sweep.points)
    if (point.complete()) out.push_back(&point);
  return out;
}

/// One area for each seed that every complete K has.
Field area_of(const std::vector<const ScoresAtK*>& points) {
  if (points.size() < 2) return {};
  std::vector<double> k, areas;
  for (const auto* point : points) k.push_back(static_cast<double>(point->k));
  for (const auto& [seed, ignored] : points.front()->by_seed) {
    std::vector<double> scores;
    for (const auto* point : points)
      if (const auto found = point->by_seed.find(seed); found != point->by_seed.end())
        scores.push_back(found->second);
    if (scores.size() == k.size()) areas.push_back(area_over_k(k, scores));
  }
  if (areas.empty()) return {};
  return estimate_of(areas, points.front()->asked);
}

std::string blocks(const Sweep& sweep) {
  static constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::optional<double>> means;
  double low = INFINITY, high = -INFINITY;
  for (const auto& point : sweep.points) {
    means.emplace_back();
    if (!point.complete()) continue;
    means.back() = point.estimate().mean;
    low = std::min(low, *means.back());
    high = std::max(high, *means.back());
  }
  std::string out;
  for (const auto& mean : means) {
    if (!mean) {
      out += "·";
      continue;
    }
    // Halves, because the difference of two large numbers may overflow.
    const double share =
        high > low ? (*mean / 2 - low / 2) / (high / 2 - low / 2) : 0.5;  // a flat line
    const auto level = std::lround(share * static_cast<double>(kBlocks.size() - 1));
    out += kBlocks[static_cast<std::size_t>(std::clamp(level, 0L, 7L))];
  }
  return out;
}

std::vector<Field> selection_row(const Sweep& sweep) {
  if (sweep.direction != "higher" && sweep.direction != "lower")
    throw std::invalid_argument("selection_table: " + sweep.metric +
                                " has no direction, so no number of concepts is the best");
  std::vector<Field> row = {sweep.dataset, sweep.model, sweep.method, sweep.metric,
                            sweep.direction};
  if (const auto found = select_k(sweep.points, sweep.direction == "higher")) {
    const ScoresAtK& chosen = sweep.points[found->chosen];
    const ScoresAtK& best = sweep.points[found->best];
    row.insert(row.end(), {chosen.k, chosen.estimate(), best.k, best.estimate(),
                           std::string(found->rule == SelectionRule::kRange ? "1pct" : "1se"),
                           static_cast<std::int64_t>(chosen.by_seed.size())});
  } else {
    row.insert(row.end(), 6, Field());
  }
  const auto complete = complete_points(sweep);
  row.emplace_back(Coverage{static_cast<std::int64_t>(complete.size()),
                            static_cast<std::int64_t>(sweep.points.size())});
  if (complete.empty())
    row.emplace_back();
  else
    row.emplace_back(std::to_string(complete.front()->k) + "-" +
                     std::to_string(complete.back()->k));
  row.push_back(area_of(complete));
  return row;
}

}  // namespace

Table selection_table(const std::vector<Sweep>& sweeps, bool with_curve) {
  Table table;
  table.columns = {
      Column::text("dataset"),   Column::text("model"),     Column::text("method"),
      Column::text("metric"),    Column::text("better"),    Column::integer("k"),
      Column::estimate("score"), Column::integer("best_k"), Column::estimate("best"),
      Column::text("rule"),      Column::integer("seeds"),  Column::coverage("complete"),
      Column::text("k_range"),   Column::estimate("area")};
  if (with_curve) table.columns.push_back({"curve"});
  for (const Sweep& sweep : sweeps) {
    std::vector<Field> row = selection_row(sweep);
    if (with_curve) row.emplace_back(blocks(sweep));
    table.add(std::move(row));
  }
  return table;
}

Table curve_table(const std::vector<Sweep>& sweeps) {
  Table table;
  table.columns = {Column::text("dataset"), Column::text("model"), Column::text("method"),
                   Column::text("metric"),  Column::integer("k"),  Column::coverage("seeds"),
                   Column::real("mean"),    Column::real("low"),   Column::real("high")};
  for (const Sweep& sweep : sweeps)
    for (const ScoresAtK& point : sweep.points) {
      const auto seeds = static_cast<std::int64_t>(point.by_seed.size());
      std::vector<Field> row = {sweep.dataset, sweep.model, sweep.method,
                                sweep.metric,  point.k,     Coverage{seeds, point.asked}};
      if (point.by_seed.empty()) {
        row.insert(row.end(), 3, Field());
      } else {
        const Estimate estimate = point.estimate();
        row.insert(row.end(), {estimate.mean, low_end(estimate), high_end(estimate)});
      }
      table.add(std::move(row));
    }
  return table;
}

}  // namespace conoscope::results
