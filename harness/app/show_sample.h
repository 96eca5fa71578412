// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/app/options.h"
#include "results/store/store.h"

namespace conoscope::app {

/// --sample N and -o FILE of `show`, and what it takes to score a cell again.
void add_sample_options(Options& options);

/// One test sample as a cell's explanation explains it, and as its randomised twins do: as a table, or
/// with -o as a picture. The cell is scored for it from its artifacts in the cache; those that are no
/// longer there are made again. Nothing is written to the store.
///
/// throws  UsageError: not explained, no such sample, a file that is not called .svg
void show_sample(const Options& options, results::Store& store, const std::string& cell);

}  // namespace conoscope::app
