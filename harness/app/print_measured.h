// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/core/artifacts/cache.h"
#include "harness/core/measure/measure.h"
#include "results/formats/format.h"

namespace conoscope::app {

/// Prints the scores, and for people on standard error which metrics were left out for want of which
/// arrays; machines get these as rows without a value.
///
/// asked  the metrics were named one by one or by group
/// parts  also print what the scores of concepts, classes and codes are made of
void print_measured(const core::Measured& measured, bool asked, bool parts, results::Format format);

/// Writes the parts by sample into one .npz file: rows, and an array for each score.
/// throws  std::runtime_error: the file cannot be written
void save_parts(const core::Measured& measured, const core::Cache& cache,
                const std::filesystem::path& file);

}  // namespace conoscope::app
