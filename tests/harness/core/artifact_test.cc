// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/artifact.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/sha256.h"
#include "harness/core/border/output_check.h"
#include "harness/core/run/artifact_stage.h"
#include "tests/support/bytes_of.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using conoscope::core::ArrayBag;
using conoscope::core::ArtifactWriter;
using conoscope::core::DamagedArtifact;
using conoscope::core::pass_on_arrays;
using conoscope::core::seal_artifact;
using conoscope::testing::npy_bytes;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;
namespace sdk = conoscope::sdk;

namespace {

cono_status create(const ArtifactWriter& writer, const char* name, std::int32_t dtype,
                   const std::vector<std::int64_t>& shape, cono_tensor& out) {
  out = {};
  out.struct_size = sizeof(out);
  return writer.sink()->create(writer.sink()->self, name, dtype,
                               static_cast<std::int32_t>(shape.size()), shape.data(), &out);
}

cono_status text(const ArtifactWriter& writer, const char* key, const char* value) {
  return writer.sink()->text(writer.sink()->self, key, value);
}

template <typename T>
void round_trip(const Scratch& scratch, const std::vector<T>& values,
                const std::vector<std::int64_t>& shape) {
  const fs::path folder = scratch.path(sdk::dtype_name(sdk::dtype_of<T>()));
  {
    ArtifactWriter writer(folder);
    cono_tensor made;
    REQUIRE(create(writer, "x", sdk::dtype_of<T>(), shape, made) == CONO_OK);
    const auto memory = sdk::Tensor(made).values<T>();
    for (const T& value : memory) CHECK(value == T{0});  // zeroed
    std::copy(values.begin(), values.end(), memory.begin());
    writer.finish();
  }
  seal_artifact(folder);
  const ArrayBag bag = ArrayBag::open(folder);
  const auto back = bag.get("x");
  CHECK(std::vector<std::int64_t>(back.raw().shape, back.raw().shape + back.dimensions()) == shape);
  const auto read = back.values<const T>();
  CHECK(std::vector<T>(read.begin(), read.end()) == values);
}

/// Bytes of files that this process has mapped and touched.
std::uint64_t resident_file_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("RssFile:", 0) == 0)
      return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10) << 10;
  return 0;
}

/// Sets the largest size of a file for as long as it lives, without the signal that goes with it.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    before_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, before_);
  }

 private:
  rlimit old_{};
  void (*before_)(int);
};

}  // namespace

TEST_CASE("an array that is passed on is the same file, and its hash is known") {
  const Scratch scratch;
  const fs::path from = scratch.path("from"), to = scratch.path("to");
  for (const fs::path& folder : {from, to}) {
    ArtifactWriter writer(folder);
    cono_tensor made;
    for (const char* name : {"x", "y"}) {
      if (folder == to && std::string(name) == "x") continue;
      REQUIRE(create(writer, name, CONO_F64, {2}, made) == CONO_OK);
      static_cast<double*>(made.data)[1] = folder == to ? 2.0 : 1.0;
    }
    writer.finish();
  }
  seal_artifact(from);
  auto known = pass_on_arrays(from, {"x", "y", "z"}, to);
  REQUIRE(known.size() == 1);  // y is its own
  CHECK(fs::equivalent(from / "x.npy", to / "x.npy"));
  CHECK(known[0].name == "x.npy");
  seal_artifact(to, "", "", known);
  const ArrayBag bag = ArrayBag::open(to);
  CHECK(bag.get("x").values<const double>()[1] == 1.0);
  CHECK(bag.get("y").values<const double>()[1] == 2.0);
  // What is known is believed, and looked at when it is read.
  known[0].sha256[0] ^= 1;
  seal_artifact(to, "", "", known);
  CHECK_THROWS_AS(ArrayBag::open(to), conoscope::core::DamagedArtifact);
}

