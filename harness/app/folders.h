// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/border/interpreter.h"

namespace conoscope::app {

// Where the command looks for things. The environment is read here and nowhere else.

/// The folders in the order in which they are searched: command line > CONOSCOPE_PLUGIN_PATH > run
/// file > user folder > install folder. Doubles and missing folders are left out, except that a
/// folder named on the command line must exist.
/// throws  std::invalid_argument: a --plugin-path that is not a folder
std::vector<std::filesystem::path> plugin_folders(
    const std::vector<std::filesystem::path>& command_line,
    const std::vector<std::filesystem::path>& run_file);

/// CONOSCOPE_CACHE, else the user's cache folder.
std::filesystem::path default_cache();

/// CONOSCOPE_STORE, else conoscope.db.
std::filesystem::path default_store();

/// CONOSCOPE_DATA_DIR, absolute; empty: not set.
std::filesystem::path data_folder();

/// "NAME=value" of every variable that begins with CONOSCOPE_ except for the store and the cache, which
/// jobs are given as options.
std::vector<std::string> own_variables();

/// The environment for a program of Slurm's: without what Slurm told a job that this command may run
/// in, and without the user's defaults for sbatch, which job scripts replace. SLURM_CONF stays.
std::vector<std::string> slurm_environment();

/// CONOSCOPE_PYTHON and PATH.
core::InterpreterSearch interpreter_search();

/// The file of this process.
/// throws  UsageError: there is no /proc, which tells
std::filesystem::path own_program();

/// The file of this command: where several levels are installed, the launcher, which takes one that the
/// processor has, else own_program().
/// throws  as own_program()
std::filesystem::path own_executable();

/// The folder of this installation's (or build tree's) shared files.
/// throws  as own_executable(), and so does plugin_folders()
std::filesystem::path share_folder();

}  // namespace conoscope::app
