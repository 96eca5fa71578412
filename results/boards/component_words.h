// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

/// What a word stands for among the components of a run (key; empty: of every one), as the filters
/// of the saved queries take it: the word itself where it is a key, a name or the id of a plugin;
/// else the keys, a line for each, of name@version, id@version, name#key or the start of one key
/// (4 letters or more), and of every run also those that some run called so. Empty word: empty.
/// A name in the run comes before an id: "digits" is not "digits value", of the same plugin, too.
///
/// kind     dataset, model or explainer; empty: any
/// returns  none: it stands for nothing there
std::optional<std::string> component_filter(Store& store, const std::string& run,
                                            const std::string& kind, const std::string& word);

/// Names that components of a kind answer to in a run: names and plugin ids, sorted.
std::vector<std::string> component_names(Store& store, const std::string& run,
                                         const std::string& kind);

}  // namespace conoscope::results
