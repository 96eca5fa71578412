// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/run_estimate.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "harness/core/artifacts/cache.h"
#include "harness/core/file_size.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

// So many artifacts of a component say how large the others are.
constexpr std::size_t kExamples = 8;

using Parts = std::array<std::string, 3>;  ///< keys of a dataset, a model and an explainer

Parts parts_of(const Cell& cell) {
  return {cell.dataset->key, cell.model->key, cell.explainer ? cell.explainer->key : ""};
}

/// Of the file that a dataset reads its activations from; 0: from none.
std::uint64_t source_bytes(const Component& dataset) {
  if (!dataset.plugin.metadata) return 0;
  const auto& parameters = dataset.plugin.metadata->parameters;
  for (std::size_t i = 0; i < dataset.values.size(); ++i)
    if (parameters[i].is_path() && parameters[i].name == "activations")
      return size_of(std::get<std::string>(dataset.values[i]));
  return 0;
}

/// Bytes of the activations that a cell's workers map.
std::uint64_t mapped_bytes(const Plan& plan, const Cell& cell, const fs::path& cache) {
  std::uint64_t bytes = 0;
  for (const std::size_t score : cell.score_nodes)
    for (const std::size_t need : plan.nodes[score].needs)
      if (Cache::has(cache, plan.nodes[need].key))
        bytes = std::max(bytes,
                         size_of(Cache::path_of(cache, plan.nodes[need].key) / "activations.npy"));
  return bytes > 0 ? bytes : source_bytes(*cell.dataset);
}

/// Of an artifact, what no other has as well: a shared file has a name in each, and one in the pool.
/// names  of a file, at most
std::uint64_t own_bytes(const fs::path& artifact, nlink_t names) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(artifact, error)) {
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) == 0 && info.st_nlink <= names)
      bytes += static_cast<std::uint64_t>(info.st_size);
  }
  return bytes;
}

std::optional<double> seconds_of(const Plan& plan, const std::vector<std::size_t>& todo,
                                 results::Store& store) {
  const auto median = store.median_seconds();
  double total = 0.0;
  for (const std::size_t i : todo) {
    const Cell& cell = plan.cells[i];
    const auto it = median.find((cell.explainer ? cell.explainer : cell.model)->key);
    if (it == median.end()) return std::nullopt;
    total += it->second;
  }
  return total;
}

std::optional<std::uint64_t> memory_of(const Plan& plan, const std::vector<std::size_t>& todo,
                                       results::Store& store) {
  const auto before = store.peak_memory();
  std::uint64_t most = 0;
  for (const std::size_t i : todo) {
    const auto it = before.find(parts_of(plan.cells[i]));
    if (it == before.end()) return std::nullopt;
    most = std::max(most, static_cast<std::uint64_t>(it->second));
  }
  return most;
}

struct Disk {
  std::uint64_t bytes = 0;
  bool all_known = true;
};

Disk disk_of(const Plan& plan, const std::vector<std::size_t>& todo, const fs::path& cache) {
  std::vector<bool> needed(plan.nodes.size(), false);
  for (const std::size_t i : todo)
    for (const std::size_t score : plan.cells[i].score_nodes) needed[score] = true;
  for (std::size_t i = plan.nodes.size(); i-- > 0;)
    if (needed[i])
      for (const std::size_t need : plan.nodes[i].needs) needed[need] = true;

  struct Known {
    std::uint64_t bytes = 0, examples = 0, missing = 0, source = 0;
  };
  std::map<std::pair<Stage, const Component*>, Known> by_component;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const Node& node = plan.nodes[i];
    if (node.stage == Stage::kScore) continue;
    const auto [at, is_new] = by_component.try_emplace({node.stage, node.component});
    Known& known = at->second;
    if (is_new && node.stage == Stage::kDataset) known.source = source_bytes(*node.component);
    if (!Cache::has(cache, node.key)) {
      known.missing += needed[i];
    } else if (known.examples < kExamples) {
      // What is read from a file is the same for each seed.
      known.bytes += own_bytes(Cache::path_of(cache, node.key), known.source > 0 ? 1 : 2);
      ++known.examples;
    }
  }
  Disk out;
  for (const auto& [what, known] : by_component) {
    if (known.missing == 0) continue;
    if (known.examples > 0)
      out.bytes += known.missing * (known.bytes / known.examples);
    else
      out.bytes += known.source;
    out.all_known = out.all_known && (known.examples > 0 || known.source > 0);
  }
  return out;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  if (bytes < (1U << 20)) return std::to_string(bytes) + " bytes";
  const bool large = bytes >= (1U << 30);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s",
                static_cast<double>(bytes) / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB");
  return text;
}

RunEstimate estimate_run(const Plan& plan, const std::vector<std::size_t>& todo,
                         results::Store& store, const fs::path& cache) {
  const Disk disk = disk_of(plan, todo, cache);
  return {seconds_of(plan, todo, store), memory_of(plan, todo, store),
          disk.all_known ? std::optional(disk.bytes) : std::nullopt};
}

std::vector<std::string> will_not_fit(const Plan& plan, const std::vector<std::size_t>& todo,
                                      results::Store& store, const fs::path& cache) {
  const Limits& limits = plan.run_file.limits;
  const auto before = store.peak_memory();
  std::set<Parts> seen;
  std::vector<std::string> out;
  for (const std::size_t i : todo) {
    const Cell& cell = plan.cells[i];
    const Parts parts = parts_of(cell);
    if (!seen.insert(parts).second) continue;
    std::string name = cell.dataset->name + " / " + cell.model->name;
    if (cell.explainer) name += " / " + cell.explainer->name;
    const auto held = before.find(parts);
    const std::uint64_t mapped = mapped_bytes(plan, cell, cache);
    if (held != before.end() && static_cast<std::uint64_t>(held->second) > limits.memory)
      out.push_back(name + " held " + size_text(static_cast<std::uint64_t>(held->second)) +
                    " before; limits.memory allows " + size_text(limits.memory));
    else if (mapped > std::min(limits.memory, limits.cache))
      out.push_back(name + " maps activations of " + size_text(mapped) + "; " +
                    (mapped > limits.memory ? "limits.memory allows " + size_text(limits.memory)
                                            : "limits.cache allows " + size_text(limits.cache)));
  }
  if (todo.empty()) return out;
  std::error_code error;
  fs::path there = cache;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, error);
  if (error) return out;
  const std::uint64_t made = std::min(disk_of(plan, todo, cache).bytes, limits.cache);
  if (made > space.available)
    out.push_back("the run makes " + size_text(made) + ", and " + cache.string() +
                  " has room for " + size_text(space.available) +
                  "; choose another folder with --cache");
  return out;
}

}  // namespace conoscope::core
