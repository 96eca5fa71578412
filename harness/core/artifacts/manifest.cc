#include "harness/core/artifacts/manifest.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/core/artifacts/sha256.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

std::string hash_of(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

}  // namespace

std::string manifest_text(const std::vector<ManifestEntry>& entries) {
  std::string lines;
  for (const ManifestEntry& entry : entries)
    lines += entry.sha256 + '\t' + std::to_string(entry.size) + '\t' + entry.name + '\n';
  return lines + hash_of(lines) + '\n';
}

std::vector<ManifestEntry> read_manifest(const fs::path& artifact) {
  std::ifstream in(artifact / kManifest, std::ios::binary);
  if (!in) throw DamagedArtifact(artifact.string() + ": not a finished artifact");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  constexpr std::size_t kLastLine = 65;  // a hash and its line end
  const std::size_t length = text.size() < kLastLine ? 0 : text.size() - kLastLine;
  const std::string lines = text.substr(0, length);
  if (text.substr(length) != hash_of(lines) + '\n')
    throw DamagedArtifact((artifact / kManifest).string() + ": damaged");
  std::vector<ManifestEntry> out;
  std::istringstream parts(lines);
  for (ManifestEntry entry; parts >> entry.sha256 >> entry.size >> entry.name;)
    out.push_back(entry);
  return out;
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
