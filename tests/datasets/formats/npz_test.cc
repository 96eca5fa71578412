#include "datasets/formats/npz.h"

#include <doctest/doctest.h>
#include <zip.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

namespace formats = conoscope::formats;
using conoscope::testing::npy_bytes;
using conoscope::testing::Scratch;

namespace {

struct Member {
  std::string name, bytes;
  zip_int32_t method;
};

std::string write_zip(const std::string& path, const std::vector<Member>& members) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  REQUIRE(archive != nullptr);
  for (const Member& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const zip_int64_t at = zip_file_add(archive, member.name.c_str(), source, 0);
    REQUIRE(at >= 0);
    REQUIRE(zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), member.method, 0) ==
            0);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

}  // namespace

TEST_CASE("npz: stored and deflated members") {
  const Scratch scratch;
  std::vector<double> many(5000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i % 7);
  const auto path =
      write_zip(scratch.path("a.npz"),
                {{"labels.npy", npy_bytes<std::int64_t>("<i8", "(3,)", {4, 5, 6}), ZIP_CM_STORE},
                 {"many.npy", npy_bytes("<f8", "(50, 100)", many), ZIP_CM_DEFLATE},
                 {"notes.txt", "not an array", ZIP_CM_STORE}});
  const formats::Npz archive(path);
  CHECK(archive.names() == std::vector<std::string>{"labels", "many"});
  CHECK(archive.has("many"));
  CHECK_FALSE(archive.has("notes.txt"));
  CHECK(formats::to_vector<std::int64_t>(archive.get("labels")) ==
        std::vector<std::int64_t>{4, 5, 6});
  const formats::Array array = archive.get("many");
  CHECK(array.shape == std::vector<std::int64_t>{50, 100});
  CHECK(formats::to_vector<double>(array) == many);
  CHECK(array.origin == path + ": many");
}

TEST_CASE("npz: a missing member lists those that are there") {
  const Scratch scratch;
  const std::string one = npy_bytes<float>("<f4", "(1,)", {1});
  const auto path = write_zip(scratch.path("a.npz"),
                              {{"x.npy", one, ZIP_CM_STORE}, {"y.npy", one, ZIP_CM_STORE}});
  CHECK_THROWS_WITH_AS(formats::Npz(path).get("z"),
                       (path + ": no array 'z'; it holds x, y").c_str(), std::invalid_argument);
  const auto text = write_zip(scratch.path("b.npz"), {{"notes.txt", one, ZIP_CM_STORE}});
  CHECK_THROWS_WITH_AS(formats::Npz(text).get("z"),
                       (text + ": no array 'z'; it holds none").c_str(), std::invalid_argument);
}

TEST_CASE("npz: a pickled member is refused only when asked for") {
  const Scratch scratch;
  const auto path = write_zip(
      scratch.path("a.npz"),
      {{"objects.npy", npy_bytes<char>("|O", "(1,)", {'\x80', '\x04', '.'}), ZIP_CM_DEFLATE},
       {"x.npy", npy_bytes<float>("<f4", "(1,)", {2.5F}), ZIP_CM_STORE}});
  const formats::Npz archive(path);
  CHECK(formats::to_vector<float>(archive.get("x"))[0] == 2.5F);
  CHECK_THROWS_WITH_AS(archive.get("objects"),
                       (path + ": objects: dtype '|O' holds pickled Python objects, which are "
                               "never loaded; save numbers, as in a.astype('<f8')")
                           .c_str(),
                       std::invalid_argument);
}

TEST_CASE("npz: damage is found") {
  const Scratch scratch;
  const std::string marked = npy_bytes<std::int64_t>("<i8", "(2,)", {0x4142434445464748, 7});
  const auto path = write_zip(scratch.path("a.npz"), {{"x.npy", marked, ZIP_CM_STORE}});
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t at = bytes.find("HGFEDCBA");
  REQUIRE(at != std::string::npos);
  bytes[at] = 'X';
  const auto changed = scratch.write("changed.npz", bytes);
  CHECK_THROWS_WITH_AS(formats::Npz(changed).get("x"),
                       (changed + ": x: cannot be unpacked: CRC error").c_str(),
                       std::invalid_argument);

  const auto text = scratch.write("text.npz", "PK but no archive");
  CHECK_THROWS_WITH_AS(formats::Npz{text}, (text + ": Not a zip archive").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::Npz{scratch.path("none.npz")},
                       (scratch.path("none.npz") + ": No such file").c_str(),
                       std::invalid_argument);
  const auto inner = write_zip(scratch.path("inner.npz"),
                               {{"x.npy", marked.substr(0, marked.size() - 8), ZIP_CM_DEFLATE}});
  CHECK_THROWS_WITH_AS(
      formats::Npz(inner).get("x"),
      (inner + ": x: cut short: expected 16 bytes of data (2, int64), found 8").c_str(),
      std::invalid_argument);
}