TEST_CASE("arrays of every dtype come back bit for bit") {
  const Scratch scratch;
  round_trip<float>(scratch, {1.5f, -0.0f, 3e38f, 1e-45f, 5, 6}, {2, 3});
  round_trip<double>(scratch, {0.1, -1e308}, {2});
  round_trip<std::int32_t>(scratch, {INT32_MIN, INT32_MAX}, {1, 2});
  round_trip<std::int64_t>(scratch, {INT64_MIN, INT64_MAX, 0, 1, 2, 3, 4, 5}, {2, 1, 2, 1, 2, 1});
  round_trip<std::uint8_t>(scratch, {0, 255, 7}, {3});
}

TEST_CASE("an array without elements is an array all the same") {
  const Scratch scratch;
  round_trip<double>(scratch, {}, {0, 5});
}

TEST_CASE("texts come back; the last one of a key counts") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  CHECK(text(writer, "pooling", "none") == CONO_OK);
  CHECK(text(writer, "pooling", "mean") == CONO_OK);
  CHECK(text(writer, "empty", "") == CONO_OK);
  CHECK(text(writer, "note", "spaces, ä = \"quotes\"") == CONO_OK);
  writer.finish();
  seal_artifact(scratch.path("a"));
  const ArrayBag bag = ArrayBag::open(scratch.path("a"));
  CHECK(bag.text("pooling") == "mean");
  CHECK(bag.text("empty", "otherwise") == "");
  CHECK(bag.text("note") == "spaces, ä = \"quotes\"");
  CHECK(bag.text("none", "otherwise") == "otherwise");
}

TEST_CASE("a name must be plain, and is used once") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  cono_tensor out;
  for (const char* name : {"", ".hidden", "..", "a/b", "../up", "a b", "ä", "a\tb", "a\n", "-"}) {
    CHECK(create(writer, name, CONO_F64, {1}, out) == CONO_INVALID_ARGUMENT);
    CHECK(writer.fault().find("expected letters, digits, _ and .") != std::string::npos);
  }
  CHECK(writer.sink()->create(writer.sink()->self, nullptr, CONO_F64, 1, nullptr, &out) ==
        CONO_INVALID_ARGUMENT);
  CHECK(create(writer, std::string(101, 'a').c_str(), CONO_F64, {1}, out) == CONO_INVALID_ARGUMENT);
  CHECK(create(writer, "weights.0", CONO_F64, {1}, out) == CONO_OK);
  CHECK(create(writer, "weights.0", CONO_F64, {1}, out) == CONO_INVALID_ARGUMENT);
  CHECK(writer.fault() == "weights.0: made twice");
  CHECK_FALSE(writer.disk_fault());
  writer.finish();
  CHECK(ArrayBag::open_fresh(scratch.path("a")).names() == std::vector<std::string>{"weights.0"});
}

TEST_CASE("a shape or dtype that cannot be is refused with its value") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  cono_tensor out;
  CHECK(create(writer, "x", 9, {1}, out) == CONO_INVALID_ARGUMENT);
  CHECK(writer.fault() == "x: unknown dtype 9");
  CHECK(create(writer, "x", CONO_F64, {}, out) == CONO_INVALID_ARGUMENT);
  CHECK(writer.fault() == "x: 0 dimensions, expected 1 to 6");
  CHECK(create(writer, "x", CONO_F64, {1, 1, 1, 1, 1, 1, 1}, out) == CONO_INVALID_ARGUMENT);
  CHECK(create(writer, "x", CONO_F64, {2, -3}, out) == CONO_INVALID_ARGUMENT);
  CHECK(writer.fault() == "x: extent -3 of axis 1 cannot be");
  CHECK(create(writer, "x", CONO_F64, {INT64_MAX, INT64_MAX}, out) == CONO_INVALID_ARGUMENT);
  CHECK(create(writer, "x", CONO_F64, {1 << 21, 1 << 21}, out) == CONO_INVALID_ARGUMENT);
  // The axes after an empty one count too: their product is the step from row to row.
  CHECK(create(writer, "x", CONO_F64, {0, INT64_MAX, INT64_MAX}, out) == CONO_INVALID_ARGUMENT);
}

