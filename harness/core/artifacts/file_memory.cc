// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/file_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace {

constexpr std::size_t kSmall = std::size_t{16} << 10;
constexpr std::size_t kAlignment = 64;  // of the widest vectors; what is mapped has more

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what, int error) {
  throw std::system_error(error, std::generic_category(), file.string() + ": " + what);
}

template <typename T>
std::shared_ptr<T> unmapped_at_the_end(void* address, std::size_t size) {
  return {static_cast<T*>(address), [size](T* p) {
            if (p != nullptr) ::munmap(p, size);
          }};
}

/// Closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags)
      : number_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::optional<std::string> file_text(const std::filesystem::path& file) {
  const Descriptor descriptor(file, O_RDONLY);
  if (!descriptor.open()) return std::nullopt;
  std::string text;
  char part[4096];
  for (ssize_t got = 1; got != 0;) {
    got = ::read(descriptor.number(), part, sizeof(part));
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

std::size_t FileReader::room_of(std::size_t size) { return size > kSmall ? 0 : aligned(size); }

FileReader::FileReader(std::size_t room) : length_(room) {
  if (room == 0) return;
  void* const address =
      ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  room_ = unmapped_at_the_end<void>(address, room);
}

FileReader::~FileReader() {
  if (room_) ::mprotect(room_.get(), length_, PROT_READ);
}

std::shared_ptr<void> FileReader::read(const std::filesystem::path& file, std::size_t& size) {
  const Descriptor descriptor(file, O_RDONLY);
  if (!descriptor.open())
    throw DamagedArtifact(file.string() + ": cannot be opened: " + std::strerror(errno));
  struct stat info {};
  ::fstat(descriptor.number(), &info);
  size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return nullptr;
  if (size <= kSmall && used_ + aligned(size) <= length_) {
    void* const start = read_into_room(descriptor.number(), size);
    if (start == nullptr) fail(file, "cannot be read", errno);
    return {room_, start};
  }
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (address == MAP_FAILED) fail(file, "cannot be mapped", errno);
  return unmapped_at_the_end<void>(address, size);
}

/// Nullptr and errno where the bytes cannot be had. A file that has become shorter leaves zeros.
void* FileReader::read_into_room(int fd, std::size_t size) {
  char* const start = static_cast<char*>(room_.get()) + used_;
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::read(fd, start + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return nullptr;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  used_ += aligned(size);
  return start;
}

NewFile::NewFile(std::filesystem::path file, std::size_t length)
    : file_(std::move(file)), length_(length) {
  if (length <= kSmall) {
    const std::size_t room = std::max(aligned(length), kAlignment);
    bytes_ = {static_cast<char*>(std::aligned_alloc(kAlignment, room)), std::free};
    if (!bytes_) refuse(ENOMEM);
    std::memset(bytes_.get(), 0, length);
    return;
  }
  const Descriptor descriptor(file_, O_RDWR | O_CREAT | O_EXCL);
  if (!descriptor.open()) refuse(errno);
  // Reserves the blocks: a full disk is an error here, not a SIGBUS when the page is written.
  if (const int error = ::posix_fallocate(descriptor.number(), 0, static_cast<off_t>(length)))
    refuse(error);
  void* const address =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  if (address == MAP_FAILED) refuse(errno);
  bytes_ = unmapped_at_the_end<char>(address, length);
}

void NewFile::finish() {
  if (length_ > kSmall) return;  // the mapping is the file
  const Descriptor descriptor(file_, O_WRONLY | O_CREAT | O_EXCL);
  if (!descriptor.open()) refuse(errno);
  if (!write_all(descriptor.number(), bytes_.get(), length_)) refuse(errno);
}

void NewFile::refuse(int error) const {
  fail(file_, std::to_string(length_) + " bytes cannot be written", error);
}

}  // namespace conoscope::core
