// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conoscope::fuzz {

/// The bytes as a file, in memory where the system has a folder for that.
class BytesInFile {
 public:
  explicit BytesInFile(std::string_view bytes, const char* ending = "") {
    path_ =
        (::access("/dev/shm", W_OK) == 0 ? "/dev/shm/conoscope_fuzz_" : "/tmp/conoscope_fuzz_") +
        std::to_string(::getpid()) + ending;
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  ~BytesInFile() { ::unlink(path_.c_str()); }
  BytesInFile(const BytesInFile&) = delete;
  BytesInFile& operator=(const BytesInFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// An exception that says why is an answer; any other is a find.
template <typename Read>
int answered(Read&& read) {
  try {
    read();
  } catch (const std::invalid_argument&) {
  } catch (const std::runtime_error&) {
  }
  return 0;
}

}  // namespace conoscope::fuzz
