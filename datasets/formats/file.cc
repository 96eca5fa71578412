// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace conoscope::formats {

MappedFile::MappedFile(const std::string& path) {
  const auto fail = [&path](int error) {
    throw std::invalid_argument(path + ": " + std::generic_category().message(error));
  };
  // Without waiting: where it is a pipe, for somebody who writes.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw std::invalid_argument(path + ": not a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {  // an empty range cannot be mapped
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    ::close(descriptor);
    if (mapped == MAP_FAILED) fail(error);
    data_ = static_cast<const char*>(mapped);
  } else {
    ::close(descriptor);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace conoscope::formats
