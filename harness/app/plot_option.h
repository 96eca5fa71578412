#pragma once

#include <filesystem>
#include <string>

#include "harness/app/options.h"
#include "results/formats/table.h"

namespace conoscope::app {

/// Whole or not at all, so that a reader never meets half a page; but for what is no file, as
/// /dev/stdout.
/// throws  StoreError (cannot_open): it cannot be written
void write_file(const std::filesystem::path& path, const std::string& text);

/// --plot FILE
void add_plot(Options& options);

/// Draws the table where --plot asks for it.
///
/// throws  UsageError: neither .svg nor .html; several metrics, which share no axis; no number
void write_plot(const Options& options, const results::Table& table, const std::string& title);

}  // namespace conoscope::app
