// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace conoscope::core {

/// A file or folder that a run reads, and what it held when the run was planned. The functions are in
/// artifacts/content_hash.h.
struct InputFile {
  std::filesystem::path path;
  std::string hash;  ///< content_hash() of it
  /// Inode, size and times: as long as they stay, so does the content. Empty: they cannot tell, for
  /// it had just been written.
  std::string stamp;
  bool code = false;  ///< a plugin: what Python keeps in __pycache__ is no part of it
};

}  // namespace conoscope::core
