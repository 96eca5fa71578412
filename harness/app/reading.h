#pragma once

// What the commands that only read the store share.

#include <string>
#include <utility>
#include <vector>

#include "harness/app/options.h"
#include "results/formats/format.h"
#include "results/store/store.h"

namespace conoscope::app {

results::Store open_store(const Options& options);

/// The key of the run that the positional argument `run` names; empty without one.
std::string run_of(const Options& options, results::Store& store);

/// Several tables as one answer: a JSON answer is one document, and a line of NDJSON says which
/// table it belongs to. The other formats have an empty line between the tables.
void print(const std::vector<std::pair<const char*, results::Table>>& tables,
           results::Format format);

}  // namespace conoscope::app
