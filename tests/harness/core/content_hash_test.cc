// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/content_hash.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/core/artifacts/sha256.h"
#include "tests/support/capture_binding.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using conoscope::core::content_hash;
using conoscope::core::InputFile;
using conoscope::core::look_at;
using conoscope::core::UnchangedInputs;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

TEST_CASE("a file's content is its bytes; a folder's the names and bytes of all files below") {
  const Scratch scratch;
  const auto file = scratch.write("a", "one");
  CHECK(content_hash(file) == conoscope::core::sha256_of_file(file));
  CHECK(look_at(file).hash == content_hash(file));
  fs::create_directories(scratch.path("folder/below"));
  scratch.write("folder/below/x", "1");
  const auto before = content_hash(scratch.path("folder"));
  scratch.write("folder/below/y", "1");
  const auto more = content_hash(scratch.path("folder"));
  CHECK(more != before);
  fs::remove(scratch.path("folder/below/y"));
  CHECK(content_hash(scratch.path("folder")) == before);
  CHECK_THROWS_SAYING(look_at(scratch.path("none")), std::runtime_error, scratch.path("none"));
}

TEST_CASE("what is no file that holds the same whenever it is read is refused") {
  const Scratch scratch;
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  for (const auto& [path, why] :
       {std::pair<std::string, std::string>{scratch.path("pipe"), "a pipe, not a file"},
        {"/dev/zero", "a device, not a file"},
        {"/proc/self/pagemap", "made as it is read"},
        {"/proc/kmsg", "made as it is read"}}) {
    CAPTURE_BINDING(path);
    CHECK_THROWS_SAYING(look_at(path), std::runtime_error, path, why);
  }
  fs::remove(scratch.path("pipe"));
  // Behind a link in a folder, too.
  fs::create_symlink("/proc/self/pagemap", scratch.path("linked"));
  CHECK_THROWS_SAYING(look_at(scratch.path("")), std::runtime_error, "linked",
                      "made as it is read");
  fs::remove(scratch.path("linked"));
  CHECK_NOTHROW(look_at(scratch.path("")));
}

TEST_CASE("what was replaced after it was looked at is refused, also with the old size and time") {
  const Scratch scratch;
  const auto file = scratch.write("a", "one");
  fs::create_directories(scratch.path("folder/below"));
  const auto inner = scratch.write("folder/below/x", "one");
  for (const auto& [path, changed] :
       {std::pair<std::string, std::string>{file, file}, {scratch.path("folder"), inner}}) {
    CAPTURE_BINDING(path);
    const InputFile planned = look_at(path);
    CHECK_NOTHROW(UnchangedInputs({planned}).check_again());

    const auto time = fs::last_write_time(changed);
    const auto put = [&, replaced = changed](const std::string& bytes) {
      std::ofstream(replaced + "~", std::ios::binary) << bytes;
      fs::rename(replaced + "~", replaced);
      fs::last_write_time(replaced, time);
    };
    const UnchangedInputs used({planned});
    put("two");
    CHECK_THROWS_SAYING(used.check_again(), std::runtime_error, path, "while it was used");
    CHECK_THROWS_SAYING(UnchangedInputs({planned}), std::runtime_error, path,
                        "was replaced after it was hashed");
    put("one");  // copied back: as good as it was, but not in the middle of its use
    CHECK_THROWS_SAYING(used.check_again(), std::runtime_error, path, "while it was used");
    CHECK_NOTHROW(UnchangedInputs({planned}).check_again());

    fs::rename(changed, changed + "-away");
    CHECK_THROWS_AS(UnchangedInputs({planned}), std::runtime_error);
    fs::rename(changed + "-away", changed);
    // Written in place.
    std::fstream(changed, std::ios::in | std::ios::out | std::ios::binary) << "two";
    CHECK_THROWS_SAYING(UnchangedInputs({planned}), std::runtime_error, path, "was replaced");
    put("one");
  }
}

