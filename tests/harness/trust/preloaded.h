// SPDX-License-Identifier: Apache-2.0
#pragma once

// What libraries that stand before the C library share.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>

namespace conoscope::testing {

/// The function that would have been called.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The third argument of open(), where there is one.
inline mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

/// Empty: it is not open.
inline std::string path_of(int fd) {
  char link[64], path[1024];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t length = fd < 0 ? -1 : ::readlink(link, path, sizeof(path));
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

/// What openat() and unlinkat() mean.
inline std::string path_at(int folder, const char* path) {
  if (path[0] == '/' || folder == AT_FDCWD) return path;
  return path_of(folder) + "/" + path;
}

}  // namespace conoscope::testing
