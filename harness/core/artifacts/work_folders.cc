// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/work_folders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLockEnding = ".lock";

/// Machines may share a folder without sharing locks on it: each looks after its own at once.
std::string machine() {
  utsname system{};
  ::uname(&system);
  return std::string("@") + system.nodename;
}

/// Gives the owner back what it may do with its folders. Follows no link.
void open_folders(const fs::path& folder) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    open_folders(at->path());
}

/// Is the name still that of the open file?
bool is_in_place(int fd, const fs::path& file) {
  struct stat held {
  }, named{};
  return ::fstat(fd, &held) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool is_older(const fs::path& lock, std::chrono::hours age) {
  std::error_code error;
  const auto last = fs::last_write_time(lock, error);
  return !error && fs::file_time_type::clock::now() - last > age;
}

}  // namespace

std::string random_name() {
  std::random_device device;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = device();
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[word >> shift & 15];
  }
  return out;
}

bool remove_tree(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return true;
  open_folders(folder);
  fs::remove_all(folder, error);
  return !error;
}

WorkFolders::WorkFolders(const fs::path& parent) {
  const auto fail = [&parent](int error) {
    throw std::runtime_error(parent.string() +
                             ": no work folder can be made: " + std::strerror(error));
  };
  while (true) {
    const std::string name = random_name() + machine();
    root_ = parent / name;
    lock_file_ = parent / (name + kLockEnding);
    lock_ = ::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (lock_ < 0 && errno == EEXIST) continue;
    if (lock_ < 0) fail(errno);
    // Where a file system has no locks, nobody finds the owner dead either.
    ::flock(lock_, LOCK_EX | LOCK_NB);
    // Before the lock was ours, somebody may have taken the file for an abandoned one.
    if (is_in_place(lock_, lock_file_) && ::mkdir(root_.c_str(), 0755) == 0) return;
    const int error = errno;
    const bool gone = !is_in_place(lock_, lock_file_);
    if (!gone) ::unlink(lock_file_.c_str());
    ::close(lock_);
    if (!gone && error != EEXIST) fail(error);
  }
}

WorkFolders::~WorkFolders() {
  std::error_code error;
  if (remove_tree(root_)) fs::remove(lock_file_, error);  // else the next process tries again
  ::close(lock_);
}

fs::path WorkFolders::next() { return root_ / std::to_string(++count_); }

void WorkFolders::keep_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + std::chrono::minutes(10);
  if (is_older(lock_file_, std::chrono::hours(1))) ::futimens(lock_, nullptr);
}

void WorkFolders::remove_abandoned(const fs::path& parent) {
  std::error_code error;
  const std::string ending = machine() + kLockEnding;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const fs::path file = entry.path();
    const std::string name = file.filename().string();
    if (!name.ends_with(ending) &&
        !(name.ends_with(kLockEnding) && name.find('@') != name.npos && is_older(file, kSilence)))
      continue;
    const int lock = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0) continue;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && is_in_place(lock, file)) {
      fs::path folder = file;
      // Last: as long as it is there, the folder is looked after.
      if (remove_tree(folder.replace_extension())) fs::remove(file, error);
    }
    ::close(lock);
  }
}

}  // namespace conoscope::core
