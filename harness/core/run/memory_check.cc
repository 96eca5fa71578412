#include "harness/core/run/memory_check.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <variant>

#include "harness/core/artifacts/cache.h"
#include "harness/core/file_size.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

std::string size_text(std::uint64_t bytes) {
  if (bytes < (1U << 20)) return std::to_string(bytes) + " bytes";
  const bool large = bytes >= (1U << 30);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s",
                static_cast<double>(bytes) / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB");
  return text;
}

/// Bytes of the activations that a cell's workers map.
std::uint64_t mapped_bytes(const Plan& plan, const Cell& cell, const fs::path& cache) {
  std::uint64_t bytes = 0;
  for (const std::size_t score : cell.score_nodes)
    for (const std::size_t need : plan.nodes[score].needs)
      if (Cache::has(cache, plan.nodes[need].key))
        bytes = std::max(bytes,
                         size_of(Cache::path_of(cache, plan.nodes[need].key) / "activations.npy"));
  if (bytes > 0 || !cell.dataset->plugin.metadata) return bytes;
  const auto& parameters = cell.dataset->plugin.metadata->parameters;
  for (std::size_t i = 0; i < cell.dataset->values.size(); ++i)
    if (parameters[i].is_path() && parameters[i].name == "activations")
      return size_of(std::get<std::string>(cell.dataset->values[i]));
  return 0;
}

}  // namespace

std::vector<std::string> memory_warnings(const Plan& plan, const std::vector<std::size_t>& todo,
                                         results::Store& store, const fs::path& cache) {
  const std::uint64_t limit = plan.run_file.limits.memory;
  const auto before = store.peak_memory();
  std::set<std::array<std::string, 3>> seen;
  std::vector<std::string> out;
  for (const std::size_t i : todo) {
    const Cell& cell = plan.cells[i];
    const std::array<std::string, 3> parts{cell.dataset->key, cell.model->key,
                                           cell.explainer ? cell.explainer->key : ""};
    if (!seen.insert(parts).second) continue;
    std::string name = cell.dataset->name + " / " + cell.model->name;
    if (cell.explainer) name += " / " + cell.explainer->name;
    const auto held = before.find(parts);
    const std::uint64_t mapped = mapped_bytes(plan, cell, cache);
    if (held != before.end() && static_cast<std::uint64_t>(held->second) > limit)
      out.push_back(name + " held " + size_text(static_cast<std::uint64_t>(held->second)) +
                    " before; limits.memory allows " + size_text(limit));
    else if (mapped > limit)
      out.push_back(name + " maps activations of " + size_text(mapped) + "; limits.memory allows " +
                    size_text(limit));
  }
  return out;
}

}  // namespace conoscope::core
