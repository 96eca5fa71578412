// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/provenance.h"

#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/sha256.h"
#include "harness/core/border/interpreter.h"
#include "harness/core/border/needed_libraries.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/worker_environment.h"
#include "harness/core/version.h"

namespace conoscope::core {

namespace {

constexpr std::size_t kDigits = 16;

struct Processor {
  std::string model = "unknown";
  std::string features = "unknown";  ///< maker, and what libraries choose their arithmetic by
};

bool decides_arithmetic(std::string_view feature) {
#if defined(__aarch64__)
  return !feature.empty();
#else
  return std::ranges::any_of(std::array{"sse", "ssse", "avx", "fma", "f16c", "amx", "xop"},
                             [feature](const char* start) { return feature.starts_with(start); });
#endif
}

Processor processor() {
  Processor out;
  std::string maker;
  std::set<std::string> features;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line;
       std::getline(info, line) && !line.empty();) {  // the first one stands for all
    const std::string name = line.substr(0, line.find_first_of("\t:"));
    const std::string value = line.substr(std::min(line.size(), line.find(':') + 2));
    if (name == "model name") out.model = value;
    if (name == "vendor_id" || name == "CPU implementer") maker = value;
    if (name != "flags" && name != "Features") continue;
    std::istringstream words(value);
    for (std::string word; words >> word;)
      if (decides_arithmetic(word)) features.insert(word);
  }
  if (!maker.empty()) out.features = maker;
  for (const std::string& feature : features) out.features += ' ' + feature;
  return out;
}

/// A space, ; and what stands before a value have a meaning in AttemptRow::binaries.
std::string plain(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::string_view(" ;=~\n").find(c) != std::string_view::npos; },
      '_');
  return name;
}

std::string parts_of_library(const PluginFile& plugin) {
  std::string out;
  std::vector<std::filesystem::path> files = {plugin.file};
  for (const InputFile& library : plugin.libraries) {
    out += ' ' + plain(library.path.filename().string()) + '=' + library.hash.substr(0, kDigits);
    files.push_back(library.path);
  }
  NeededLibraries needed = needed_libraries(files);
  std::erase_if(needed.own,
                [&](const auto& file) { return std::ranges::find(files, file) != files.end(); });
  needed.system.insert(needed.system.end(), needed.own.begin(), needed.own.end());
  if (needed.system.empty()) return out;
  std::ranges::sort(needed.system);
  std::string ids;
  for (const auto& file : needed.system)
    ids += file.filename().string() + ' ' + library_id(file) + '\n';
  return out + " system~" + sha256_of_text(ids).substr(0, kDigits);
}

std::string parts_of_script(const PluginFile& plugin) {
  const Interpreter& interpreter = interpreter_of(plugin);
  std::string out;
  for (std::string version : interpreter.versions) {
    version[version.find(' ')] = '=';
    out += ' ' + version;
  }
  if (!out.empty()) return out;
  const std::filesystem::path program = interpreter.command[0];
  return ' ' + plain(program.filename().string()) + '~' + library_id(program);
}

}  // namespace

std::string environment_text(bool confine, const std::string& process_plugins) {
  utsname system{};
  ::uname(&system);
#ifdef __GLIBC__
  const std::string libc = std::string("glibc ") + ::gnu_get_libc_version();
#else
  const std::string libc = "unknown";
#endif
  const Processor cpu = processor();
  const LibraryKernels kernels = library_kernels();
  return "cpu: " + cpu.model + "\nfeatures: " + cpu.features +
         "\nsystem: " + system.sysname + " " + system.release + " " + system.machine +
         "\nlibc: " + libc + "\nlibraries: " + arithmetic_libraries() +
         // Its own choice is made by the processor's model.
         "\nopenblas: " +
         (kernels.openblas.empty() ? "its own choice on " + cpu.model : kernels.openblas) +
         "\nonednn: " + (kernels.onednn.empty() ? "its own choice" : kernels.onednn) +
         "\naten: " + (kernels.aten.empty() ? "its own choice" : kernels.aten) +
         "\nconfinement: " + (confine ? confinement_offered() : "off") + process_plugins + "\n" +
         libraries_text() + build_text();
}

std::string deciding_lines(const std::string& environment) {
  std::string out;
  std::istringstream lines(environment);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view text = line;
    const auto begins = [text](const char* name) { return text.starts_with(name); };
    if (!std::ranges::any_of(
            std::array{"cpu: ", "system: ", "confinement: ", "plugin: ", "artifact "}, begins))
      out += line + '\n';
  }
  return out;
}

std::string parts_text(const PluginFile& plugin) try {
  return is_library(plugin.file) ? parts_of_library(plugin) : parts_of_script(plugin);
} catch (const std::runtime_error&) {
  return "";
}

std::string made_by_text(const std::string& environment, const std::string& plugins) {
  return environment + "plugins: " + plugins + "\n";
}

std::string making_of(const std::string& made_by) {
  return sha256_of_text(deciding_lines(made_by)).substr(0, kDigits);
}

}  // namespace conoscope::core
