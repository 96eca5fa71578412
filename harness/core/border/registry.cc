// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/registry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "harness/core/artifacts/cache.h"
#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/whole_file.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/needed_libraries.h"
#include "harness/core/path_fault.h"

namespace conoscope::core {

namespace fs = std::filesystem;

Quarantine::Quarantine(fs::path file) : file_(std::move(file)) { read(); }

void Quarantine::read() {
  reasons_.clear();
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != line.npos) reasons_[line.substr(0, tab)] = line.substr(tab + 1);
  }
}

std::string Quarantine::reason(const std::string& sha256) const {
  const auto it = reasons_.find(sha256);
  return it == reasons_.end() ? "" : it->second;
}

void Quarantine::add(const std::string& sha256, const std::string& reason) {
  std::string line = reason;
  std::replace(line.begin(), line.end(), '\n', ' ');
  change([&] { reasons_[sha256] = line; });
}

void Quarantine::lift(const std::string& sha256) {
  change([&] { reasons_.erase(sha256); });
}

void Quarantine::change(const std::function<void()>& body) {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  // A file of its own, because the other one is replaced and not written to.
  const int lock =
      ::open((file_.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (lock >= 0)
    while (::flock(lock, LOCK_EX) != 0 && errno == EINTR) {
    }
  if (fs::exists(file_, error)) read();
  const auto before = reasons_;
  int problem = 0;
  body();
  if (reasons_ != before) {
    std::string text;
    for (const auto& [hash, reason] : reasons_) text += hash + '\t' + reason + '\n';
    problem = write_whole(file_, text);
  }
  if (lock >= 0) ::close(lock);
  if (problem != 0)
    throw CacheError(file_.string() + ": cannot be written: " + std::strerror(problem) +
                     ", so that the next command finds the quarantine as it was; mend that, or "
                     "choose another cache with --cache");
}

/// Of the files in a folder of plugins, those that are looked into: libraries, Python, and scripts
/// that say what runs them.
static bool may_be_plugin(const fs::path& file) {
  if (!fault_of_file(file).empty()) return false;
  if (file.extension() == ".so" || file.extension() == ".py") return true;
  std::ifstream in(file, std::ios::binary);
  return in.get() == '#' && in.get() == '!';
}

std::vector<InputFile> content_of(const PluginFile& plugin) {
  std::vector<InputFile> out = {{plugin_content(plugin.file), plugin.sha256, plugin.stamp, true}};
  out.insert(out.end(), plugin.libraries.begin(), plugin.libraries.end());
  return out;
}

/// A library with what reads data for it, where it reads any.
static std::vector<fs::path> loaded_files(const fs::path& file, const Metadata& metadata) {
  std::vector<fs::path> out = {file};
  if (std::ranges::any_of(metadata.parameters, [](const auto& one) { return one.is_path(); }))
    for (const char* name : kReaderLibraries)
      if (const fs::path reader = file.parent_path() / name; fs::is_regular_file(reader))
        out.push_back(reader);
  return out;
}

/// What of these comes with the plugin, as it is now. Its own library of hundreds of MiB is told by
/// its build id (needed_libraries.h), like the system's.
static std::vector<InputFile> own_libraries(const std::vector<fs::path>& loaded) {
  std::vector<InputFile> out;
  for (std::size_t i = 1; i < loaded.size(); ++i) out.push_back(look_at(loaded[i]));
  for (const fs::path& library : needed_libraries(loaded).own)
    if (fs::file_size(library) <= kMostHashedLibrary) out.push_back(look_at(library));
  return out;
}

PluginFile examine_plugin(const fs::path& file, const Quarantine& quarantine) {
  PluginFile out;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  out.file = error ? file : real;
  if (fs::is_regular_file(out.file / kPackageMain, error)) out.file /= kPackageMain;
  const std::string name = out.file.string();
  try {
    std::vector<InputFile> input;
    // Nothing else is hashed: a folder may be large, a FIFO waits, and a device has no end.
    if (fault_of_file(out.file).empty()) {
      input.push_back(look_at(plugin_content(out.file), true));
      out.sha256 = input[0].hash;
      out.stamp = input[0].stamp;
    }
    out.metadata = read_metadata(out.file);
    if (out.metadata && is_library(out.file))
      out.libraries = own_libraries(loaded_files(out.file, *out.metadata));
    UnchangedInputs(input).check_again();  // the metadata are those of the bytes that were hashed
    if (!out.metadata) {
      out.refusal =
          name + (is_library(out.file)
                      ? ": a shared library, but no conoscope plugin: it has no "
                        ".note.conoscope section (is there a CONOSCOPE_EXPLAINER(...) line "
                        "or the like?)"
                      : ": no conoscope plugin: it is no shared library and has no comment "
                        "block that begins with the line `# /// conoscope`");
      return out;
    }
    const Metadata& data = *out.metadata;
    if (!data.fits_border())
      out.refusal = name + ": " + border_refusal(data.abi_major, data.abi_minor);
    else if (const auto reason = quarantine.reason(out.sha256); !reason.empty())
      out.refusal = name + ": in quarantine: " + reason +
                    "; `conoscope plugin check` on the mended file lifts it";
  } catch (const std::runtime_error& e) {
    out.refusal = e.what();
  }
  return out;
}

Registry::Registry(const std::vector<fs::path>& folders, const Quarantine& quarantine)
    : folders_(folders) {
  for (const auto& folder : folders) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (fs::is_regular_file(entry.path() / kPackageMain, error))
        files.push_back(entry.path() / kPackageMain);
      else if (may_be_plugin(entry.path()))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      // An ordinary library is no plugin, nor is an ordinary script. What cannot be read may have
      // been one, cut short by a copy: it is listed with its refusal.
      try {
        if (!read_metadata(file)) continue;
      } catch (const PluginRefused&) {
      }
      PluginFile plugin = examine_plugin(file, quarantine);
      const bool known = std::any_of(plugins_.begin(), plugins_.end(),
                                     [&](const PluginFile& p) { return p.file == plugin.file; });
      if (!known) plugins_.push_back(std::move(plugin));
    }
  }
  for (std::size_t i = 0; i < plugins_.size(); ++i)
    for (std::size_t j = i + 1; j < plugins_.size(); ++j) {
      PluginFile &a = plugins_[i], &b = plugins_[j];
      if (!a.metadata || !b.metadata || a.metadata->kind != b.metadata->kind ||
          a.metadata->id != b.metadata->id)
        continue;
      const std::string reason = std::string(to_string(a.metadata->kind)) + " " + a.metadata->id +
                                 " is in two files: " + a.file.string() + " and " +
                                 b.file.string() + "; remove one or give it another id";
      a.refusal = b.refusal = reason;
    }
}

const PluginFile* Registry::find(Kind kind, std::string_view id) const {
  for (const auto& plugin : plugins_)
    if (plugin.metadata && plugin.metadata->kind == kind && plugin.metadata->id == id)
      return &plugin;
  return nullptr;
}

std::vector<std::string> Registry::ids(Kind kind) const {
  std::vector<std::string> out;
  for (const auto& plugin : plugins_)
    if (plugin.metadata && plugin.metadata->kind == kind) out.push_back(plugin.metadata->id);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace conoscope::core
