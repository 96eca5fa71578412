// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/app/options.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// --plot FILE
void add_plot(Options& options);

/// Draws the table where --plot asks for it.
///
/// throws  UsageError: neither .svg nor .html; several metrics, which share no axis; no number
void write_plot(const Options& options, const results::Table& table, const std::string& title);

}  // namespace conoscope::app
