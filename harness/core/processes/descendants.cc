// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

namespace conoscope::core {

namespace {

std::string folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

/// It has ended, and waits to be waited for.
bool ended(pid_t pid) {
  std::ifstream in(folder_of(pid) + "/stat");
  std::string text;
  std::getline(in, text);
  const std::size_t name = text.rfind(')');  // which may hold anything
  return name == text.npos || name + 2 >= text.size() || text[name + 2] == 'Z';
}

/// A child belongs to the thread that has started it.
void add_children(pid_t pid, std::vector<pid_t>& out) {
  const std::string tasks = folder_of(pid) + "/task";
  DIR* folder = ::opendir(tasks.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream in(tasks + "/" + entry->d_name + "/children");
    for (pid_t child; in >> child;) out.push_back(child);
  }
  ::closedir(folder);
}

std::uint64_t number_in(const std::string& line) {
  return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10);
}
std::uint64_t bytes_in(const std::string& line) { return number_in(line) << 10; }

struct Status {
  std::uint64_t anonymous = 0, shared = 0, threads = 0;
};
Status status_of(pid_t pid) {
  Status out;
  std::ifstream in(folder_of(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("RssAnon:", 0) == 0) out.anonymous = bytes_in(line);
    if (line.rfind("RssShmem:", 0) == 0) out.shared = bytes_in(line);
    if (line.rfind("Threads:", 0) == 0) out.threads = number_in(line);
  }
  return out;
}

/// Shared mappings of what no folder has, as the kernel says it: "/dev/zero (deleted)". Nullopt: the
/// process may not be looked into.
std::optional<std::uint64_t> nameless(pid_t pid) {
  std::ifstream in(folder_of(pid) + "/smaps");
  if (!in) return std::nullopt;
  std::uint64_t sum = 0;
  bool counts = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t word = line.find(' ');
    const bool is_field = word != line.npos && word > 0 && line[word - 1] == ':';
    if (!is_field)
      counts = word + 4 < line.size() && line[word + 4] == 's' && line.ends_with(" (deleted)");
    else if (counts && line.rfind("Rss:", 0) == 0)
      sum += bytes_in(line);
  }
  return sum;
}

}  // namespace

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> all;
  add_children(pid, all);
  for (std::size_t i = 0; i < all.size(); ++i) add_children(all[i], all);
  std::erase_if(all, ended);
  return all;
}

void kill_descendants(pid_t pid) {
  // The bound is for processes that no signal ends: those in a system call that a dead disk holds.
  for (int turn = 0; turn < 2000; ++turn) {
    const auto left = descendants(pid);
    if (left.empty()) return;
    for (const pid_t process : left) ::kill(process, SIGKILL);
    if (turn > 0) ::usleep(1000);
  }
}

Held held_by(pid_t pid) {
  auto processes = descendants(pid);
  processes.push_back(pid);
  Held held;
  for (const pid_t process : processes) {
    const Status status = status_of(process);
    held.memory += status.anonymous + status.shared;
    held.threads += status.threads;
  }
  return held;
}

bool holds_more_than(std::uint64_t bytes, pid_t pid) {
  auto processes = descendants(pid);
  processes.push_back(pid);
  std::uint64_t held = 0;
  for (const pid_t process : processes) {
    const Status status = status_of(process);
    held += status.anonymous;
    // A worker, which maps its inputs, hides itself; what a plugin hides counts in full.
    if (status.shared > 0) held += nameless(process).value_or(process == pid ? 0 : status.shared);
  }
  return held > bytes;
}

void end_own_children() noexcept {
  char file[64] = "/proc/self/task/", list[4096];
  // The main thread's children, and orphans of theirs, which come to it.
  std::size_t end = 16;
  char digits[16];
  int count = 0;
  for (pid_t rest = ::getpid(); rest > 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) file[end++] = digits[--count];
  for (const char c : {'/', 'c', 'h', 'i', 'l', 'd', 'r', 'e', 'n', '\0'}) file[end++] = c;
  while (true) {
    const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? 0 : ::read(fd, list, sizeof(list));
    if (fd >= 0) ::close(fd);
    pid_t child = 0;
    for (ssize_t i = 0; i < size; ++i) {  // a list that is cut off goes on in the next turn
      if (list[i] >= '0' && list[i] <= '9') {
        child = child * 10 + (list[i] - '0');
      } else if (child > 1) {
        ::kill(child, SIGKILL);
        child = 0;
      }
    }
    if (::waitpid(-1, nullptr, size > 0 ? 0 : WNOHANG) <= 0 && (size <= 0 || errno == ECHILD))
      return;
  }
}

}  // namespace conoscope::core
