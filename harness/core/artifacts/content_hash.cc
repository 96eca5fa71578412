// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/content_hash.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/core/artifacts/sha256.h"
#include "harness/core/path_fault.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

/// is_made_by_kernel(), which is asked once for each device.
bool is_kernels(dev_t device, const fs::path& file) {
  static std::map<dev_t, bool> known;
  const auto [it, is_new] = known.try_emplace(device, false);
  if (is_new) it->second = is_made_by_kernel(file);
  return it->second;
}

bool before(const timespec& a, const timespec& b) {
  return std::pair(a.tv_sec, a.tv_nsec) < std::pair(b.tv_sec, b.tv_nsec);
}

}  // namespace

Stamp stamp_of_file(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    throw std::runtime_error(file.string() + ": cannot be read: " + std::strerror(errno));
  if (!S_ISREG(info.st_mode) || is_kernels(info.st_dev, file))
    throw std::runtime_error(file.string() + ": cannot be read: " + fault_of_file(file));
  const auto text = [](const timespec& time) {
    return std::to_string(time.tv_sec) + '.' + std::to_string(time.tv_nsec);
  };
  return {std::to_string(info.st_ino) + ' ' + std::to_string(info.st_size) + ' ' +
              text(info.st_mtim) + ' ' + text(info.st_ctim),
          std::max(info.st_mtim, info.st_ctim, before), static_cast<std::uint64_t>(info.st_size)};
}

timespec now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time;
}

namespace {

std::string content_of_file(const fs::path& file) {
  struct Known {
    std::string stamp, hash;  ///< stamp: empty where it cannot tell
  };
  static std::map<fs::path, Known> files;
  Known& known = files[file];
  const Stamp stamp = stamp_of_file(file);
  if (known.stamp == stamp.text) return known.hash;
  const timespec begun = now();
  std::string hash = sha256_of_file(file);
  if (stamp_of_file(file).text != stamp.text)
    throw std::runtime_error(file.string() + ": was changed while it was read");
  known = {times_tell(stamp.newest, begun) ? stamp.text : "", std::move(hash)};
  return known.hash;
}

constexpr std::size_t kMostEntries = 10'000'000;

/// What is in and below a folder, by name, which is the order.
struct Entries {
  std::map<std::string, fs::path> files;
  std::map<std::string, std::string> loops;  ///< links to folders that they lie in: to which
};

/// Where a link leads that comes back to a folder that it lies in itself; empty: it does not.
fs::path way_back(const fs::path& link) {
  std::error_code error;
  const fs::path target = fs::canonical(link, error);
  const fs::path place = fs::canonical(link.parent_path(), error);
  return std::mismatch(target.begin(), target.end(), place.begin(), place.end()).first ==
                 target.end()
             ? target
             : fs::path();
}

/// Of something that is neither a file nor a folder: whoever opens it may read what nobody hashes.
void refuse_endless(const fs::directory_entry& entry) {
  std::error_code error;
  const auto type = entry.status(error).type();
  if (type == fs::file_type::fifo || type == fs::file_type::character ||
      type == fs::file_type::block)
    throw std::runtime_error(entry.path().string() + ": a " +
                             (type == fs::file_type::fifo ? "pipe" : "device") +
                             ", whose content cannot be told; take it out of the folder");
}

Entries entries_of(const fs::path& folder, bool code) {
  Entries out;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  std::size_t seen = 0;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++seen > kMostEntries)
      throw std::runtime_error(folder.string() + ": more than " + std::to_string(kMostEntries) +
                               " files");
    const std::string name = at->path().lexically_relative(folder).generic_string();
    if (at->is_regular_file(error)) {
      out.files[name] = at->path();
    } else if (!at->is_directory(error)) {
      refuse_endless(*at);
    } else if (code && at->path().filename() == "__pycache__") {
      at.disable_recursion_pending();
    } else if (const fs::path back = at->is_symlink(error) ? way_back(at->path()) : fs::path();
               !back.empty()) {
      at.disable_recursion_pending();
      const std::string to = back.lexically_relative(fs::canonical(folder)).generic_string();
      if (to == ".." || to.starts_with("../"))
        throw std::runtime_error(at->path().string() + ": a link to " + back.string() +
                                 ", which the folder lies in; take it out");
      out.loops[name] = to;
    }
  }
  if (error) throw std::runtime_error(folder.string() + ": " + error.message());
  return out;
}

