// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command: keeps, beside a folder, what a disk would hold of it if the power went
// now and every write that nobody brought to the disk were lost. Names are there at once: a file may
// have its name, and nothing in it. Writes are lost as a whole; it tries no other order of them, and
// one job at a time (two that bring the same file to the disk would race for its image).
//
// The folder and its image are the two lines of the file <this library>.plan.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "tests/harness/trust/preloaded.h"

namespace {

using conoscope::testing::mode_of;
using conoscope::testing::next;
using conoscope::testing::path_at;
using conoscope::testing::path_of;

/// What this library does itself is not seen by it.
int open_really(const std::string& path, int flags) {
  return next<int(const char*, int, ...)>("open")(path.c_str(), flags | O_CLOEXEC, 0644);
}

struct Folders {
  std::string seen, image;
};

const Folders& folders() {
  static const Folders* const known = [] {
    auto* out = new Folders;  // lives as long as the process
    Dl_info self{};
    if (::dladdr(reinterpret_cast<void*>(&folders), &self) == 0) return out;
    const int fd = open_really(std::string(self.dli_fname) + ".plan", O_RDONLY);
    char text[4096];
    const ssize_t length = fd < 0 ? 0 : ::read(fd, text, sizeof(text));
    if (fd >= 0) ::close(fd);
    const std::string lines(text, static_cast<std::size_t>(length > 0 ? length : 0));
    const std::size_t end = lines.find('\n');
    if (end == lines.npos) return out;
    out->seen = lines.substr(0, end) + "/";
    out->image = lines.substr(end + 1, lines.find('\n', end + 1) - end - 1) + "/";
    return out;
  }();
  return *known;
}

/// Reads the plan before anybody takes the right to do so away.
__attribute__((constructor)) void prepare() { folders(); }

/// Where the image has this path; empty: it is no part of the folder.
std::string in_image(const std::string& path) {
  const Folders& known = folders();
  if (known.seen.empty() || path.rfind(known.seen, 0) != 0) return "";
  return known.image + path.substr(known.seen.size());
}

/// After the call that it is about: errno stays what that call said.
template <typename Work>
void keep(const std::string& path, Work&& work) {
  const int before = errno;
  const std::string image = in_image(path);
  if (!image.empty()) work(image);
  errno = before;
}

/// A new name, with nothing behind it.
void keep_name(const std::string& path, int flags) {
  keep(path, [flags](const std::string& image) {
    const int fd = open_really(image, O_WRONLY | (flags & (O_CREAT | O_TRUNC)));
    if (fd >= 0) ::close(fd);
  });
}

void keep_size(const std::string& path, off_t size) {
  keep(path, [size](const std::string& image) {
    next<int(const char*, off_t)>("truncate")(image.c_str(), size);
  });
}

/// The bytes of a file, whole or not at all.
void keep_bytes(const std::string& path) {
  keep(path, [&path](const std::string& image) {
    static std::atomic<int> count = 0;
    const std::string part =
        image + "." + std::to_string(::getpid()) + "." + std::to_string(++count);
    const int from = open_really(path, O_RDONLY);
    const int to = from < 0 ? -1 : open_really(part, O_WRONLY | O_CREAT | O_TRUNC);
    char bytes[65536];
    ssize_t length = 0;
    while (to >= 0 && (length = ::read(from, bytes, sizeof(bytes))) > 0)
      next<ssize_t(int, const void*, size_t)>("write")(to, bytes, static_cast<size_t>(length));
    if (from >= 0) ::close(from);
    if (to < 0) return;
    ::close(to);
    next<int(const char*, const char*)>("rename")(part.c_str(), image.c_str());
  });
}

void keep_all_bytes(const std::string& folder) {
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return;
  while (const dirent* entry = ::readdir(open)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR)
      keep_all_bytes(folder + "/" + name);
    else if (entry->d_type == DT_REG)
      keep_bytes(folder + "/" + name);
  }
  ::closedir(open);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define OPEN(NAME)                                                             \
  int NAME(const char* path, int flags, ...) {                                 \
    va_list arguments;                                                         \
    va_start(arguments, flags);                                                \
    const mode_t mode = mode_of(flags, arguments);                             \
    va_end(arguments);                                                         \
    const int fd = next<int(const char*, int, ...)>(#NAME)(path, flags, mode); \
    if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) != 0) keep_name(path, flags); \
    return fd;                                                                 \
  }
OPEN(open)
OPEN(open64)
#undef OPEN

#define FOPEN(NAME)                                                             \
  FILE* NAME(const char* path, const char* how) {                               \
    FILE* const file = next<FILE*(const char*, const char*)>(#NAME)(path, how); \
    if (file != nullptr && how[0] == 'w') keep_name(path, O_CREAT | O_TRUNC);   \
    if (file != nullptr && how[0] == 'a') keep_name(path, O_CREAT);             \
    return file;                                                                \
  }
FOPEN(fopen)
FOPEN(fopen64)
#undef FOPEN

#define SYNC(NAME)                                                                         \
  int NAME(int fd) {                                                                       \
    const int result = next<int(int)>(#NAME)(fd);                                          \
    const std::string path = path_of(fd);                                                  \
    struct stat info {};                                                                   \
    if (result == 0 && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) keep_bytes(path); \
    return result;                                                                         \
  }
SYNC(fsync)
SYNC(fdatasync)
#undef SYNC

int syncfs(int fd) {
  const int result = next<int(int)>("syncfs")(fd);
  const int before = errno;
  if (result == 0 && !in_image(path_of(fd)).empty())
    keep_all_bytes(folders().seen.substr(0, folders().seen.size() - 1));
  errno = before;
  return result;
}

int rename(const char* from, const char* to) {
  const int result = next<int(const char*, const char*)>("rename")(from, to);
  if (result == 0)
    keep(from, [to](const std::string& image) {
      next<int(const char*, const char*)>("rename")(image.c_str(), in_image(to).c_str());
    });
  return result;
}

int link(const char* from, const char* to) {
  const int result = next<int(const char*, const char*)>("link")(from, to);
  if (result == 0)
    keep(from, [to](const std::string& image) {
      next<int(const char*, const char*)>("link")(image.c_str(), in_image(to).c_str());
    });
  return result;
}

int mkdir(const char* path, mode_t mode) {
  const int result = next<int(const char*, mode_t)>("mkdir")(path, mode);
  if (result == 0)
    keep(path, [mode](const std::string& image) {
      next<int(const char*, mode_t)>("mkdir")(image.c_str(), mode);
    });
  return result;
}

#define REMOVE(NAME)                                                                              \
  int NAME(const char* path) {                                                                    \
    const int result = next<int(const char*)>(#NAME)(path);                                       \
    if (result == 0)                                                                              \
      keep(path, [](const std::string& image) { next<int(const char*)>(#NAME)(image.c_str()); }); \
    return result;                                                                                \
  }
REMOVE(unlink)
REMOVE(rmdir)
REMOVE(remove)
#undef REMOVE

int unlinkat(int folder, const char* path, int flags) {
  const std::string whole = path_at(folder, path);
  const int result = next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
  if (result == 0)
    keep(whole, [flags](const std::string& image) {
      next<int(int, const char*, int)>("unlinkat")(AT_FDCWD, image.c_str(), flags);
    });
  return result;
}

#define FTRUNCATE(NAME)                                          \
  int NAME(int fd, off_t length) {                               \
    const int result = next<int(int, off_t)>(#NAME)(fd, length); \
    if (result == 0) keep_size(path_of(fd), length);             \
    return result;                                               \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)
#undef FTRUNCATE

}  // extern "C"
#pragma GCC visibility pop
