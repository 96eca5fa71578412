// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/options.h"
#include "results/boards/scores.h"
#include "results/store/store.h"

namespace conoscope::app {

/// What a word of `conoscope compare` stands for.
struct Side {
  std::string kind;  ///< store, run, explainer, model, dataset or metric
  std::string name;

  bool whole() const { return kind == "store" || kind == "run"; }
};

/// True: the word is a store file, whatever the store asked may hold.
bool names_a_store(const std::string& word);

/// What two words stand for: "kind:name", a store file, a run by the start of its key, or what the
/// store calls so; what `in_run` calls so comes first. Of a word's several meanings the one counts
/// that the other word has too, and a run only if nothing else does.
/// store   where names are looked up; nullptr: only store files are known
/// throws  UsageError: nothing is called so, or it remains open which of several things is meant
std::pair<Side, Side> sides_of(results::Store* store, const std::string& in_run,
                               const std::string& word_a, const std::string& word_b);

/// What two sides of this kind share, beside the seed, in the order of a row's names.
std::vector<std::string> shared_by(const std::string& kind);

/// --dataset, --model and --explainer as they were given, by kind.
using Kept = std::map<std::string, std::vector<std::string>>;

/// The scores of one side.
/// filter  what both sides have in common, in the words of `store`
/// kept    the same for a side that is a store of its own, whose words may differ
/// throws  UsageError: there is nothing of this name, or it stands for several things
std::vector<results::CurrentScore> scores_of(const Options& options, const Side& side,
                                             results::Store* store, results::ScoreFilter filter,
                                             const Kept& kept);

}  // namespace conoscope::app
