#pragma once

#include <string>
#include <vector>

#include "results/format.h"
#include "results/store.h"

namespace conoscope::app {

/// Prints a measure-over-measure study to standard output: a row for each metric and a column for
/// each of the explainers perfect, random_importance and random_concepts (Kumar and Ahuja,
/// arXiv 2504.10833, Table 3), means over seeds. The verdict is `pass` where the error grows from
/// each setting to the next, by more than rounding: 1e-9 of the largest mean, or of 1 if that is
/// smaller. Metrics that describe or count cost have none. Metrics without a mean in a setting show
/// `-` there and as verdict.
///
/// With several datasets or models, their names lead each row.
///
/// metrics  empty: all that the run asks for.
/// throws   UsageError: the run lacks one of the three explainers
void print_sanity(results::Store& store, const std::string& run, std::vector<std::string> metrics,
                  results::Format format);

}  // namespace conoscope::app
