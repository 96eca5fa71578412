#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "harness/app/command.h"

namespace conoscope::app {

/// throws  std::runtime_error: the file cannot be written
void write_text(const std::filesystem::path& file, std::string_view text);

/// Whole or not at all, so that a reader never meets half a page; but for what is no file, as
/// /dev/stdout.
/// throws  results::StoreError (cannot_open): it cannot be written
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Runs what writes files; kNotSaved, and why, where it throws a std::runtime_error: what it reads is
/// damaged, or the disk is full.
ExitCode saved_or_not(const std::function<void()>& write);

}  // namespace conoscope::app
