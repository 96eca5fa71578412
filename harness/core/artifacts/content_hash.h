#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/input_file.h"

namespace conoscope::core {

/// What a data file holds, as a hash: that of its bytes; of a folder, that of the names and bytes
/// of all files in and below it, in the order of their names. Each file is read once by a process,
/// and again when its stamp has changed.
///
/// throws  std::runtime_error: something cannot be read, or changed meanwhile (names it)
std::string content_hash(const std::filesystem::path& file_or_folder);

/// Hash and stamp of the same content.
/// throws  as content_hash()
InputFile look_at(const std::filesystem::path& file_or_folder);

/// Holds a piece of work to the files that it was planned with: between the construction and
/// check_again(), each held what its hash says. A file whose stamp differs is hashed again, so one
/// that was copied back or touched is as good.
class UnchangedInputs {
 public:
  /// throws  std::runtime_error: one holds something else, or cannot be read (names it)
  explicit UnchangedInputs(std::vector<InputFile> inputs);
  /// throws  std::runtime_error: one was changed or replaced since
  void check_again() const;

 private:
  std::vector<InputFile> inputs_;
};

}  // namespace conoscope::core
