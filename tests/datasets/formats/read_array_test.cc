// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/read_array.h"

#include <doctest/doctest.h>
#include <zip.h>

#include <stdexcept>

#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

namespace formats = conoscope::formats;
using conoscope::testing::npy_bytes;
using conoscope::testing::Scratch;

namespace {

std::string write_zip(const std::string& path, std::initializer_list<const char*> names,
                      const std::string& bytes) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, &error);
  REQUIRE(archive != nullptr);
  for (const char* name : names)
    REQUIRE(zip_file_add(archive, name, zip_source_buffer(archive, bytes.data(), bytes.size(), 0),
                         0) >= 0);
  REQUIRE(zip_close(archive) == 0);
  return path;
}

}  // namespace

TEST_CASE("read_array: the kind of a file is told by its content") {
  const Scratch scratch;
  const std::string bytes = npy_bytes<float>("<f4", "(2,)", {1, 2});
  const std::vector<float> wanted = {1, 2};
  CHECK(formats::to_vector<float>(formats::read_array(scratch.write("a.csv", bytes))) == wanted);
  CHECK(formats::to_vector<float>(formats::read_array(scratch.write("a.npy", "1\n2\n"))) == wanted);
  CHECK(formats::to_vector<float>(
            formats::read_array(write_zip(scratch.path("a.npz"), {"x.npy"}, bytes))) == wanted);
}

TEST_CASE("read_array: an archive of several arrays does not say which is meant") {
  const Scratch scratch;
  const std::string bytes = npy_bytes<float>("<f4", "(2,)", {1, 2});
  const auto two = write_zip(scratch.path("two.npz"), {"x.npy", "y.npy"}, bytes);
  CHECK_THROWS_WITH_AS(formats::read_array(two),
                       (two + ": an archive of 2 arrays where one is expected (x, y)").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::read_array(scratch.path("none.npy")),
                       (scratch.path("none.npy") + ": No such file or directory").c_str(),
                       std::invalid_argument);
}

TEST_CASE("read_array: a member of an archive, columns of a table") {
  const Scratch scratch;
  const std::string bytes = npy_bytes<float>("<f4", "(2,)", {1, 2});
  const auto two = write_zip(scratch.path("two.npz"), {"x.npy", "y.npy"}, bytes);
  CHECK(formats::to_vector<float>(formats::read_array(two, "y")) == std::vector<float>{1, 2});

  const auto table = scratch.write("t.csv", "age,wing,beak\n1,2,3\n4,5,6\n");
  CHECK(formats::to_vector<double>(formats::read_array(table, "beak,age")) ==
        std::vector<double>{3, 1, 6, 4});
  CHECK(formats::read_array(table, "wing").shape == std::vector<std::int64_t>{2});
  CHECK(formats::to_vector<double>(formats::read_array(table, "beak,age-wing")) ==
        std::vector<double>{3, 1, 2, 6, 4, 5});
  CHECK_THROWS_WITH(formats::read_array(table, "beak-age"),
                    (table + ": 'beak-age': age comes before beak").c_str());
  CHECK_THROWS_WITH(formats::read_array(table, "tail"),
                    (table + ": no column 'tail'; it has age, wing, beak").c_str());
  const auto plain = scratch.write("a.npy", bytes);
  CHECK_THROWS_WITH(
      formats::read_array(plain, "x"),
      (plain + ": holds one array, without a name; 'x' cannot be looked up in it").c_str());
}

TEST_CASE("read_array: a pickle is refused, with what to do") {
  const Scratch scratch;
  const auto zipped = write_zip(scratch.path("m.pt"), {"m/data.pkl", "m/data/0"}, "x");
  const auto old = scratch.write("old.pt", std::string("\x80\x02}q\x00.", 7));
  for (const auto& path : {zipped, old}) {
    CAPTURE(path);
    try {
      formats::read_array(path);
      FAIL_CHECK("was read");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string(error.what()).starts_with(path + ": holds pickled Python objects"));
      CHECK(std::string(error.what()).find("np.savez(") != std::string::npos);
    }
  }
}
