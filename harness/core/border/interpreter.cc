// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/interpreter.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "harness/core/processes/process.h"
#include "harness/core/processes/protocol.h"

extern char** environ;

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// To start and to list what it has installed is a matter of a second; on a cold disk of some more.
constexpr int kAnswerMilliseconds = 60'000;

InterpreterSearch& known_search() {
  static InterpreterSearch search;
  return search;
}

/// A program's path: as it is, or sought on PATH where it is a bare name.
fs::path program(const std::string& name, const std::string& wanted_by) {
  const auto runs = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) {
    if (runs(name)) return fs::absolute(name);
  } else {
    for (const fs::path& folder : known_search().folders)
      if (runs(folder / name)) return fs::absolute(folder / name);
  }
  throw std::runtime_error(name + ": no such program (" + wanted_by + ")");
}

/// Where the package `conoscope` is, in the build tree as after an installation.
fs::path package_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  // One folder up from bin, and more from where the programs of several levels are.
  for (fs::path inside = self; inside.has_relative_path(); inside = inside.parent_path())
    if (fs::path folder = inside.parent_path() / CONOSCOPE_PYTHON_FOLDER;
        fs::is_regular_file(folder / "conoscope/_run_plugin.py", error))
      return folder;
  throw std::runtime_error((self.parent_path().parent_path() / CONOSCOPE_PYTHON_FOLDER).string() +
                           ": the Python package of this installation is missing");
}

Interpreter ask_python(const PluginFile& plugin) {
  const std::string& from_environment = known_search().python;
  const fs::path named =
      !plugin.python.empty()      ? program(plugin.python, "python = ... in the run file")
      : !from_environment.empty() ? program(from_environment, "CONOSCOPE_PYTHON")
                                  : program("python3",
                                            "sought on PATH; python = ... in the run file "
                                            "or CONOSCOPE_PYTHON names another");
  const fs::path package = package_folder(), runner = package / "conoscope/_run_plugin.py";
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  ChildProcess asked(
      {named.string(), runner.string(), "--about", plugin_content(plugin.file).string()},
      {"/dev/null", "/dev/null"}, environment);
  Interpreter out;
  out.folders.push_back(package);
  for (bool more = true; more && !asked.closed();) {
    pollfd fd{asked.report_fd(), POLLIN, 0};
    more = ::poll(&fd, 1, kAnswerMilliseconds) > 0;
    for (const auto& line : asked.read_lines()) {
      const auto fields = split_line(line);
      if (fields.size() == 2 && fields[0] == "program") out.command = {fields[1], runner.string()};
      if (fields.size() == 2 && fields[0] == "folder") out.folders.emplace_back(fields[1]);
      if (fields.size() == 3 && fields[0] == "version")
        out.versions.push_back(fields[1] + " " + fields[2]);
    }
  }
  if (out.command.empty() || out.versions.empty())
    throw std::runtime_error(named.string() + ": does not answer as Python 3.9 or newer does");
  out.command.push_back(plugin.file.string());
  return out;
}

/// "#!/usr/bin/env perl", "#!/bin/sh -e"
Interpreter read_first_line(const PluginFile& plugin) {
  std::ifstream in(plugin.file);
  std::string line;
  std::getline(in, line);
  std::istringstream words(line.starts_with("#!") ? line.substr(2) : "");
  Interpreter out;
  for (std::string word; words >> word;) out.command.push_back(word);
  if (out.command.size() > 1 && fs::path(out.command[0]).filename() == "env")
    out.command.erase(out.command.begin());
  if (out.command.empty())
    throw std::runtime_error(plugin.file.string() +
                             ": not Python (.py), and its first line names no interpreter (#!)");
  out.command[0] = program(out.command[0], "the first line of " + plugin.file.string()).string();
  out.command.push_back(plugin.file.string());
  return out;
}

}  // namespace

void search_interpreters(InterpreterSearch search) { known_search() = std::move(search); }

const Interpreter& interpreter_of(const PluginFile& plugin) {
  struct Known {
    Interpreter interpreter;
    std::string fault;  ///< empty: there is one
  };
  static std::map<std::pair<fs::path, std::string>, Known> all;
  const auto [it, is_new] = all.try_emplace({plugin.file, plugin.python});
  Known& known = it->second;
  if (is_new) try {
      known.interpreter =
          plugin.file.extension() == ".py" ? ask_python(plugin) : read_first_line(plugin);
    } catch (const std::runtime_error& e) {
      known.fault = e.what();
    } catch (...) {
      all.erase(it);
      throw;
    }
  if (!known.fault.empty()) throw std::runtime_error(known.fault);
  return known.interpreter;
}

PluginUse use_of(const PluginFile& plugin, std::vector<Value> values,
                 std::vector<InputFile> inputs) {
  if (inputs.empty()) inputs = content_of(plugin);
  PluginUse out{plugin.file, std::move(values), std::move(inputs), {}, {}};
  if (is_library(plugin.file)) return out;
  const Interpreter& interpreter = interpreter_of(plugin);
  out.command = interpreter.command;
  for (const auto& folder : interpreter.folders) out.folders.push_back(folder.string());
  return out;
}

std::string runtime_text(const PluginFile& plugin) {
  if (is_library(plugin.file)) return "";
  const Interpreter& interpreter = interpreter_of(plugin);
  std::string out = plugin.file.string() + ": " + interpreter.command[0];
  for (const auto& version : interpreter.versions) out += ", " + version;
  return out;
}

}  // namespace conoscope::core
