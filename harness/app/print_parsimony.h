#pragma once

#include <string>
#include <vector>

#include "results/analysis/sweep.h"
#include "results/formats/format.h"
#include "results/store/store.h"

namespace conoscope::app {

/// Prints at how many concepts each method's scores stop improving (results/analysis/select_k.h), or
/// with curves the means at every number of concepts, to standard output.
///
/// options.metrics  empty: those that the run asks for and that have a direction, costs left out.
/// throws           UsageError: no explainer with two or more numbers of concepts; a metric without
///                  direction, unless curves are asked for; the run asks for no metric
void print_parsimony(results::Store& store, results::SweepOptions options, bool curves,
                     results::Format format);

}  // namespace conoscope::app
