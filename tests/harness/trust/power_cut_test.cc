// SPDX-License-Identifier: Apache-2.0
// The power goes in the middle of a run: a real file system that forgets everything it was not made to
// write, and, where none may be mounted, an image of what a disk would have. What was said to be recorded is recorded, and the next run ends with the same bytes.

#include <fcntl.h>
#include <linux/types.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "tests/harness/trust/trials.h"
#include "tests/support/bytes_of.h"
#include "tests/support/preload.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// An ext4 of its own in a file, mounted by way of a loop device.
class Disk {
 public:
  Disk(const std::string& folder, const std::string& image) : folder_(folder), image_(image) {
    fs::create_directories(folder);
    { std::ofstream made(image); }
    fs::resize_file(image, std::uintmax_t{128} << 20);
    if (!succeeds({"/sbin/mkfs.ext4", "-q", "-F", image})) refusal_ = "no mkfs.ext4";
    if (refusal_.empty() && !mount()) refusal_ = "no loop device can be mounted: this needs root";
  }
  ~Disk() {
    if (refusal_.empty()) unmount();
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  const std::string& refusal() const { return refusal_; }

  /// From now on nothing reaches the disk any more, the journal included. False: the kernel cannot.
  bool cut() const {
    const int fd = ::open(folder_.c_str(), O_RDONLY | O_CLOEXEC);
    __u32 without_the_log = 2;
    const bool done =
        ::ioctl(fd, _IOR('X', 125, __u32), &without_the_log) == 0;  // EXT4_IOC_SHUTDOWN
    ::close(fd);
    return done;
  }
  bool mount() const { return succeeds({"/bin/mount", "-o", "loop", image_, folder_}); }
  void unmount() const {
    for (int i = 0; i < 200 && !succeeds({"/bin/umount", folder_}); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

 private:
  static bool succeeds(const std::vector<std::string>& words) {
    return fs::exists(words[0]) && Command(words).run().code == 0;
  }
  std::string folder_, image_, refusal_;
};

/// What a disk would hold of a folder where every write that was not brought to it is lost
/// (lost_writes.cc): needs no right, and looks at no more than the order of the calls.
class LostWrites {
 public:
  LostWrites(const Workspace& here, const std::string& folder)
      : folder_(folder), image_(folder + "-image"), library_(here.path("lost_writes.so")) {
    fs::create_directories(folder_);
    fs::create_directories(image_);
    fs::copy_file(CONOSCOPE_TEST_LOST_WRITES, library_);
    here.write("lost_writes.so.plan", folder_ + "\n" + image_ + "\n");
  }
  const std::string& library() const { return library_; }
  /// The power was cut: the folder is what the disk had of it.
  void lose() const {
    fs::remove_all(folder_);
    fs::rename(image_, folder_);
    fs::create_directories(image_);  // of what comes after
  }

 private:
  std::string folder_, image_, library_;
};

std::int64_t lines_with(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A run with a cache and a store in a folder, cut in the middle and begun again.
struct Cut {
  const Workspace& here;
  std::vector<std::string> run;  ///< the command
  std::string folder, wanted;
  std::int64_t recorded = 0;   ///< cells that the run said it has recorded
  std::string preloaded = "";  ///< into workers, afterwards as before: else artifacts are made anew

  Cut(const Workspace& workspace, const std::string& file, std::string of, std::string export_)
      : here(workspace), folder(std::move(of)), wanted(std::move(export_)) {
    // The plugins' processes, too, must be able to write where an image is kept.
    run = {"run",
           file,
           "--no-board",
           "--confine",
           "off",
           "--cache",
           folder + "/cache",
           "--store",
           folder + "/results.db"};
  }

  Command command(const std::vector<std::string>& words) const {
    Command out = here.conoscope(words);
    if (preloaded.empty()) return out;
    return out.set("CONOSCOPE_PRELOAD", preloaded)
        .set("ASAN_OPTIONS", "verify_asan_link_order=0");  // see preload()
  }

  /// Nothing recorded is lost, and no score is wrong. Returns what the run said that goes on.
  std::string check_after() const {
    const auto store = folder + "/results.db";
    if (recorded > 0)
      CHECK(here.json({"query", "SELECT count(*) AS n FROM attempt WHERE status = 'ok'", "--store",
                       store})[0]["n"]
                .get<std::int64_t>() >= recorded);
    const Ended after = command(run).run();
    CHECK_MESSAGE(after.code == 0, after.err);
    CHECK(here.exported(store) == wanted);
    // And every artifact that is there is what it says.
    auto anew = run;
    anew.back() = here.path("again.db");
    CHECK(command(anew).run().code == 0);
    CHECK(here.exported(anew.back()) == wanted);
    return after.err;
  }
};

/// What the plugins said while the artifacts below this folder were made, by artifact.
std::map<std::string, std::string> logs_below(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename() == "log.txt")
      out[entry.path().parent_path().filename().string()] = bytes_of(entry.path());
  return out;
}

/// Some moment of a run of so many seconds, and a little after: the i-th of so many, in their order.
void wait_until(int i, int count, double seconds, std::mt19937_64& random) {
  const double share = (i + static_cast<double>(random() >> 11) * 0x1p-53) / count;
  std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * share * seconds));
}

}  // namespace

