// SPDX-License-Identifier: Apache-2.0
// The store on a disk whose n-th operation fails, and on one that loses power there, for every n: what
// record() acknowledged is there, and the same calls again lead to the same bytes.

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "results/formats/format.h"
#include "results/store/checksum.h"
#include "results/store/export.h"
#include "results/store/merge.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"
#include "tests/support/capture_binding.h"
#include "tests/support/sanitized.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;

namespace {

/// A write that the disk has taken and not been told to keep; without bytes: a truncation.
struct Pending {
  sqlite3_int64 at = 0;
  std::string bytes;
  bool truncates = false;
};

struct DiskFile {
  std::string durable;  ///< as of the last sync
  std::vector<Pending> pending;
};

/// The system's own files, with a count of operations, a fault at one of them and a memory of what
/// would outlive a power cut.
struct Disk {
  int operations = 0, fail_at = 0, code = SQLITE_IOERR;
  bool power_goes = false, dead = false;
  std::map<std::string, DiskFile> files;

  void start(int n, int error, bool power) {
    operations = 0, fail_at = n, code = error, power_goes = power, dead = false;
    files.clear();
  }
  bool fails() {
    if (dead) return true;
    if (++operations != fail_at) return false;
    dead = power_goes;
    return true;
  }
  /// Leaves in the folder what a power cut leaves: the synced bytes, and any of the other writes.
  void lose_power(std::mt19937_64& random) const {
    for (const auto& [path, file] : files) {
      std::string bytes = file.durable;
      for (const Pending& write : file.pending) {
        if (random() % 2 == 0) continue;
        const auto at = static_cast<std::size_t>(write.at);
        if (write.truncates) {
          bytes.resize(at);
        } else {
          bytes.resize(std::max(bytes.size(), at + write.bytes.size()));
          bytes.replace(at, write.bytes.size(), write.bytes);
        }
      }
      std::ofstream(path, std::ios::binary) << bytes;
      std::filesystem::remove(path.substr(0, path.find("-wal")) + "-shm");
    }
  }
};

Disk disk;

/// A file of ours: the methods table, the name, and the real file behind them.
struct File {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* real_of(sqlite3_file* file) { return ours(file)->real(); }
const sqlite3_io_methods& real_methods(sqlite3_file* file) { return *real_of(file)->pMethods; }

int close_file(sqlite3_file* file) {
  const int code = real_methods(file).xClose(real_of(file));
  delete ours(file)->path;
  return code;
}
int read_file(sqlite3_file* file, void* to, int length, sqlite3_int64 at) {
  return real_methods(file).xRead(real_of(file), to, length, at);
}
int write_file(sqlite3_file* file, const void* from, int length, sqlite3_int64 at) {
  if (disk.fails()) return disk.code == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  disk.files[*ours(file)->path].pending.push_back(
      {at, std::string(static_cast<const char*>(from), static_cast<std::size_t>(length))});
  return real_methods(file).xWrite(real_of(file), from, length, at);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (disk.fails()) return SQLITE_IOERR_TRUNCATE;
  disk.files[*ours(file)->path].pending.push_back({size, "", true});
  return real_methods(file).xTruncate(real_of(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  if (disk.fails()) return SQLITE_IOERR_FSYNC;
  static_cast<void>(
      flags);  // what would be kept is noted here; the test's own disk need not keep it
  DiskFile& known = disk.files[*ours(file)->path];
  std::ifstream in(*ours(file)->path, std::ios::binary);
  known.durable.assign(std::istreambuf_iterator<char>(in), {});
  known.pending.clear();
  return SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real_methods(file).xFileSize(real_of(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return real_methods(file).xLock(real_of(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return real_methods(file).xUnlock(real_of(file), level);
}
int reserved(sqlite3_file* file, int* out) {
  return real_methods(file).xCheckReservedLock(real_of(file), out);
}
int control(sqlite3_file* file, int what, void* with) {
  return real_methods(file).xFileControl(real_of(file), what, with);
}
int sector_size(sqlite3_file* file) { return real_methods(file).xSectorSize(real_of(file)); }
int traits(sqlite3_file* file) { return real_methods(file).xDeviceCharacteristics(real_of(file)); }
int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  if (disk.fails()) return SQLITE_IOERR_SHMMAP;
  return real_methods(file).xShmMap(real_of(file), region, size, extend, out);
}
int lock_shared(sqlite3_file* file, int offset, int n, int flags) {
  return real_methods(file).xShmLock(real_of(file), offset, n, flags);
}
void shared_barrier(sqlite3_file* file) { real_methods(file).xShmBarrier(real_of(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  return real_methods(file).xShmUnmap(real_of(file), remove);
}

const sqlite3_io_methods kMethods = {
    2,           close_file,     read_file,    write_file, truncate_file, sync_file, file_size,
    lock_file,   unlock_file,    reserved,     control,    sector_size,   traits,    map_shared,
    lock_shared, shared_barrier, unmap_shared, nullptr,    nullptr};

sqlite3_vfs* system_files() {
  static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
  return found;
}

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (disk.fails()) return SQLITE_CANTOPEN;
  const int code = system_files()->xOpen(system_files(), name, real_of(file), flags, out_flags);
  if (code != SQLITE_OK) return code;
  ours(file)->path = new std::string(name == nullptr ? "" : name);
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int sync) {
  if (disk.fails()) return SQLITE_IOERR_DELETE;
  disk.files.erase(name);
  return system_files()->xDelete(system_files(), name, sync);
}

/// In force as long as it lives.
class OnFailingDisk {
 public:
  OnFailingDisk() : files_(*system_files()) {
    files_.zName = "failing";
    files_.szOsFile = static_cast<int>(sizeof(File)) + system_files()->szOsFile;
    files_.xOpen = open_file;
    files_.xDelete = delete_file;
    sqlite3_vfs_register(&files_, 1);
  }
  ~OnFailingDisk() {
    sqlite3_vfs_register(system_files(), 1);
    sqlite3_vfs_unregister(&files_);
  }
  OnFailingDisk(const OnFailingDisk&) = delete;
  OnFailingDisk& operator=(const OnFailingDisk&) = delete;

 private:
  sqlite3_vfs files_;
};

/// A run of four cells, a retraction and a merge; what record() acknowledged goes to `saved`.
void work(const std::filesystem::path& folder, const std::filesystem::path& other,
          std::set<std::string>& saved) {
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  sample::ask(store, {.explainers = {"e"}, .seeds = 5});
  for (int seed = 1; seed <= 4; ++seed) {
    const std::string id = "a" + std::to_string(seed);
    store.record(attempt(id, key_of("d", "m", "e", seed), seed),
                 std::vector{score_row("a", 0.1 * seed), score_row("b", 1.0 / seed)},
                 std::vector{sample_score_row("a", 0, seed)});
    saved.insert(id);
  }
  store.retract("a2", "wrong labels", sample::at(9));
  merge(store, other);
}

std::string exported(const std::filesystem::path& path) {
  Store store = Store::open(path, Mode::kReadOnly);
  return to_text(export_table(store), Format::csv);
}

}  // namespace

TEST_CASE("failing disk: each operation fails once, or is the last one before a power cut") {
  const sample::Scratch folder;
  {
    Store other = Store::open(folder / "other.db", Mode::kReadWrite);
    sample::ask(other, {.explainers = {"e"}, .seeds = 5});
    other.record(attempt("b5", key_of("d", "m", "e", 5), 5), std::vector{score_row("a", 0.75)});
  }
  // Read by the tests' own hands, so that the operations counted are those of one store.
  const OnFailingDisk failing;
  std::mt19937_64 random(20260304);
  std::set<std::string> all;
  std::filesystem::create_directories(folder / "reference");
  disk.start(0, 0, false);
  work(folder / "reference", folder / "other.db", all);
  const int operations = disk.operations;
  const std::string wanted = exported(folder / "reference/s.db");
  REQUIRE(operations > 40);
  int faults = 0;
  const int step = conoscope::testing::kSlow ? 17 : 1;
  for (int n = 1; n <= operations; n += step)
    for (const auto& [code, power] : {std::pair{SQLITE_IOERR, false}, std::pair{SQLITE_FULL, false},
                                      std::pair{SQLITE_IOERR, true}}) {
      CAPTURE(n);
      CAPTURE_BINDING(code);
      CAPTURE_BINDING(power);
      const auto place = folder / "place";
      std::filesystem::create_directories(place);
      std::set<std::string> saved, again;
      disk.start(n, code, power);
      try {
        work(place, folder / "other.db", saved);
      } catch (const StoreError&) {
        ++faults;
      }
      if (power) disk.lose_power(random);
      disk.start(0, 0, false);
      if (!saved.empty()) {
        Store after = Store::open(place / "s.db", Mode::kReadWrite);
        verify(after);
        for (const std::string& id : saved)
          CHECK(after.connection().integer("SELECT count(*) FROM score WHERE attempt = '" + id +
                                           "'") == 2);
      }
      work(place, folder / "other.db", again);
      Store store = Store::open(place / "s.db", Mode::kReadOnly);
      verify(store);
      CHECK(exported(place / "s.db") == wanted);
      std::filesystem::remove_all(place);
    }
  MESSAGE(operations, " operations, ", faults, " faults reached the caller");
  CHECK(faults > operations / step);
}
