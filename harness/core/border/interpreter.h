// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/border/registry.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// What runs a process plugin.
struct Interpreter {
  std::vector<std::string> command;            ///< all of it, with the plugin's file
  std::vector<std::filesystem::path> folders;  ///< where Python looks for packages; may be read
  /// "python 3.11.2", "numpy 1.24.2": its own version, and those of the packages that the plugin's
  /// sources import, and of what these need (_run_plugin.py, about()). Known of Python only.
  std::vector<std::string> versions;
};

/// What the command's environment says of interpreters. Set once, before the first is asked for.
struct InterpreterSearch {
  std::string python;                          ///< the Python that CONOSCOPE_PYTHON names; or empty
  std::vector<std::filesystem::path> folders;  ///< PATH
};
void search_interpreters(InterpreterSearch search);

/// Of Python, the one that the plugin's run file names, else CONOSCOPE_PYTHON, else python3 on PATH;
/// it is run, with nothing of the plugin's, to say where its packages are. Of any other source, what
/// its first line names (#!). Asked once for each file by a process, also where there is no answer.
///
/// throws  std::runtime_error: there is none, or it does not answer (names it)
const Interpreter& interpreter_of(const PluginFile& plugin);

/// The plugin with these values, as a worker is told of it; a library needs no interpreter.
/// inputs  what it is held to while it is used (UnchangedInputs); none: its own content alone
/// throws  as interpreter_of()
PluginUse use_of(const PluginFile& plugin, std::vector<Value> values,
                 std::vector<InputFile> inputs = {});

/// The plugin and what runs it in one line, as an environment row has it; empty for a library.
std::string runtime_text(const PluginFile& plugin);

}  // namespace conoscope::core
