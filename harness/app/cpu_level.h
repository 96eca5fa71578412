// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/app/command.h"

namespace conoscope::app {

/// Takes --cpu out of the words of a command line. Where a launcher started this program, it has the level
/// that was asked for, and all that it starts in turn is told to take the same.
///
/// throws  UsageError: a level that this program, which has no others beside it, is not compiled for
void settle_cpu(Arguments& arguments);

/// Starts the command anew at the level that a run file asks for, unless --cpu or CONOSCOPE_CPU said one.
///
/// throws  UsageError: as settle_cpu
void follow_cpu(const std::string& asked, const std::filesystem::path& run_file);

}  // namespace conoscope::app
