// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/manifest.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "harness/core/artifacts/array_pool.h"
#include "harness/core/artifacts/file_memory.h"
#include "harness/core/artifacts/hashed_text.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/names.h"

namespace conoscope::core {

namespace fs = std::filesystem;

// One call for all files of the folder and the folder itself: on ext4 each fsync() is a commit of the
// journal of its own, and seven took three to eight times as long.
void bring_to_disk(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int error = fd >= 0 && ::syncfs(fd) == 0 ? 0 : errno;
  if (fd >= 0) ::close(fd);
  if (error != 0)
    throw std::runtime_error(folder.string() + ": cannot be written: " + std::strerror(error));
}

std::string manifest_text(const std::vector<ManifestEntry>& entries) {
  std::string lines;
  for (const ManifestEntry& entry : entries)
    lines += entry.sha256 + '\t' + std::to_string(entry.size) + '\t' + entry.name + '\n';
  return lines + sha256_of_text(lines) + '\n';
}

std::vector<ManifestEntry> read_manifest(const fs::path& artifact) {
  const auto text = file_text(artifact / kManifest);
  if (!text) throw DamagedArtifact(artifact.string() + ": not a finished artifact");
  constexpr std::size_t kLastLine = 65;  // a hash and its line end
  const std::size_t length = text->size() < kLastLine ? 0 : text->size() - kLastLine;
  const auto lines = std::string_view(*text).substr(0, length);
  if (text->substr(length) != sha256_of_text(lines) + '\n')
    throw DamagedArtifact((artifact / kManifest).string() + ": damaged");
  std::vector<ManifestEntry> out;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t size = lines.find('\t', begin) + 1, name = lines.find('\t', size) + 1;
    const std::size_t end = lines.find('\n', name);
    if (size == 0 || name == 0 || end == lines.npos)
      throw DamagedArtifact((artifact / kManifest).string() + ": damaged");
    ManifestEntry entry{std::string(lines.substr(name, end - name)), 0,
                        std::string(lines.substr(begin, size - 1 - begin))};
    std::from_chars(lines.data() + size, lines.data() + name - 1, entry.size);
    out.push_back(std::move(entry));
    begin = end + 1;
  }
  return out;
}

std::vector<fs::path> artifact_files(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::is_regular_file(entry.symlink_status()) &&
        (entry.path().extension() == ".npy" || entry.path().filename() == kTextsFile))
      out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

void copy_arrays(const fs::path& artifact, const fs::path& to) {
  fs::create_directories(to);
  for (const ManifestEntry& entry : read_manifest(artifact))
    fs::copy_file(artifact / entry.name, to / entry.name, fs::copy_options::overwrite_existing);
}

std::vector<ManifestEntry> pass_on_arrays(const fs::path& artifact,
                                          const std::vector<std::string>& names,
                                          const fs::path& folder) {
  std::vector<ManifestEntry> out;
  for (ManifestEntry& entry : read_manifest(artifact)) {
    const fs::path from = artifact / entry.name, to = folder / entry.name;
    if (!contains(names, from.stem().string()) || fs::exists(to)) continue;
    std::error_code error;
    fs::create_hard_link(from, to, error);
    if (error) fs::copy_file(from, to);
    out.push_back(std::move(entry));
  }
  return out;
}

void seal_artifact(const fs::path& folder, const std::string& confined_by,
                   const std::string& made_by, const std::vector<ManifestEntry>& known,
                   const ArrayPool* pool) {
  std::vector<ManifestEntry> entries;
  for (const fs::path& file : artifact_files(folder)) {
    const std::string name = file.filename().string();
    const auto found = std::ranges::find(known, name, &ManifestEntry::name);
    const bool is_known = found != known.end();
    entries.push_back(is_known ? *found
                               : ManifestEntry{name, fs::file_size(file), sha256_of_file(file)});
    if (pool != nullptr && !is_known && pool->has(entries.back())) ArrayPool::leave_to_pool(file);
  }
  fs::remove(folder / kManifest);  // whatever a plugin may have put there
  std::ofstream out(folder / kManifest, std::ios::binary);
  out << manifest_text(entries);
  out.close();
  if (!out)
    throw std::runtime_error((folder / kManifest).string() +
                             ": cannot be written: " + std::strerror(errno));
  write_hashed(folder / kConfined, confined_by);
  write_hashed(folder / kMadeBy, made_by);
  bring_to_disk(folder);
}

void verify_artifact(const fs::path& artifact) {
  for (const ManifestEntry& entry : read_manifest(artifact)) {
    const fs::path file = artifact / entry.name;
    std::string found;
    try {
      found = sha256_of_file(file);
    } catch (const std::runtime_error& e) {
      throw DamagedArtifact(e.what());
    }
    if (found != entry.sha256)
      throw DamagedArtifact(file.string() + ": damaged: its bytes are not those that were written");
  }
}

}  // namespace conoscope::core
