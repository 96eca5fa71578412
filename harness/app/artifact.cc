// SPDX-License-Identifier: Apache-2.0
// The arrays behind a score: splits, what a model computed, an explanation.

#include "harness/core/artifacts/artifact.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/store_options.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/names.h"
#include "harness/core/run/kept_artifacts.h"
#include "results/boards/component_words.h"
#include "results/boards/provenance.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

struct Wanted {
  std::string cell, stage;
  fs::path folder;
};

/// The cell of this key, or those of this explainer; `is_cell` says which of the two.
std::vector<std::string> cells_of(results::Store& store, const std::string& run,
                                  const std::string& word, bool& is_cell) {
  const auto explainers = results::component_filter(store, run, "explainer", word);
  is_cell = !explainers;
  if (explainers) return results::cells_explained_by(store, run, *explainers);
  try {
    return {store.find_cell(word)};
  } catch (const results::StoreError& e) {
    throw UsageError(std::string(e.what()) + ", and no explainer answers to it" +
                     core::did_you_mean(word, results::component_names(store, run, "explainer")));
  }
}

results::Table table_of(const std::vector<Wanted>& wanted) {
  results::Table table{{{"cell"}, {"artifact"}, {"array"}, {"type"}, {"shape"}, {"folder"}}, {}};
  for (const auto& [cell, stage, folder] : wanted) {
    const auto bag = core::ArrayBag::open(folder);
    for (const auto& name : bag.names()) {
      const auto array = bag.get(name);
      std::string shape;
      for (int axis = 0; axis < array.dimensions(); ++axis)
        shape += (shape.empty() ? "" : " x ") + std::to_string(array.shape(axis));
      table.add({short_key(cell), stage, name, std::string(sdk::dtype_name(array.dtype())), shape,
                 folder.string()});
    }
  }
  return table;
}

}  // namespace

int artifact_command(const Arguments& arguments) {
  Options options(
      "artifact CELL|EXPLAINER [-o DIR] [options]",
      "Lists the arrays that a cell was scored from, or those of an explainer's explanations,\n"
      "and where the cache has them; with -o it copies them: a cell's into DIR/dataset,\n"
      "DIR/model and DIR/explanation, an explanation's into DIR, and those of several cells\n"
      "into a folder for each. CELL is the start of a key, as for `conoscope show`.",
      {"conoscope artifact 3fa9", "conoscope artifact svd --run quick -o svd/"});
  options.positional("what", 1);
  options.text("output,o", "DIR", "copy the arrays into this folder");
  options.text("run", "RUN", "only cells of this run", "");
  options.with_store();
  options.with_cache();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("what")) throw UsageError("artifact: of which cell or explainer?");
  const auto format = options.format();
  const auto& word = options.list("what")[0];
  auto store = open_store(options);
  auto run = options.get<std::string>("run");
  if (!run.empty()) run = store.find_run(run);

  bool is_cell = false;
  const auto cells = cells_of(store, run, word, is_cell);
  std::vector<Wanted> wanted;
  for (const std::string& cell : cells) {
    const auto kept = core::kept_artifacts(store, cell, options.cache());
    if (is_cell && !kept.dataset.empty()) wanted.push_back({cell, "dataset", kept.dataset});
    if (is_cell && !kept.model.empty()) wanted.push_back({cell, "model", kept.model});
    // Cells of other seeds share the explanation of a method without randomness.
    if (!kept.explanation.empty() &&
        std::none_of(wanted.begin(), wanted.end(),
                     [&kept](const Wanted& one) { return one.folder == kept.explanation; }))
      wanted.push_back({cell, "explanation", kept.explanation});
  }
  if (wanted.empty())
    throw UsageError(
        "artifact: the cache " + options.cache().string() + " has nothing of " + word +
        ": it was trimmed, or the work was done with another one (--cache) or elsewhere; "
        "`conoscope debug CELL FILE` makes a cell's again");
  return saved_or_not([&] {
    if (!options.has("output")) {
      std::cout << results::to_text(table_of(wanted), format);
      return;
    }
    const fs::path target = options.get<std::string>("output");
    for (const auto& [cell, stage, folder] : wanted) {
      core::verify_artifact(folder);
      const fs::path to = is_cell             ? target / stage
                          : wanted.size() > 1 ? target / short_key(cell)
                                              : target;
      core::copy_arrays(folder, to);
      std::cerr << to.string() << ": " << stage << " of cell " << short_key(cell) << '\n';
    }
  });
}

}  // namespace conoscope::app
