// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/array_file.h"

#include <cstring>
#include <string_view>

#include "datasets/formats/file.h"
#include "datasets/formats/pickle.h"
#include "datasets/formats/reader_library.h"
#include "datasets/formats/safetensors.h"

namespace conoscope::formats {

std::optional<ArchiveKind> archive_kind(const std::string& path) {
  const MappedFile file(path);
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return ArchiveKind::hdf5;
  if (bytes.starts_with("PK")) return ArchiveKind::npz;
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    refuse_pickle(path);  // the protocol's number
  if (path.ends_with(".safetensors")) return ArchiveKind::safetensors;
  if (bytes.size() > 8 && bytes[8] == '{') {
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header <= bytes.size() - 8) return ArchiveKind::safetensors;
  }
  return std::nullopt;
}

ArrayFile::ArrayFile(const std::string& path)
    : ArrayFile(path, archive_kind(path).value_or(ArchiveKind::npz)) {}

ArrayFile::ArrayFile(const std::string& path, ArchiveKind kind) : path_(path), kind_(kind) {
  switch (kind) {
    case ArchiveKind::hdf5:
      file_ = open_with_library("conoscope_hdf5.so", path);
      break;
    case ArchiveKind::safetensors:
      file_ = std::make_shared<const Safetensors>(path);
      break;
    case ArchiveKind::npz:
      file_ = open_with_library("conoscope_npz.so", path);
      break;
  }
}

}  // namespace conoscope::formats
