// SPDX-License-Identifier: Apache-2.0
#include "harness/app/print_split.h"

#include <algorithm>
#include <iostream>

namespace conoscope::app {

namespace {

struct Load {
  std::int64_t cells = 0, to_do = 0;
  double seconds = 0.0;
};

/// "model cnn #0 on digits #0"
std::string name_of(const core::Plan& plan, const core::Node& node) {
  std::string out = std::string(core::to_string(node.stage)) + ' ' + node.label;
  for (const std::size_t need : node.needs) out += " on " + plan.nodes[need].label;
  return out;
}

}  // namespace

void print_split(const core::Plan& plan, const core::Split& split,
                 const std::vector<std::size_t>& todo, const std::map<std::string, double>& seconds,
                 results::Format format) {
  const auto weight = core::cell_weights(plan, seconds);
  std::map<std::size_t, Load> loads;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    if (split.shard_of[i] == core::Split::kNone) continue;
    Load& load = loads[split.shard_of[i]];
    ++load.cells;
    if (!std::binary_search(todo.begin(), todo.end(), i)) continue;
    ++load.to_do;
    load.seconds += weight[i];
  }
  results::Table table{{{"shard"}, {"cells"}, {"to_do"}, {"seconds"}}, {}};
  for (auto& column : table.columns) column.type = results::ColumnType::kInteger;
  table.columns[3].type = results::ColumnType::kReal;
  for (const auto& [shard, load] : loads)
    table.add({static_cast<std::int64_t>(shard + 1), load.cells, load.to_do,
               seconds.empty() ? results::Field() : results::Field(load.seconds)});
  std::cout << results::to_text(table, format);
  for (const auto& [node, shards] : core::doubled_nodes(plan, split)) {
    std::string list;
    for (const std::size_t shard : shards)
      list += (list.empty() ? " " : ", ") + std::to_string(shard + 1);
    std::cout << "made by " << shards.size() << " shards: " << name_of(plan, plan.nodes[node])
              << ": shards" << list << '\n';
  }
}

}  // namespace conoscope::app
