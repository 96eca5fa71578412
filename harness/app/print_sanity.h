#pragma once

#include <string>
#include <vector>

#include "results/formats/format.h"
#include "results/store/store.h"

namespace conoscope::app {

/// Prints a measure-over-measure study to standard output: a row for each ladder and metric, and a
/// column for each step, means over seeds, with the verdict (verdict.h).
///
/// Explanations: perfect, random_importance and random_concepts (Kumar and Ahuja, arXiv 2504.10833,
/// Table 3). Concept views and codes: the models ladder_concepts and ladder_codes at their three
/// steps. With several subjects, their names lead each row; metrics that apply to none of a
/// ladder's steps have no row.
///
/// metrics  empty: all that the run asks for.
/// throws   UsageError: the run has no ladder, or lacks a step of one
void print_sanity(results::Store& store, const std::string& run, std::vector<std::string> metrics,
                  results::Format format);

}  // namespace conoscope::app
