// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/npz.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/bytes_of.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"
#include "tests/support/write_npz.h"

namespace formats = conoscope::formats;
using conoscope::testing::npy_bytes;
using conoscope::testing::Scratch;
using conoscope::testing::write_zip;

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

TEST_CASE("npz: an array that is held twice is refused, of which numpy would read the last") {
  const Scratch scratch;
  const auto path = write_zip(scratch.path("a.npz"),
                              {{"x.npy", npy_bytes<float>("<f4", "(1,)", {1}), ZIP_CM_STORE},
                               {"y.npy", npy_bytes<float>("<f4", "(1,)", {2}), ZIP_CM_STORE}});
  // Renamed where the member begins and in the archive's directory.
  std::string bytes = conoscope::testing::bytes_of(path);
  for (std::size_t at = bytes.find("y.npy"); at != bytes.npos; at = bytes.find("y.npy"))
    bytes[at] = 'x';
  const auto twice = scratch.write("twice.npz", bytes);
  CHECK_THROWS_WITH_AS(
      formats::Npz{twice},
      (twice + ": the archive holds x.npy twice, and programs differ in which they read; save it "
               "anew")
          .c_str(),
      std::invalid_argument);
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
  std::string bytes = conoscope::testing::bytes_of(path);
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
  const auto cut = scratch.write("cut.npz", std::string_view(bytes).substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH_AS(formats::Npz{cut},
                       (cut + ": cut short: it begins as a zip archive, but the directory at its "
                              "end is missing")
                           .c_str(),
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

TEST_CASE("npz: rows of a member, without the whole of it") {
  const Scratch scratch;
  std::vector<std::uint16_t> values(1000 * 3 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  const auto path =
      write_zip(scratch.path("a.npz"), {{"x.npy", npy_bytes("<u2", "(1000, 3, 2)", values)},
                                        {"y.npy", npy_bytes<float>("<f4", "(3,)", {1, 2, 3})},
                                        {"one.npy", npy_bytes<float>("<f4", "()", {1})},
                                        {"f.npy", npy_bytes<float>("<f4", "(1, 2)", {1, 2}, true)},
                                        {"bad.npy", "no array"}});
  const formats::Npz archive(path);
  CHECK(archive.layout("x").shape == std::vector<std::int64_t>{1000, 3, 2});
  CHECK(archive.layout("x").dtype == formats::DType::u2);
  CHECK(archive.layout("one").shape.empty());
  const std::vector<std::int64_t> rows = {0, 7, 7, 999};
  std::vector<std::uint16_t> got;
  archive.read_rows("x", rows, [&](std::size_t i, std::span<const char> row) {
    CHECK(i == got.size() / 6);
    REQUIRE(row.size() == 12);
    const auto* numbers = reinterpret_cast<const std::uint16_t*>(row.data());
    got.insert(got.end(), numbers, numbers + 6);
  });
  REQUIRE(got.size() == 24);
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == static_cast<std::uint16_t>(rows[i / 6]) * 6 + i % 6);

  const auto read = [&](const char* name, std::vector<std::int64_t> asked) {
    archive.read_rows(name, asked, [](std::size_t, std::span<const char>) {});
  };
  read("y", {});
  CHECK_THROWS_WITH_AS(read("y", {3}), (path + ": y: row 3 is asked for, but it has 3").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read("y", {1, 0}), (path + ": y: row 0 is asked for out of order").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read("one", {0}), (path + ": one: a single number has no rows").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read("z", {0}),
                       (path + ": no array 'z'; it holds x, y, one, f, bad").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read("f", {0}),
                       (path + ": f: is in Fortran order, in which rows cannot be read one by one; "
                               "save it as np.ascontiguousarray(a)")
                           .c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(read("bad", {0}),
                       (path + ": bad: cut short: 8 bytes, too few for a .npy header").c_str(),
                       std::invalid_argument);
}

TEST_CASE("npz: rows whose bytes cannot be counted") {
  const Scratch scratch;
  const auto path =
      write_zip(scratch.path("a.npz"),
                {{"x.npy", npy_bytes<double>("<f8", "(1, 2305843009213693952)", {1})}});
  const std::vector<std::int64_t> rows = {0};
  CHECK_THROWS_WITH_AS(
      formats::Npz(path).read_rows("x", rows, [](std::size_t, std::span<const char>) {}),
      (path + ": x: the shape asks for more than 2^63 bytes: 2305843009213693952, float64").c_str(),
      std::invalid_argument);
}

TEST_CASE("npz: rows of a member that is cut short") {
  const Scratch scratch;
  const std::string whole = npy_bytes<std::int64_t>("<i8", "(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8});
  const auto path =
      write_zip(scratch.path("a.npz"), {{"x.npy", whole.substr(0, whole.size() - 20)}});
  const std::vector<std::int64_t> rows = {1, 3};
  std::size_t visited = 0;
  CHECK_THROWS_WITH_AS(formats::Npz(path).read_rows(
                           "x", rows, [&](std::size_t, std::span<const char>) { ++visited; }),
                       (path + ": x: cut short: row 2 of 4 has 12 of 16 bytes").c_str(),
                       std::invalid_argument);
  CHECK(visited == 1);
}
