// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "harness/app/command.h"

namespace conoscope::app {

// What cannot be written is a results::StoreError (cannot_open), which ends the command with exit code
// 5 and says why.

/// With the folders above it. One that is there already will do.
/// throws  results::StoreError: it cannot be made
void make_folder(const std::filesystem::path& folder);

/// throws  results::StoreError: the file cannot be written
void write_text(const std::filesystem::path& file, std::string_view text);

/// Whole or not at all, so that a reader never meets half a page; except for what is no file, as
/// /dev/stdout.
/// throws  results::StoreError: it cannot be written
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Runs what writes files; kNotSaved, and why, where it throws a std::runtime_error: what it reads is
/// damaged, or the disk is full.
ExitCode saved_or_not(const std::function<void()>& write);

}  // namespace conoscope::app
