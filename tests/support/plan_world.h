// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of plugins that are never loaded, enough to plan with: datasets with and without
// labels, models with and without a head view, an explainer with parameters, metrics.

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "tests/support/fake_plugin.h"
#include "tests/support/scratch.h"

namespace conoscope::testing {

class PlanWorld {
 public:
  static constexpr const char* kKm =
      "needs = [\"head_view\"]\noffers = [\"explanation\"]\n"
      "[parameters.k]\ntype = \"integer\"\ndefault = 5\nmin = 1\n";

  PlanWorld() {
    std::filesystem::create_directories(scratch.path("plugins"));
    plugin("dataset", "labelled", "offers = [\"labels\"]\n");
    plugin("dataset", "fixed", "offers = [\"labels\"]\nseeded = false\n");
    plugin("dataset", "bare", "");
    plugin("dataset", "with_head", "offers = [\"head_view\"]\n");
    plugin("model", "head", "offers = [\"head_view\"]\n");
    plugin("model", "encoder", "offers = [\"latent_view\"]\n");
    plugin("model", "supervised", "needs = [\"labels\"]\noffers = [\"head_view\"]\n");
    plugin("explainer", "km", kKm);
    plugin("metric", "accuracy",
           "needs = [\"head_view\", \"labels\"]\n[scores.accuracy]\ndirection = \"higher\"\n");
    plugin("metric", "sparsity",
           "needs = [\"explanation\"]\n[scores.sparsity]\ndirection = \"lower\"\n");
    plugin("metric", "spread",
           "needs = [\"latent_view\", \"labels\"]\n[scores.spread]\ndirection = \"lower\"\n");
    plugin("metric", "rival",
           "needs = [\"explanation\"]\n[scores.surf_mae]\ndirection = \"lower\"\n");
  }

  void plugin(const std::string& kind, const std::string& id, const std::string& rest) const {
    scratch.write("plugins/" + id + ".so", fake_plugin(metadata_text(kind, id, rest)));
  }

  core::Plan plan(const std::string& run_file) const {
    const auto path = scratch.write("run.toml", run_file);
    const core::Quarantine quarantine(scratch.path("quarantine.tsv"));
    const core::Registry registry({scratch.path("plugins")}, quarantine);
    core::Diagnostics diagnostics(path);
    const auto parsed = core::parse_run_file(path, diagnostics);
    return core::make_plan(parsed, registry, quarantine, diagnostics);
  }

  Scratch scratch;
};

/// The text of a run file: its first lines, and each part by its id, which further lines of the part may
/// follow; "; " ends a line.
inline std::string run_file(const std::string& top, const std::vector<std::string>& datasets,
                            const std::vector<std::string>& models,
                            const std::vector<std::string>& explainers = {},
                            const std::vector<std::string>& metrics = {}) {
  std::string out = top;
  const auto add = [&out](const std::string& kind, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      const std::size_t end = std::min(part.find(';'), part.size());
      out += "; [[" + kind + "]]; id = \"" + part.substr(0, end) + '"' + part.substr(end);
    }
  };
  add("dataset", datasets);
  add("model", models);
  add("explainer", explainers);
  add("metric", metrics);
  return boost::algorithm::replace_all_copy(out, "; ", "\n") + '\n';
}

/// The scores that a cell does not have, each with the reason.
inline std::vector<std::string> left_out_of(const core::Cell& cell) {
  std::vector<std::string> out;
  for (const auto& [score, why] : cell.not_applicable) out.push_back(score + ": " + why);
  return out;
}

}  // namespace conoscope::testing
