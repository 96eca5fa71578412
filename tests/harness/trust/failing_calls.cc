// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command: lets one call of those that bring files to the disk fail, see
// failing_calls.h. Only files below the folder count, so that the loader's own do not.

#include "tests/harness/trust/failing_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/harness/trust/preloaded.h"

namespace {

using conoscope::testing::FailingCalls;
using conoscope::testing::mode_of;
using conoscope::testing::next;
using conoscope::testing::path_at;
using conoscope::testing::path_of;

FailingCalls* plan() {
  static FailingCalls* const mapped = []() -> FailingCalls* {
    Dl_info self{};
    if (::dladdr(reinterpret_cast<void*>(&plan), &self) == 0) return nullptr;
    const std::string file = std::string(self.dli_fname) + ".plan";
    const int fd = next<int(const char*, int, ...)>("open")(file.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* address = next<void*(void*, size_t, int, int, int, off_t)>("mmap")(
        nullptr, sizeof(FailingCalls), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return address == MAP_FAILED ? nullptr : static_cast<FailingCalls*>(address);
  }();
  return mapped;
}

/// Maps the plan before anybody takes the right to do so away.
__attribute__((constructor)) void prepare() { plan(); }

/// Is it this call's turn? errno is set then.
bool fails(const char* call, const char* path) {
  FailingCalls* const p = plan();
  if (p == nullptr || path == nullptr || std::strncmp(path, p->folder, std::strlen(p->folder)) != 0)
    return false;
  if (p->calls.fetch_add(1) + 1 != p->fail_at) return false;
  std::snprintf(p->failed, sizeof(p->failed), "%s %s", call, path);
  errno = p->error;
  return true;
}

bool fails(const char* call, int fd) {
  const int before = errno;
  if (fails(call, path_of(fd).c_str())) return true;
  errno = before;
  return false;
}

bool fails_at(const char* call, int folder, const char* path) {
  return path != nullptr && fails(call, path_at(folder, path).c_str());
}

/// A short write takes half, and is no failure where there is nothing to halve.
template <typename Write>
ssize_t write_some(const char* call, int fd, size_t length, Write&& write) {
  if (!fails(call, fd)) return write(length);
  if (plan()->error != 0) return -1;
  return write(length > 1 ? length / 2 : length);
}

/// Calls that are not writes have nothing to halve.
bool fails_wholly(bool turn) { return turn && plan()->error != 0; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define OPEN(NAME)                                                     \
  int NAME(const char* path, int flags, ...) {                         \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const mode_t mode = mode_of(flags, arguments);                     \
    va_end(arguments);                                                 \
    if (fails_wholly(fails(#NAME, path))) return -1;                   \
    return next<int(const char*, int, ...)>(#NAME)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#undef OPEN

#define OPENAT(NAME)                                                                \
  int NAME(int folder, const char* path, int flags, ...) {                          \
    va_list arguments;                                                              \
    va_start(arguments, flags);                                                     \
    const mode_t mode = mode_of(flags, arguments);                                  \
    va_end(arguments);                                                              \
    if (fails_wholly(fails_at(#NAME, folder, path))) return -1;                     \
    return next<int(int, const char*, int, ...)>(#NAME)(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)
#undef OPENAT

#define FOPEN(NAME)                                                 \
  FILE* NAME(const char* path, const char* how) {                   \
    if (fails_wholly(fails(#NAME, path))) return nullptr;           \
    return next<FILE*(const char*, const char*)>(#NAME)(path, how); \
  }
FOPEN(fopen)
FOPEN(fopen64)
#undef FOPEN

ssize_t write(int fd, const void* bytes, size_t length) {
  return write_some("write", fd, length, [&](size_t some) {
    return next<ssize_t(int, const void*, size_t)>("write")(fd, bytes, some);
  });
}

ssize_t writev(int fd, const iovec* parts, int count) {
  if (fails_wholly(fails("writev", fd))) return -1;
  return next<ssize_t(int, const iovec*, int)>("writev")(fd, parts, count);
}

#define PWRITE(NAME)                                                                     \
  ssize_t NAME(int fd, const void* bytes, size_t length, off_t at) {                     \
    return write_some(#NAME, fd, length, [&](size_t some) {                              \
      return next<ssize_t(int, const void*, size_t, off_t)>(#NAME)(fd, bytes, some, at); \
    });                                                                                  \
  }
PWRITE(pwrite)
PWRITE(pwrite64)
#undef PWRITE

int fsync(int fd) { return fails_wholly(fails("fsync", fd)) ? -1 : next<int(int)>("fsync")(fd); }
int syncfs(int fd) { return fails_wholly(fails("syncfs", fd)) ? -1 : next<int(int)>("syncfs")(fd); }
int fdatasync(int fd) {
  return fails_wholly(fails("fdatasync", fd)) ? -1 : next<int(int)>("fdatasync")(fd);
}

int rename(const char* from, const char* to) {
  if (fails_wholly(fails("rename", to))) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* path, mode_t mode) {
  if (fails_wholly(fails("mkdir", path))) return -1;
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

#define REMOVE(NAME)                                 \
  int NAME(const char* path) {                       \
    if (fails_wholly(fails(#NAME, path))) return -1; \
    return next<int(const char*)>(#NAME)(path);      \
  }
REMOVE(unlink)
REMOVE(rmdir)
REMOVE(remove)
#undef REMOVE

int unlinkat(int folder, const char* path, int flags) {
  if (fails_wholly(fails_at("unlinkat", folder, path))) return -1;
  return next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int link(const char* from, const char* to) {
  if (fails_wholly(fails("link", to))) return -1;
  return next<int(const char*, const char*)>("link")(from, to);
}

#define MMAP(NAME)                                                                              \
  void* NAME(void* address, size_t length, int protection, int flags, int fd, off_t at) {       \
    if (fails_wholly(fails(#NAME, fd))) return MAP_FAILED;                                      \
    return next<void*(void*, size_t, int, int, int, off_t)>(#NAME)(address, length, protection, \
                                                                   flags, fd, at);              \
  }
MMAP(mmap)
MMAP(mmap64)
#undef MMAP

#define FTRUNCATE(NAME)                                                                    \
  int NAME(int fd, off_t length) {                                                         \
    return fails_wholly(fails(#NAME, fd)) ? -1 : next<int(int, off_t)>(#NAME)(fd, length); \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)
#undef FTRUNCATE

#define FALLOCATE(NAME)                                         \
  int NAME(int fd, off_t at, off_t length) {                    \
    if (fails_wholly(fails(#NAME, fd))) return errno;           \
    return next<int(int, off_t, off_t)>(#NAME)(fd, at, length); \
  }
FALLOCATE(posix_fallocate)
FALLOCATE(posix_fallocate64)
#undef FALLOCATE

}  // extern "C"
#pragma GCC visibility pop
