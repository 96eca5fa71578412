// SPDX-License-Identifier: Apache-2.0
#include "harness/app/folders.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/app/command.h"
#include "harness/core/version.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// Empty where it is not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<fs::path> split_path_list(std::string_view rest) {
  std::vector<fs::path> out;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) out.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return out;
}

fs::path user_folder() {
  if (const fs::path data = variable("XDG_DATA_HOME"); !data.empty())
    return data / "conoscope" / "plugins";
  const fs::path home = variable("HOME");
  return home.empty() ? fs::path() : home / ".local/share/conoscope/plugins";
}

/// What lies around the executable, in the build tree as after an installation.
fs::path prefix() { return own_executable().parent_path().parent_path(); }

}  // namespace

std::vector<fs::path> plugin_folders(const std::vector<fs::path>& command_line,
                                     const std::vector<fs::path>& run_file) {
  std::vector<fs::path> out;
  const auto add = [&out](const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error && fs::is_directory(real) && std::find(out.begin(), out.end(), real) == out.end())
      out.push_back(real);
  };
  for (const auto& folder : command_line) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
      throw std::invalid_argument("--plugin-path " + folder.string() + ": not a folder");
    add(folder);
  }
  for (const auto& folder : split_path_list(variable("CONOSCOPE_PLUGIN_PATH"))) add(folder);
  for (const auto& folder : run_file) add(folder);
  add(user_folder());
  const fs::path installed = prefix() / "lib/conoscope";
  add(installed / "plugins");
  if (!core::cpu_level().empty()) add(installed / core::cpu_level() / "plugins");
  // Those that need libtorch or OpenCV, which exist once.
  if (core::cpu_level() != "x86-64") add(installed / "x86-64-v3/shared_plugins");
  return out;
}

fs::path default_cache() {
  if (const fs::path folder = variable("CONOSCOPE_CACHE"); !folder.empty()) return folder;
  if (const fs::path folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder / "conoscope";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache/conoscope";
  return ".conoscope-cache";
}

fs::path default_store() {
  const fs::path file = variable("CONOSCOPE_STORE");
  return file.empty() ? "conoscope.db" : file;
}

fs::path data_folder() {
  const fs::path folder = variable("CONOSCOPE_DATA_DIR");
  return folder.empty() ? folder : fs::absolute(folder);
}

std::vector<std::string> own_variables() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string text = *entry; text.starts_with("CONOSCOPE_") &&
                                         !text.starts_with("CONOSCOPE_STORE=") &&
                                         !text.starts_with("CONOSCOPE_CACHE="))
      out.push_back(text);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> slurm_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string text = *entry;
        text.starts_with("SLURM_CONF=") ||
        (!text.starts_with("SLURM_") && !text.starts_with("SBATCH_")))
      out.push_back(text);
  return out;
}

core::InterpreterSearch interpreter_search() {
  return {variable("CONOSCOPE_PYTHON"), split_path_list(variable("PATH"))};
}

fs::path own_program() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw UsageError("/proc/self/exe: " + error.message() +
                     "; conoscope needs /proc, to find what is installed with it and to watch its "
                     "workers: mount it (mount -t proc proc /proc)");
  return self;
}

fs::path own_executable() {
  const fs::path self = own_program(), level = self.parent_path();
  if (level.filename() != core::cpu_level() || level.parent_path().filename() != "conoscope")
    return self;
  fs::path launcher = level.parent_path().parent_path().parent_path() / "bin/conoscope";
  std::error_code error;
  return fs::exists(launcher, error) ? launcher : self;
}

fs::path share_folder() { return prefix() / "share/conoscope"; }

}  // namespace conoscope::app
