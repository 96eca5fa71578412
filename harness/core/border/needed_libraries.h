// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace conoscope::core {

/// What the loader is told by a library's own file.
struct LoaderNeeds {
  std::vector<std::string> libraries;                 ///< the names of those that it needs
  std::vector<std::filesystem::path> rpath, runpath;  ///< where they are sought; $ORIGIN filled in
  std::string build_id;  ///< what its linker told it apart by, in hexadecimal; or empty
};
/// Nothing where the file cannot be read or is no library.
LoaderNeeds loader_needs(const std::filesystem::path& file);

/// What a plugin may load beside itself to read data (datasets/formats/reader_library.h).
inline constexpr const char* kReaderLibraries[] = {"conoscope_npz.so", "conoscope_hdf5.so"};

/// A larger library is told by its build id alone: to hash it takes a second, with each command.
inline constexpr std::uintmax_t kMostHashedLibrary = std::uintmax_t{64} << 20;

/// The libraries that are loaded with some files, and with these libraries in turn.
struct NeededLibraries {
  /// Found in a run path outside the system's folders, or below the folder of the first file: they
  /// come with the plugin.
  std::vector<std::filesystem::path> own;
  std::vector<std::filesystem::path>
      system;  ///< the others, without the C and C++ run-time libraries
};

/// Found as the loader finds them: in RPATH, LD_LIBRARY_PATH, RUNPATH, the folders of
/// /etc/ld.so.conf, and the system's own. What is not found there is left out.
NeededLibraries needed_libraries(const std::vector<std::filesystem::path>& files);

/// Sixteen hexadecimal digits that tell a library or a program from another one: of its build id, or
/// of its content where it has none. Empty where it cannot be read.
std::string library_id(const std::filesystem::path& file);

/// "libm.so.6 0123456789abcdef, ...": of the system's libraries, those that every program computes
/// with, as far as they are there.
std::string arithmetic_libraries();

}  // namespace conoscope::core
