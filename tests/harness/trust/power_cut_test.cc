// The power goes in the middle of a run: a real file system that forgets everything it was not made to
// write. What was said to be recorded is recorded, and the next run ends with the same bytes.

#include <fcntl.h>
#include <linux/types.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "tests/harness/trust/trials.h"

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

std::int64_t lines_with(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a power cut at any moment: nothing recorded is lost, and no score is wrong") {
  const Workspace reference;
  const auto file = reference.write("run.toml", small_run());
  const Ended whole = reference.run({"run", file, "--no-board"});
  const std::string wanted = reference.exported();
  std::mt19937_64 random(20260303);
  const int count = trials(4);
  for (int i = 0; i < count; ++i) {
    const Workspace here;
    const Disk disk(here.path("disk"), here.path("image"));
    if (!disk.refusal().empty()) SKIP_TEST(disk.refusal());
    const std::vector<std::string> run = {"run",
                                          file,
                                          "--no-board",
                                          "--cache",
                                          here.path("disk/cache"),
                                          "--store",
                                          here.path("disk/results.db")};
    Process running = here.conoscope(run).start();
    const double share = (i + static_cast<double>(random() >> 11) * 0x1p-53) / count;
    CAPTURE(share);
    std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * share * whole.seconds));
    const std::int64_t recorded = lines_with(running.err(), " ok digits");
    if (!disk.cut()) SKIP_TEST("this kernel's ext4 cannot be shut down");
    running.send(SIGKILL);
    running.wait(20);
    CHECK(processes_left(here.path("disk/cache"), 10).empty());
    disk.unmount();
    REQUIRE(disk.mount());
    const auto store = here.path("disk/results.db");
    if (recorded > 0)
      CHECK(here.json({"query", "SELECT count(*) AS n FROM attempt WHERE status = 'ok'", "--store",
                       store})[0]["n"]
                .get<std::int64_t>() >= recorded);
    const Ended after = here.conoscope(run).run();
    CHECK_MESSAGE(after.code == 0, after.err);
    CHECK(here.exported(store) == wanted);
    // And every artifact that is there is what it says.
    const auto again = here.path("again.db");
    here.run({"run", file, "--no-board", "--cache", here.path("disk/cache"), "--store", again});
    CHECK(here.exported(again) == wanted);
  }
}
