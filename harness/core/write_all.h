// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace conoscope::core {

/// Writes all of it, in as many calls as it takes. False, with errno: the rest cannot be written.
inline bool write_all(int fd, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(fd, at, size);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) at += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace conoscope::core
