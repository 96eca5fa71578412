// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "harness/core/artifacts/work_folders.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace fs = std::filesystem;

int write_whole(const fs::path& file, std::string_view text) {
  const fs::path fresh = file.string() + "." + random_name();
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int problem = write_all(fd, text.data(), text.size()) && ::fsync(fd) == 0 ? 0 : errno;
  if (::close(fd) != 0 && problem == 0) problem = errno;
  std::error_code error;
  if (problem == 0) {
    fs::rename(fresh, file, error);
    problem = error.value();
  }
  if (problem != 0) fs::remove(fresh, error);
  return problem;
}

}  // namespace conoscope::core
