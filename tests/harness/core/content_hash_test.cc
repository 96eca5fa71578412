#include "harness/core/artifacts/content_hash.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

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