TEST_CASE("a text must have a plain key, and be one line") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  CHECK(text(writer, "a b", "x") == CONO_INVALID_ARGUMENT);
  CHECK(text(writer, "key", "two\nlines") == CONO_INVALID_ARGUMENT);
  CHECK(text(writer, "key", "a\ttab") == CONO_INVALID_ARGUMENT);
  CHECK(text(writer, nullptr, "x") == CONO_INVALID_ARGUMENT);
  CHECK(text(writer, "key", nullptr) == CONO_INVALID_ARGUMENT);
  CHECK(writer.fault().find("text key: the key must be plain") != std::string::npos);
}

TEST_CASE("a full disk is said with file and size when the array is made, not a crash later") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  cono_tensor out;
  {
    const FileSizeLimit limit(100000);
    CHECK(create(writer, "small", CONO_F64, {100}, out) == CONO_OK);
    CHECK(create(writer, "large", CONO_F64, {100000}, out) == CONO_OUT_OF_MEMORY);
  }
  CHECK(writer.disk_fault());
  CHECK(writer.fault().find(scratch.path("a") + "/large.npy: 800128 bytes cannot be written: ") ==
        0);
  CHECK(writer.fault().find("File too large") != std::string::npos);
}

TEST_CASE("texts that cannot be written are an error") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  CHECK(text(writer, "key", std::string(5000, 'x').c_str()) == CONO_OK);
  {
    const FileSizeLimit limit(100);
    CHECK_THROWS_SAYING(writer.finish(), std::runtime_error,
                        "texts.tsv: 5005 bytes cannot be written");
  }
  CHECK_THROWS_SAYING(ArtifactWriter(scratch.write("file", "") + "/a"), std::runtime_error,
                      "cannot be made");
}

TEST_CASE("a small array that cannot be written is an error when all are finished") {
  const Scratch scratch;
  ArtifactWriter writer(scratch.path("a"));
  cono_tensor out;
  CHECK(create(writer, "small", CONO_F64, {100}, out) == CONO_OK);
  const FileSizeLimit limit(500);
  CHECK_THROWS_SAYING(
      writer.finish(), std::runtime_error,
      scratch.path("a") + "/small.npy: 928 bytes cannot be written: File too large");
}

TEST_CASE("arrays of all sizes come back, and cannot be changed") {
  const Scratch scratch;
  const std::vector<std::int64_t> sizes = {0, 1, 7, 2032, 2033, 100000};  // 16 KiB: read or mapped
  {
    ArtifactWriter writer(scratch.path("a"));
    for (const std::int64_t size : sizes) {
      cono_tensor out;
      REQUIRE(create(writer, ("x" + std::to_string(size)).c_str(), CONO_F64, {size}, out) ==
              CONO_OK);
      for (std::int64_t i = 0; i < size; ++i)
        static_cast<double*>(out.data)[i] = static_cast<double>(i + size);
    }
    writer.finish();
  }
  seal_artifact(scratch.path("a"));
  const ArrayBag bag = ArrayBag::open(scratch.path("a"));
  for (const std::int64_t size : sizes) {
    CAPTURE(size);
    const auto array = bag.get("x" + std::to_string(size));
    REQUIRE(array.size() == size);
    auto* const values = static_cast<double*>(array.raw().data);
    CHECK(reinterpret_cast<std::uintptr_t>(values) % 64 == 0);
    for (std::int64_t i = 0; i < size; ++i) REQUIRE(values[i] == static_cast<double>(i + size));
    if (size == 0) continue;
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGSEGV, [](int) { ::_exit(11); });
      *const_cast<volatile double*>(values) = 1;
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 11);
  }
}

