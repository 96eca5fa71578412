// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/border/parameter.h"

namespace conoscope::core {

enum class Kind { kDataset, kModel, kExplainer, kMetric };
const char* to_string(Kind kind);
std::optional<Kind> kind_from(std::string_view name);

/// A number that a metric plugin can give.
struct ScoreSpec {
  std::string name;
  std::string direction = "none";  ///< higher, lower, none
  std::optional<double> low, high;
  std::string unit, question;
};

/// What a plugin says of itself, in the ELF note of its file.
struct Metadata {
  int abi_major = 0, abi_minor = 0;
  Kind kind = Kind::kDataset;
  std::string id, version;
  std::string summary, licence, citation;
  std::vector<std::string> needs, offers;
  /// Models: arrays of the dataset that are the model's, too, where its fit leaves none of the name.
  std::vector<std::string> passes_on;
  /// What it must be able to do beyond computing: "network", "processes".
  std::vector<std::string> access;
  bool seeded = true;
  std::vector<Parameter> parameters;  ///< in the order of the text
  std::vector<ScoreSpec> scores;      ///< metrics only

  /// Made for this border: equal major, and no newer minor.
  bool fits_border() const;
  bool may_access(std::string_view what) const;
  const Parameter* parameter(std::string_view name) const;
  /// The one that says how many concepts there will be; nullptr: none does.
  const Parameter* concept_count() const;
};

/// A file that is not, or not usable as, a plugin. The message starts with the file's name.
class PluginRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The metadata text in the file's note section, without loading the file.
/// returns  nullopt: a shared library without the note, silently no plugin
/// throws   PluginRefused: not an ELF shared library, or cut short
std::optional<std::string> read_metadata_note(const std::filesystem::path& file);

/// Where its loader looks for libraries beside the system's folders: the file's own RPATH and
/// RUNPATH, with $ORIGIN filled in. None where the file cannot be read.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& file);

/// Where a text of metadata was found, which is how a mistake in it is named: a note has no lines that
/// anybody could open.
enum class MetadataFrom { kNote, kBlock };

/// Of a text of another border only abi, kind, id and version are read: what the rest would mean,
/// that border knows.
///
/// throws  PluginRefused: malformed TOML, a key that is missing or of the wrong type
Metadata parse_metadata(std::string_view toml, const std::string& file,
                        MetadataFrom from = MetadataFrom::kNote);

/// A shared library, or named as one; any other plugin is source, which a process of its own runs.
bool is_library(const std::filesystem::path& file);

/// The file of a Python package, a folder, that is run.
inline constexpr std::string_view kPackageMain = "__main__.py";
/// What makes a plugin what it is: its file, or of a package the folder.
std::filesystem::path plugin_content(const std::filesystem::path& file);

/// What the file says of itself, without loading or running it: a library in its note, source in a
/// comment block. nullopt: it says nothing, so it is silently no plugin.
/// throws  PluginRefused: as read_metadata_note() and parse_metadata(); a block without an end
std::optional<Metadata> read_metadata(const std::filesystem::path& file);

}  // namespace conoscope::core
