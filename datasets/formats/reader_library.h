// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "datasets/formats/array_file.h"

namespace conoscope::formats {

/// Opens a file by the reader in a library of ours, which lies beside the plugin: in a folder that it
/// may read. It is loaded when it is first asked for, and stays: what it hands out is its code.
///
/// throws  std::invalid_argument, beginning with the path: what the reader refuses
///         std::runtime_error, beginning with the path: there is no such library, or it is none of
///         this build
std::shared_ptr<const NamedArrays> open_with_library(const char* library, const std::string& path);

}  // namespace conoscope::formats

// What a reader's library exports. CONOSCOPE_READERS is a word that changes with the sources of
// readers (see CMakeLists.txt): it is in a plugin's bytes, too, so that one whose reader is another
// is another plugin, and none meets a reader that was built for others.
#define CONOSCOPE_READER_JOINED(a, b) a##b
#define CONOSCOPE_READER_NAME(word) CONOSCOPE_READER_JOINED(conoscope_open_, word)
#define CONOSCOPE_READER(path)                                                       \
  extern "C" __attribute__((visibility("default"))) conoscope::formats::NamedArrays* \
  CONOSCOPE_READER_NAME(CONOSCOPE_READERS)(path)