TEST_CASE("a manifest whose lines are none is damaged, though its hash fits") {
  const Scratch scratch;
  fs::create_directories(scratch.path("a"));
  for (const std::string lines : {"\n", "abc\n", "abc\t1\n", "abc\t1\tx.npy"}) {
    CAPTURE(lines);
    conoscope::core::Sha256 hash;
    hash.update(lines);
    scratch.write("a/manifest.tsv", lines + hash.hex() + '\n');
    CHECK_THROWS_SAYING(conoscope::core::read_manifest(scratch.path("a")), DamagedArtifact,
                        "manifest.tsv: damaged");
  }
}

TEST_CASE("an unfinished artifact is none") {
  const Scratch scratch;
  {
    ArtifactWriter writer(scratch.path("a"));
    cono_tensor out;
    REQUIRE(create(writer, "x", CONO_F64, {1}, out) == CONO_OK);
  }
  CHECK_THROWS_SAYING(ArrayBag::open(scratch.path("a")), DamagedArtifact, scratch.path("a"),
                      "not a finished artifact");
  CHECK_THROWS_SAYING(ArrayBag::open(scratch.path("none")), DamagedArtifact,
                      "not a finished artifact");
}

TEST_CASE("a damaged file is named") {
  const Scratch scratch;
  fs::create_directories(scratch.path("a"));
  const auto sealed = [&](const std::string& bytes) {
    conoscope::core::Sha256 hash;
    hash.update(bytes);
    scratch.write("a/x.npy", bytes);
    scratch.write("a/manifest.tsv",
                  conoscope::core::manifest_text({{"x.npy", bytes.size(), hash.hex()}}));
  };
  const auto damaged = [&](const std::string& bytes, const std::string& why) {
    sealed(bytes);
    CHECK_THROWS_SAYING(ArrayBag::open(scratch.path("a")), DamagedArtifact,
                        scratch.path("a/x.npy") + ": damaged", why);
  };
  const std::string good = npy_bytes<double>("<f8", "(2, 3)", {1, 2, 3, 4, 5, 6});
  sealed(good);
  CHECK(ArrayBag::open(scratch.path("a")).get("x").values<const double>()[5] == 6);
  damaged(good.substr(0, good.size() - 1),
          std::to_string(good.size() - 1) + " bytes, expected " + std::to_string(good.size()));
  damaged(good + "x", "bytes, expected");
  damaged("", "0 bytes");
  damaged("not an array", "not a .npy file");
  damaged(good.substr(0, 40), "cut short");
  damaged(npy_bytes<double>("<c8", "(2, 3)", {1, 2, 3, 4, 5, 6}), "dtype <c8");
  damaged(npy_bytes<double>("<f8", "(2, 3)", {1, 2, 3, 4, 5, 6}, true), "column-major");
  damaged(npy_bytes<double>("<f8", "()", {1}), "0 dimensions");
  damaged(npy_bytes<double>("<f8", "(1, 1, 1, 1, 1, 1, 1)", {1}), "7 dimensions");
  // 2^61 * 8 bytes are 0 in 64 bits.
  damaged(npy_bytes<double>("<f8", "(2305843009213693952,)", {}), "expected");
  damaged(npy_bytes<double>("<f8", "(4294967296, 4294967296)", {}), "expected");
}

TEST_CASE("a large array that is only opened is not held in memory") {
  const Scratch scratch;
  const fs::path folder = scratch.path("large");
  constexpr std::int64_t kBytes = std::int64_t{96} << 20;
  {
    ArtifactWriter writer(folder);
    cono_tensor made;
    REQUIRE(create(writer, "x", CONO_U8, {kBytes}, made) == CONO_OK);
    writer.finish();
  }
  seal_artifact(folder);
  const std::uint64_t before = resident_file_bytes();
  REQUIRE(before > 0);
  const ArrayBag bag = ArrayBag::open(folder);
  CHECK(resident_file_bytes() < before + kBytes / 2);
  CHECK(bag.get("x").values<const std::uint8_t>()[kBytes - 1] == 0);
}

