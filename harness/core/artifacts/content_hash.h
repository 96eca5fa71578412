// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/input_file.h"

namespace conoscope::core {

/// What a data file holds, as a hash: that of its bytes; of a folder, that of the names and bytes
/// of all files in and below it, in the order of their names. Each file is read once by a process,
/// and again when its stamp has changed, or cannot tell.
///
/// code    it is a plugin's package: without __pycache__, which Python makes of the files beside it
/// throws  std::runtime_error: something cannot be read, is no file that holds the same whenever it is
///         read (a device, a pipe, what lies in /proc), or changed meanwhile (names it); a folder
///         holds a device or a pipe, or a link to a folder that it lies in
std::string content_hash(const std::filesystem::path& file_or_folder, bool code = false);

/// Inode, size and times of a file, or of all in a folder.
struct Stamp {
  std::string text;
  timespec newest = {};  ///< of the times
  std::uint64_t bytes = 0;
};

/// The time of the last change of the inode cannot be set: who replaces a file, or writes to it,
/// leaves another stamp, even with the old size and time of writing.
/// throws  std::runtime_error: it cannot be read, or is no file that holds the same whenever it is read
Stamp stamp_of_file(const std::filesystem::path& file);

timespec now();

/// Whether a file that is written to after `hashed` has other times than those of which `newest` was
/// then the latest. Clocks of files go in steps: of some milliseconds, of a second (ext2, NFS), of
/// two (FAT).
bool times_tell(const timespec& newest, const timespec& hashed);

/// Hash and stamp of the same content. Much that was just written is hashed only once its times tell,
/// so that not everyone who uses it has to hash it again.
/// throws  as content_hash()
InputFile look_at(const std::filesystem::path& file_or_folder, bool code = false);

/// Holds a piece of work to the files that it was planned with: between the construction and
/// check_again(), each held what its hash says. A file whose stamp differs, or cannot tell, is hashed
/// again, so one that was copied back or touched is as good.
class UnchangedInputs {
 public:
  /// throws  std::runtime_error: one holds something else, or cannot be read (names it)
  explicit UnchangedInputs(std::vector<InputFile> inputs);
  /// throws  std::runtime_error: one was changed or replaced since
  void check_again() const;

 private:
  struct Held {
    InputFile file;
    std::string stamp;  ///< at the construction
    bool told = true;   ///< the stamp tells
  };
  std::vector<Held> inputs_;
};

}  // namespace conoscope::core
