// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <zip.h>

#include <string>
#include <vector>

namespace conoscope::testing {

struct ZipMember {
  std::string name, bytes;  ///< name with ".npy"
  zip_int32_t method = ZIP_CM_DEFLATE;
};

/// Writes a zip archive; npy_bytes() makes members of a .npz. Returns the path.
inline std::string write_zip(const std::string& path, const std::vector<ZipMember>& members) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  REQUIRE(archive != nullptr);
  for (const ZipMember& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const zip_int64_t at = zip_file_add(archive, member.name.c_str(), source, 0);
    REQUIRE(at >= 0);
    REQUIRE(zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), member.method, 0) ==
            0);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

}  // namespace conoscope::testing