TEST_CASE("every single bit of an artifact that is flipped is noticed") {
  const Scratch scratch;
  const fs::path folder = scratch.path("a");
  {
    ArtifactWriter writer(folder);
    cono_tensor out;
    REQUIRE(create(writer, "x", CONO_F64, {3}, out) == CONO_OK);
    sdk::Tensor(out).values<double>()[0] = 5;
    CHECK(text(writer, "pooling", "mean") == CONO_OK);
    writer.finish();
  }
  seal_artifact(folder);
  conoscope::core::verify_artifact(folder);
  for (const char* name : {"x.npy", "texts.tsv", "manifest.tsv"}) {
    CAPTURE(name);
    const fs::path file = folder / name;
    const std::string good = conoscope::testing::bytes_of(file);
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      std::ofstream(file, std::ios::binary) << bad;
      CHECK_THROWS_AS(ArrayBag::open(folder), DamagedArtifact);
      CHECK_THROWS_AS(conoscope::core::verify_artifact(folder), DamagedArtifact);
    }
    // What a power cut leaves of a file that was not brought to the disk.
    std::ofstream(file, std::ios::binary) << std::string(good.size(), '\0');
    CHECK_THROWS_AS(ArrayBag::open(folder), DamagedArtifact);
    std::ofstream(file, std::ios::binary) << "";
    CHECK_THROWS_AS(ArrayBag::open(folder), DamagedArtifact);
    fs::remove(file);
    CHECK_THROWS_AS(ArrayBag::open(folder), DamagedArtifact);
    std::ofstream(file, std::ios::binary) << good;
    CHECK(ArrayBag::open(folder).text("pooling") == "mean");
  }
}

TEST_CASE("a bag in memory: borrowed, copied, adopted") {
  std::vector<double> mine{1, 2};
  ArrayBag bag;
  bag.add("mine", sdk::make_tensor(mine.data(), CONO_F64, std::vector<std::int64_t>{2}));
  bag.add_copy("copy", mine.data(), {2});
  mine[0] = 9;
  CHECK(bag.get("mine").values<const double>()[0] == 9);
  CHECK(bag.get("copy").values<const double>()[0] == 1);
  {
    ArrayBag other;
    const double theirs[] = {7, 8};
    other.add_copy("copy", theirs, {2});
    other.add_copy("more", theirs, {2});
    other.set_text("pooling", "mean");
    bag.set_text("pooling", "none");
    other.set_text("output", "softmax");
    bag.adopt(std::move(other));
  }
  CHECK(bag.get("copy").values<const double>()[0] == 1);  // the own one stays
  CHECK(bag.get("more").values<const double>()[1] == 8);  // and lives on
  CHECK(bag.text("pooling") == "none");
  CHECK(bag.text("output") == "softmax");
  CHECK(bag.names() == std::vector<std::string>{"copy", "mine", "more"});
  CHECK_FALSE(bag.find("none").has_value());
  CHECK_THROWS_SAYING(bag.get("none"), std::runtime_error, "array none is missing");

  const cono_arrays* raw = bag.raw();
  CHECK(raw->struct_size == sizeof(cono_arrays));
  CHECK(raw->arrays[0].struct_size == sizeof(cono_array));
  CHECK(raw->texts[0].struct_size == sizeof(cono_text));
  REQUIRE(raw->array_count == 3);
  CHECK(std::string(raw->arrays[2].name) == "more");
  CHECK(raw->arrays[2].tensor.shape[0] == 2);
  REQUIRE(raw->text_count == 2);
  CHECK(std::string(raw->texts[0].key) == "output");
}

TEST_CASE(
    "artifact: a file whose name no array has, and which may end a line of the manifest, is "
    "refused") {
  const Scratch left;
  left.write("b.npy", npy_bytes<double>("<f8", "(1,)", {1.0}));
  left.write("a\nb.npy", npy_bytes<double>("<f8", "(1,)", {1.0}));
  CHECK_THROWS_SAYING(conoscope::core::left_in(left.path("")), conoscope::core::OutputFault,
                      "whose name is not of letters, digits, _ and .: a\nb.npy");
}