TEST_CASE("what is hashed of a folder is what can be read of it") {
  const Scratch scratch;
  const std::string folder = scratch.path("folder");
  fs::create_directories(folder + "/__pycache__");
  scratch.write("folder/a.png", "a");
  scratch.write("folder/__pycache__/b.png", "one");
  const auto data = content_hash(folder), code = content_hash(folder, true);
  scratch.write("folder/__pycache__/b.png", "two");
  CHECK(content_hash(folder) != data);        // a class of images like any other
  CHECK(content_hash(folder, true) == code);  // what Python makes of the files beside it
  const InputFile planned = look_at(folder, true);
  CHECK(planned.code);
  scratch.write("folder/__pycache__/b.png", "three");
  CHECK_NOTHROW(UnchangedInputs({planned}).check_again());
  scratch.write("folder/.hidden", "h");
  CHECK_THROWS_SAYING(UnchangedInputs({planned}), std::runtime_error, folder, "was replaced");

  REQUIRE(::mkfifo((folder + "/c.png").c_str(), 0600) == 0);
  CHECK_THROWS_SAYING(content_hash(folder), std::runtime_error,
                      folder + "/c.png: a pipe, whose content cannot be told");
  fs::remove(folder + "/c.png");
  fs::create_symlink("/dev/zero", folder + "/c.png");
  CHECK_THROWS_SAYING(content_hash(folder), std::runtime_error, folder + "/c.png: a device");
  fs::remove(folder + "/c.png");
  fs::create_symlink("nowhere", folder + "/c.png");  // cannot be read
  const auto before = content_hash(folder);
  fs::create_directory_symlink("..", folder + "/up");
  CHECK_THROWS_SAYING(content_hash(folder), std::runtime_error, folder + "/up: a link to ",
                      "which the folder lies in");
  fs::remove(folder + "/up");
  CHECK(content_hash(folder) == before);
}

TEST_CASE("times tell only two seconds later, whatever the steps of the file's clock") {
  using conoscope::core::times_tell;
  CHECK_FALSE(times_tell({100, 0}, {100, 0}));
  CHECK_FALSE(times_tell({100, 0}, {101, 999'999'999}));
  CHECK(times_tell({100, 0}, {102, 0}));
  CHECK_FALSE(times_tell({100, 1}, {102, 0}));
  CHECK_FALSE(times_tell({4000, 0}, {100, 0}));  // a clock that was ahead
}

TEST_CASE("a file that was just written is hashed again wherever it is used") {
  const Scratch scratch;
  const auto file = scratch.write("a", "one");
  InputFile planned = look_at(file);
  CHECK(planned.stamp.empty());
  CHECK_NOTHROW(UnchangedInputs({planned}).check_again());
  scratch.write("a", "two");
  CHECK_THROWS_SAYING(UnchangedInputs({planned}), std::runtime_error, file, "was replaced");
  // One that nobody has touched for long is known by its times.
  CHECK_FALSE(look_at("/proc/self/exe").stamp.empty());
}

namespace {

/// A small file system whose times are whole seconds, while this lives.
struct WholeSeconds {
  Scratch scratch;
  const std::string folder = scratch.path("mounted");
  bool mounted = false;
  WholeSeconds() {
    fs::create_directory(folder);
    const std::string image = scratch.write("image", std::string(1 << 20, '\0'));
    mounted = ::geteuid() == 0 &&
              std::system(("{ mke2fs -q -t ext2 -I 128 -F " + image + " && mount -o loop " + image +
                           ' ' + folder + "; } >/dev/null 2>&1")
                              .c_str()) == 0;
  }
  ~WholeSeconds() {
    if (mounted) mounted = std::system(("umount " + folder).c_str()) != 0;
  }
};

}  // namespace

TEST_CASE("a file that is rewritten within the second in which it was hashed") {
  const WholeSeconds drive;
  if (!drive.mounted) {
    MESSAGE("skipped: needs root, mke2fs and a loop device, for times in whole seconds");
    return;
  }
  const std::string file = drive.folder + "/a";
  const auto put = [&file](const std::string& bytes) { std::ofstream(file) << bytes; };
  int same = 0;
  for (int i = 0; i < 4; ++i) {
    put("one");
    struct stat before {
    }, after{};
    ::stat(file.c_str(), &before);
    const InputFile planned = look_at(file);
    const UnchangedInputs used({planned});
    put("two");
    ::stat(file.c_str(), &after);
    same += before.st_ctim.tv_sec == after.st_ctim.tv_sec && after.st_ctim.tv_nsec == 0;
    CHECK_THROWS_SAYING(used.check_again(), std::runtime_error, "while it was used");
    CHECK_THROWS_SAYING(UnchangedInputs({planned}), std::runtime_error, "was replaced");
    CHECK(content_hash(file) != planned.hash);
  }
  CHECK(same > 0);  // its times did not show it
}
