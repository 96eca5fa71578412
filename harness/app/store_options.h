// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the commands that only read the store share.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/options.h"
#include "results/formats/format.h"
#include "results/store/store.h"

namespace conoscope::app {

/// For reading; with --verify only a store that is what was written.
results::Store open_store(const Options& options);
results::Store open_store(const Options& options, const std::filesystem::path& file);

/// A store that is not there yet is an empty one, and is not made.
results::Store open_or_empty(const std::filesystem::path& file);

/// --dataset, --model, ...: what a filter keeps (results/boards/component_words.h), any of the words.
/// throws  UsageError: a word that no component of this kind answers to, with the nearest that do
std::string component_filter(results::Store& store, const std::string& run, const std::string& kind,
                             const std::vector<std::string>& words);

/// What --dataset, --model and --explainer keep of the filter's run.
/// throws  as component_filter()
template <typename Filter>
void take_component_filters(const Options& options, results::Store& store, Filter& filter) {
  for (const auto& [kind, kept] : {std::pair("dataset", &filter.dataset),
                                   {"model", &filter.model},
                                   {"explainer", &filter.explainer}})
    if (options.has(kind)) *kept = component_filter(store, filter.run, kind, options.list(kind));
}

/// The key of the run that the positional argument `run` names; empty without one.
std::string run_of(const Options& options, results::Store& store);

/// Several tables as one answer: a JSON answer is one document, and a line of NDJSON says which
/// table it belongs to. The other formats have an empty line between the tables.
void print(const std::vector<std::pair<const char*, results::Table>>& tables,
           results::Format format);

}  // namespace conoscope::app
