// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/needed_libraries.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/names.h"

extern char** environ;

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kIdDigits = 16;

#if defined(__aarch64__)
constexpr const char* kTriplet = "aarch64-linux-gnu";
#else
constexpr const char* kTriplet = "x86_64-linux-gnu";
#endif

/// The folders that /etc/ld.so.conf names, and the files that it includes.
void read_loader_configuration(const fs::path& file, std::vector<fs::path>& out) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, pattern;
    words >> word;
    if (word != "include") {
      if (!word.empty()) out.emplace_back(word);
      continue;
    }
    while (words >> pattern) {
      glob_t found{};
      if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc; ++i)
          if (file != found.gl_pathv[i]) read_loader_configuration(found.gl_pathv[i], out);
      ::globfree(&found);
    }
  }
}

const std::vector<fs::path>& system_folders() {
  static const std::vector<fs::path> folders = [] {
    std::vector<fs::path> out;
    read_loader_configuration("/etc/ld.so.conf", out);
    for (const char* root : {"/lib", "/usr/lib"}) {
      out.push_back(fs::path(root) / kTriplet);
      out.emplace_back(std::string(root) + "64");
      out.emplace_back(root);
    }
    return out;
  }();
  return folders;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

bool is_of_system(const fs::path& file) {
  return std::ranges::any_of(std::array{"/lib", "/lib64", "/usr/lib", "/usr/lib64"},
                             [&file](const char* root) { return is_below(file, root); });
}

/// No arithmetic that could differ: the host's environment names what of them decides.
bool is_run_time_library(std::string_view name) {
  return std::ranges::any_of(
      std::array{"libc.so", "libm.so", "libmvec.so", "libstdc++.so", "libgcc_s.so", "libdl.so",
                 "libpthread.so", "librt.so", "libutil.so", "ld-linux"},
      [name](const char* start) { return name.starts_with(start); });
}

std::optional<fs::path> find_in(const std::vector<fs::path>& folders, const std::string& name) {
  for (const fs::path& folder : folders) {
    const fs::path file = folder / name;
    std::error_code error;
    // The path without its links costs a look at each of its parts.
    if (fs::is_regular_file(file, error))
      if (fs::path real = fs::canonical(file, error); !error) return real;
  }
  return std::nullopt;
}

/// Those of the system stay as they are while this process lives, as far as it is concerned.
const std::optional<fs::path>& find_in_system(const std::string& name) {
  static std::map<std::string, std::optional<fs::path>> known;
  const auto [it, is_new] = known.try_emplace(name);
  if (is_new) it->second = find_in(system_folders(), name);
  return it->second;
}

std::vector<fs::path> library_path_of_environment() {
  // What the workers are passed, too.
  constexpr std::string_view kName = "LD_LIBRARY_PATH=";
  std::vector<fs::path> out;
  std::istringstream list;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string_view text = *entry; text.starts_with(kName))
      list.str(std::string(text.substr(kName.size())));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) out.emplace_back(folder);
  return out;
}

const LoaderNeeds& needs_of_system_library(const fs::path& file) {
  static std::map<fs::path, LoaderNeeds> known;
  const auto [it, is_new] = known.try_emplace(file);
  if (is_new) it->second = loader_needs(file);
  return it->second;
}

}  // namespace

NeededLibraries needed_libraries(const std::vector<fs::path>& files) {
  struct Visit {
    fs::path file;
    std::vector<fs::path> inherited;  ///< the RPATH of who needs it
  };
  NeededLibraries out;
  std::deque<Visit> left;
  for (const fs::path& file : files) left.push_back({file, {}});
  std::set<std::string> seen;
  const auto from_environment = library_path_of_environment();
  for (; !left.empty(); left.pop_front()) {
    const auto& [file, inherited] = left.front();
    const LoaderNeeds needs =
        is_of_system(file) ? needs_of_system_library(file) : loader_needs(file);
    std::vector<fs::path> rpath;  // where there is a RUNPATH, no RPATH counts
    if (needs.runpath.empty()) {
      rpath = needs.rpath;
      rpath.insert(rpath.end(), inherited.begin(), inherited.end());
    }
    for (const std::string& name : needs.libraries) {
      if (!seen.insert(name).second) continue;
      bool by_run_path = true;
      auto found = find_in(rpath, name);
      if (!found) {
        found = find_in(from_environment, name);
        by_run_path = !found;
      }
      if (!found) found = find_in(needs.runpath, name);
      if (!found) {
        found = find_in_system(name);
        by_run_path = false;
      }
      if (!found) continue;
      const bool own =
          by_run_path && (!is_of_system(*found) || is_below(*found, files.front().parent_path()));
      if (!own && is_run_time_library(name)) continue;
      (own ? out.own : out.system).push_back(*found);
      left.push_back({*found, rpath});
    }
  }
  return out;
}

std::string library_id(const fs::path& file) try {
  static std::map<fs::path, std::string> of_system;
  if (const auto it = of_system.find(file); it != of_system.end()) return it->second;
  std::string id = loader_needs(file).build_id;
  id = (id.empty() ? content_hash(file) : id).substr(0, kIdDigits);
  if (is_of_system(file)) of_system[file] = id;
  return id;
} catch (const std::runtime_error&) {
  return "";
}

std::string arithmetic_libraries() {
  auto folders = library_path_of_environment();
  folders.insert(folders.end(), system_folders().begin(), system_folders().end());
  std::string out;
  for (const char* name :
       {"libm.so.6", "libmvec.so.1", "libblas.so.3", "liblapack.so.3", "libopenblas.so.0"})
    if (const auto file = find_in(folders, name))
      out += (out.empty() ? "" : ", ") + std::string(name) + " " + library_id(*file);
  return out;
}

}  // namespace conoscope::core