/// What is said of each file, over all files in and below a folder.
template <typename OfFile>
std::string over_folder(const fs::path& folder, bool code, const OfFile& of_file) {
  const Entries entries = entries_of(folder, code);
  Sha256 hash;
  for (const auto& [name, file] : entries.files) hash.field(name).field(of_file(file));
  for (const auto& [name, to] : entries.loops) hash.field(name).field("link to " + to);
  return hash.hex();
}

Stamp stamp_of(const fs::path& path, bool code) {
  if (!fs::is_directory(path)) return stamp_of_file(path);
  Stamp out;
  out.text = over_folder(path, code, [&out](const fs::path& file) {
    const Stamp one = stamp_of_file(file);
    out.newest = std::max(out.newest, one.newest, before);
    out.bytes += one.bytes;
    return one.text;
  });
  return out;
}

constexpr std::int64_t kCoarsest = 2'000'000'000;  // ns: FAT counts in two seconds

/// How many ns it takes until the times tell, if nobody writes; 0 or less: they do.
std::int64_t until_told(const timespec& newest, const timespec& at) {
  return kCoarsest - (static_cast<std::int64_t>(at.tv_sec - newest.tv_sec) * 1'000'000'000 +
                      (at.tv_nsec - newest.tv_nsec));
}

/// A stamp that cannot tell is given out as well; `told` says so.
struct Look {
  Stamp stamp;
  std::string hash;
  bool told;
};

Look look(const fs::path& path, bool code) {
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 26;  // takes longer than looking
  Stamp stamp = stamp_of(path, code);
  if (const std::int64_t wait = until_told(stamp.newest, now());
      stamp.bytes >= kMuch && wait > 0 && wait <= kCoarsest) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    stamp = stamp_of(path, code);
  }
  const timespec begun = now();
  std::string hash = content_hash(path, code);
  if (stamp_of(path, code).text != stamp.text)
    throw std::runtime_error(path.string() + ": was changed while it was read");
  const bool told = times_tell(stamp.newest, begun);
  return {std::move(stamp), std::move(hash), told};
}

}  // namespace

std::string content_hash(const fs::path& path, bool code) {
  return fs::is_directory(path) ? over_folder(path, code, content_of_file) : content_of_file(path);
}

bool times_tell(const timespec& newest, const timespec& hashed) {
  return until_told(newest, hashed) <= 0;
}

InputFile look_at(const fs::path& path, bool code) {
  Look found = look(path, code);
  return {path, std::move(found.hash), found.told ? found.stamp.text : "", code};
}

UnchangedInputs::UnchangedInputs(std::vector<InputFile> inputs) {
  for (InputFile& input : inputs) {
    Held held{std::move(input), "", true};
    held.stamp = stamp_of(held.file.path, held.file.code).text;
    if (held.stamp != held.file.stamp) {
      Look found = look(held.file.path, held.file.code);
      if (found.hash != held.file.hash)
        throw std::runtime_error(held.file.path.string() +
                                 ": was replaced after it was hashed; start again");
      held.stamp = found.stamp.text;
      held.told = found.told;
    }
    inputs_.push_back(std::move(held));
  }
}

void UnchangedInputs::check_again() const {
  for (const Held& held : inputs_)
    if (stamp_of(held.file.path, held.file.code).text != held.stamp ||
        (!held.told && content_hash(held.file.path, held.file.code) != held.file.hash))
      throw std::runtime_error(held.file.path.string() +
                               ": was changed or replaced while it was used; run it again");
}

}  // namespace conoscope::core
