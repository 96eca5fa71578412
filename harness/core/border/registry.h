// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/border/metadata.h"
#include "harness/core/input_file.h"

namespace conoscope::core {

/// A file of the search path that says it is a plugin, or one that was named outright.
struct PluginFile {
  std::filesystem::path file;
  std::optional<Metadata> metadata;  ///< none: it could not be read, see refusal
  std::string refusal;               ///< why it must not be used; empty: it may be
  std::string sha256;  ///< of the file, or of its package's; empty when it cannot be read
  std::string stamp;   ///< see InputFile
  std::string python;  ///< the interpreter that the run file names; or empty
  /// Its own libraries: those that its loader finds by its run path, what reads data for it, and what
  /// these need in turn.
  std::vector<InputFile> libraries = {};
};

/// What the plugin and its own libraries were when it was examined.
std::vector<InputFile> content_of(const PluginFile& plugin);

/// Files whose loading killed or hung a process, by content: they are not loaded again until a
/// `plugin check` of the same content passes. One line each: sha256, tab, reason.
class Quarantine {
 public:
  explicit Quarantine(std::filesystem::path file);
  /// The reason, or empty.
  std::string reason(const std::string& sha256) const;
  /// throws  CacheError: the file cannot be written; in this process the change holds all the same
  void add(const std::string& sha256, const std::string& reason);
  void lift(const std::string& sha256);

 private:
  void read();
  /// Reads, changes and writes the file while no other process does. throws: as add()
  void change(const std::function<void()>& body);
  std::filesystem::path file_;
  std::map<std::string, std::string> reasons_;
};

/// What the search path holds. Nothing is loaded or run: metadata are read from the files' notes and
/// comment blocks. A file without either is silently no plugin; a .so that is no shared library, or a
/// damaged one, is listed with its refusal; two files with the same kind and id are both refused.
class Registry {
 public:
  Registry(const std::vector<std::filesystem::path>& folders, const Quarantine& quarantine);

  const std::vector<PluginFile>& plugins() const { return plugins_; }
  const std::vector<std::filesystem::path>& folders() const { return folders_; }
  /// nullptr: no such plugin (a refused one is found, with its refusal).
  const PluginFile* find(Kind kind, std::string_view id) const;
  std::vector<std::string> ids(Kind kind) const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<PluginFile> plugins_;
};

/// One file, examined without loading it. Unlike in the search path, "silently no plugin" is a
/// refusal here: somebody named this file.
PluginFile examine_plugin(const std::filesystem::path& file, const Quarantine& quarantine);

}  // namespace conoscope::core