TEST_CASE("a power cut at any moment: nothing recorded is lost, and no score is wrong") {
  const Workspace reference;
  const auto file = reference.write("run.toml", small_run());
  const Ended whole = reference.run({"run", file, "--no-board"});
  std::mt19937_64 random(20260303);
  const int count = trials(4);
  for (int i = 0; i < count; ++i) {
    const Workspace here;
    const Disk disk(here.path("disk"), here.path("image"));
    if (!disk.refusal().empty()) SKIP_TEST(disk.refusal());
    Cut cut(here, file, here.path("disk"), reference.exported());
    Process running = here.conoscope(cut.run).start();
    wait_until(i, count, whole.seconds, random);
    CAPTURE(i);
    cut.recorded = lines_with(running.err(), " ok digits");
    if (!disk.cut()) SKIP_TEST("this kernel's ext4 cannot be shut down");
    running.send(SIGKILL);
    running.wait(20);
    CHECK(processes_left(here.path("disk/cache"), 10).empty());
    disk.unmount();
    REQUIRE(disk.mount());
    cut.check_after();
  }
}

TEST_CASE("writes that were not brought to the disk are lost: nothing recorded is") {
  const Workspace reference;
  const auto file = reference.write("run.toml", small_run());
  const Ended whole = reference.run({"run", file, "--no-board"});
  std::mt19937_64 random(20260304);
  const int count = trials(4);
  std::int64_t recorded = 0;
  for (int i = 0; i < count; ++i) {
    const Workspace here;
    const LostWrites disk(here, here.path("disk"));
    Cut cut(here, file, here.path("disk"), reference.exported());
    cut.preloaded = preload(disk.library());
    Process running = cut.command(cut.run).set("LD_PRELOAD", cut.preloaded).start();
    wait_until(i, count, 2 * whole.seconds, random);  // to keep an image takes time
    // Once at least something has been recorded that can be lost.
    while (i + 1 == count && running.running() && !has(running.err(), " ok digits"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CAPTURE(i);
    cut.recorded = lines_with(running.err(), " ok digits");
    recorded += cut.recorded;
    running.send(SIGKILL);
    running.wait(20);
    CHECK(processes_left(here.path("disk/cache"), 10).empty());
    disk.lose();
    // An artifact that has its name has its bytes.
    const std::string said = cut.check_after();
    CHECK_MESSAGE(!has(said, "it is made again"), said);
  }
  MESSAGE(count, " cuts, ", recorded, " cells recorded before them");
  CHECK(recorded > 0);
}

TEST_CASE("writes that were not brought to the disk are lost: what a plugin said is not") {
  const Workspace here;
  std::string text = digits_run("metrics = [\"surf_mae\"]", {"ica"});
  text.insert(text.find("id = \"ica\""), "params = { max_iter = 1 }\n");
  const LostWrites disk(here, here.path("disk"));
  Cut cut(here, here.write("run.toml", text), here.path("disk"), "");
  cut.preloaded = preload(disk.library());
  const Ended ended = cut.command(cut.run).set("LD_PRELOAD", cut.preloaded).run();
  REQUIRE_MESSAGE(ended.code == 0, ended.err);
  // The explanation is the last artifact: nothing that is written later brings its log to the disk.
  const auto logs = logs_below(here.path("disk/cache/artifacts"));
  REQUIRE(logs.size() == 1);
  CHECK_SAYS(logs.begin()->second, "has not converged");
  disk.lose();
  CHECK(logs_below(here.path("disk/cache/artifacts")) == logs);
}
