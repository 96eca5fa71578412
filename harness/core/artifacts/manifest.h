// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace conoscope::core {

/// manifest.tsv, the file that makes an artifact a finished one: the name, size and hash of each of
/// its other files, and a hash of these lines.
inline constexpr const char* kManifest = "manifest.tsv";
inline constexpr const char* kTextsFile = "texts.tsv";
/// By what its plugin was confined, as hashed_text.h writes it; absent: not by both Landlock and seccomp.
inline constexpr const char* kConfined = "confined.txt";
/// What made it (border/provenance.h), written alike.
inline constexpr const char* kMadeBy = "made_by.txt";

/// An artifact is not what its manifest says, or has none. It can be made again.
class DamagedArtifact : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ArrayPool;

struct ManifestEntry {
  std::string name;
  std::uint64_t size = 0;
  std::string sha256;
};

std::string manifest_text(const std::vector<ManifestEntry>& entries);

/// The files of a folder that an artifact consists of, sorted: arrays and texts. A manifest, logs and
/// notes on how it was made belong to the cache.
std::vector<std::filesystem::path> artifact_files(const std::filesystem::path& folder);

/// Makes files of an artifact files of a folder as well, those of these arrays that the folder lacks:
/// links, or copies where the file system has none.
/// returns  their entries, as the artifact has them
/// throws   DamagedArtifact: as read_manifest(); std::filesystem::filesystem_error: a copy fails
std::vector<ManifestEntry> pass_on_arrays(const std::filesystem::path& artifact,
                                          const std::vector<std::string>& names,
                                          const std::filesystem::path& folder);

/// Makes an artifact of a folder: hashes its arrays and texts, writes the manifest, and brings the
/// files and then the folder to the disk. Once its name is in the cache, so is its content, whatever
/// happens to the power.
///
/// confined_by, made_by  the texts of kConfined and kMadeBy
/// known   entries of files that were passed on from an artifact: their hashes are known
/// pool    arrays that it has are left to it
/// throws  std::runtime_error: a fault of the disk
void seal_artifact(const std::filesystem::path& folder, const std::string& confined_by = "",
                   const std::string& made_by = "", const std::vector<ManifestEntry>& known = {},
                   const ArrayPool* pool = nullptr);

/// Brings a folder and its files to the disk.
/// throws  std::runtime_error: a fault of the disk
void bring_to_disk(const std::filesystem::path& folder);

/// throws  DamagedArtifact: there is none, or its own hash does not fit
std::vector<ManifestEntry> read_manifest(const std::filesystem::path& artifact);

/// The same after a look at every byte of every file.
/// throws  DamagedArtifact: names the first file that is not what it was
void verify_artifact(const std::filesystem::path& artifact);

/// Copies a finished artifact's arrays and texts into a folder, which is made if it is not there; not
/// what belongs to the cache.
/// throws  DamagedArtifact: as read_manifest(); std::filesystem::filesystem_error: a copy fails
void copy_arrays(const std::filesystem::path& artifact, const std::filesystem::path& to);

}  // namespace conoscope::core
