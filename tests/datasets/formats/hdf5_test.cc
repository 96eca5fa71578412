// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/hdf5.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "datasets/formats/array_file.h"
#include "tests/support/bytes_of.h"
#include "tests/support/capture_binding.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"
#include "tests/support/write_hdf5.h"
#include "tests/support/write_npz.h"

namespace formats = conoscope::formats;
using conoscope::testing::Hdf5Writer;
using conoscope::testing::Scratch;

namespace {

std::vector<std::uint8_t> bytes(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 31 % 251);
  return values;
}

/// A file with a dataset x of float64 in chunks, none of which is there.
void never_written(const std::string& path, const std::vector<hsize_t>& shape,
                   const std::vector<hsize_t>& chunk) {
  const auto axes = static_cast<int>(shape.size());
  const std::vector<hsize_t> unlimited(shape.size(), H5S_UNLIMITED);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(axes, shape.data(), unlimited.data());
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, axes, chunk.data());
  const hid_t dataset =
      H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  REQUIRE(dataset >= 0);
  for (const hid_t object : {dataset, layout, space, file}) H5Idec_ref(object);
}

/// In one file: a virtual dataset, one stored outside, links into another file and to its group.
std::string made_of_several(const Scratch& scratch) {
  const auto path = scratch.path("several.h5"), other = scratch.path("other.h5");
  const std::vector<double> values = {1, 2, 3};
  Hdf5Writer(other).write("/group/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, values.data());
  Hdf5Writer(path).write("/own", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, values.data());
  const hsize_t extent = 3;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &extent, nullptr);
  const hid_t is_virtual = H5Pcreate(H5P_DATASET_CREATE), outside = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_virtual(is_virtual, space, other.c_str(), "/group/x", space);
  H5Pset_external(outside, scratch.write("x.raw", std::string(24, '\0')).c_str(), 0, 24);
  const auto made = [&](const char* name, hid_t how) {
    return H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  };
  const hid_t first = made("/virtual", is_virtual), second = made("/outside", outside);
  REQUIRE(first >= 0);
  REQUIRE(second >= 0);
  REQUIRE(H5Lcreate_external(other.c_str(), "/group/x", file, "/link", H5P_DEFAULT, H5P_DEFAULT) >=
          0);
  REQUIRE(H5Lcreate_external(other.c_str(), "/group", file, "/folder", H5P_DEFAULT, H5P_DEFAULT) >=
          0);
  for (const hid_t object : {first, second, is_virtual, outside, space, file}) H5Idec_ref(object);
  return path;
}

}  // namespace

TEST_CASE("hdf5: what lies in other files is refused by name") {
  const Scratch scratch;
  const auto path = made_of_several(scratch);
  const formats::Hdf5 file(path);
  CHECK(formats::to_vector<double>(file.get("own")) == std::vector<double>{1, 2, 3});
  const std::string cure =
      "; copy it into one file, as with h5py: one.create_dataset(name, data=many[name][()])";
  const std::string link = "a link into another file, " + scratch.path("other.h5") + ": /group";
  for (const auto& [key, why] : std::vector<std::pair<std::string, std::string>>{
           {"virtual", "a virtual dataset, whose numbers lie in other datasets"},
           {"outside", "its numbers are stored outside of the file"},
           {"link", link + "/x"},
           {"folder/x", link}}) {
    CAPTURE_BINDING(key);
    const std::string text = path + ": " + key + ": " + why + cure;
    CHECK_THROWS_WITH_AS(file.get(key), text.c_str(), std::invalid_argument);
    CHECK_THROWS_WITH_AS(file.layout(key), text.c_str(), std::invalid_argument);
    CHECK_THROWS_WITH_AS(file.read_rows(key, {}, [](std::size_t, std::span<const char>) {}),
                         text.c_str(), std::invalid_argument);
  }
  // What is asked for by name must not pass for an array that is not there.
  CHECK_THROWS_SAYING(file.has("link"), std::invalid_argument, link + "/x");
  CHECK_FALSE(file.has("labels"));
}

TEST_CASE("hdf5: whole datasets of several types and layouts") {
  const Scratch scratch;
  const auto path = scratch.path("a.h5");
  const std::vector<double> reals = {0.5, -2, 1e300, 4};
  const std::vector<std::int64_t> whole = {1, -2, 3, 4};
  {
    Hdf5Writer file(path);
    file.write("/latents/values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2, 2}, reals.data());
    file.write("/latents/classes", H5T_STD_I64BE, H5T_NATIVE_INT64, {4}, whole.data(), {3});
    file.write("/narrow", H5T_STD_U16LE, H5T_NATIVE_INT64, {2},
               std::vector<std::int64_t>{7, 65535}.data());
    file.write("/text", H5T_C_S1, H5T_C_S1, {1}, "a");
  }
  const formats::Hdf5 file(path);
  CHECK(formats::to_vector<double>(file.get("/latents/values")) == reals);
  CHECK(file.get("/latents/values").origin == path + ": /latents/values");
  CHECK(formats::to_vector<std::int64_t>(file.get("/latents/classes")) == whole);  // big-endian
  CHECK(file.layout("/narrow").dtype == formats::DType::u2);
  CHECK(formats::to_vector<std::int64_t>(file.get("/narrow"))[1] == 65535);
  CHECK_THROWS_WITH_AS(
      file.get("/labels"),
      (path + ": no dataset '/labels'; it holds /latents/classes, /latents/values, /narrow, /text")
          .c_str(),
      std::invalid_argument);
  CHECK_THROWS_SAYING(file.layout("/text"), std::invalid_argument, path + ": /text: its type");
}

TEST_CASE("hdf5: rows, in any chunks") {
  const Scratch scratch;
  const std::vector<std::uint8_t> values = bytes(100 * 6 * 5);
  const std::vector<std::vector<hsize_t>> layouts = {
      {}, {1, 6, 5}, {7, 6, 5}, {9, 4, 2}, {100, 1, 1}};
  for (std::size_t l = 0; l < layouts.size(); ++l) {
    CAPTURE(l);
    const auto path = scratch.path("a" + std::to_string(l) + ".h5");
    Hdf5Writer(path).write("/x", H5T_STD_U8LE, H5T_NATIVE_UINT8, {100, 6, 5}, values.data(),
                           layouts[l]);
    const std::vector<std::int64_t> rows = {0, 1, 6, 50, 50, 99};
    std::vector<std::uint8_t> got;
    const formats::Hdf5 file(path);
    file.read_rows("/x", rows, [&](std::size_t i, std::span<const char> row) {
      CHECK(i == got.size() / 30);
      got.insert(got.end(), row.begin(), row.end());
    });
    REQUIRE(got.size() == rows.size() * 30);
    for (std::size_t i = 0; i < got.size(); ++i)
      REQUIRE(got[i] == values[static_cast<std::size_t>(rows[i / 30]) * 30 + i % 30]);
    const std::vector<std::int64_t> beyond = {100};
    CHECK_THROWS_WITH_AS(file.read_rows("/x", beyond, [](std::size_t, std::span<const char>) {}),
                         (path + ": /x: row 100 is asked for, but it has 100").c_str(),
                         std::invalid_argument);
  }
}

TEST_CASE("hdf5: no file, no HDF5, cut short, damaged inside") {
  const Scratch scratch;
  const auto path = scratch.path("a.h5");
  const auto values = bytes(40000);
  Hdf5Writer(path).write("/x", H5T_STD_U8LE, H5T_NATIVE_UINT8, {40, 1000}, values.data(),
                         {10, 1000});
  std::string whole = conoscope::testing::bytes_of(path);
  const auto cut = scratch.write("cut.h5", std::string_view(whole).substr(0, whole.size() / 2));
  CHECK_THROWS_SAYING(formats::Hdf5(cut), std::invalid_argument,
                      cut + ": not a whole HDF5 file: ", "truncated");
  const auto none = scratch.path("none.h5");
  CHECK_THROWS_SAYING(formats::Hdf5(none), std::invalid_argument, none + ": No such file");
  const auto text = scratch.write("text.h5", "words");
  CHECK_THROWS_SAYING(formats::Hdf5(text), std::invalid_argument, text + ": not a whole HDF5 file");

  // Zeros over the deflated data: opening succeeds, unpacking does not.
  const std::size_t at = whole.size() - 3000;
  std::fill_n(whole.begin() + static_cast<std::ptrdiff_t>(at), 2500, '\0');
  const auto damaged = scratch.write("damaged.h5", whole);
  const std::vector<std::int64_t> rows = {0, 20, 39};
  CHECK_THROWS_SAYING(
      formats::Hdf5(damaged).read_rows("/x", rows, [](std::size_t, std::span<const char>) {}),
      std::invalid_argument, damaged + ": /x: cannot be read: ");
}

TEST_CASE("hdf5: more than the file can hold") {
  const Scratch scratch;
  const auto path = scratch.path("huge.h5");
  never_written(path, {1 << 20, 1 << 18}, {1024, 1024});  // 2 TiB
  CHECK_THROWS_SAYING(formats::Hdf5(path).get("/x"), std::invalid_argument,
                      path +
                          ": /x: says that it has 2199023255552 bytes, of which the file holds "
                          "0");
}

TEST_CASE("hdf5: a shape whose bytes cannot be counted") {
  const Scratch scratch;
  const auto path = scratch.path("wraps.h5");
  never_written(path, {hsize_t{1} << 61, 1}, {1024, 1});
  const std::vector<std::int64_t> rows = {0};
  const std::string why = path +
                          ": /x: the shape asks for more than 2^63 bytes: 2305843009213693952 x "
                          "1, float64";
  CHECK_THROWS_WITH_AS(formats::Hdf5(path).get("/x"), why.c_str(), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      formats::Hdf5(path).read_rows("/x", rows, [](std::size_t, std::span<const char>) {}),
      why.c_str(), std::invalid_argument);
}

TEST_CASE("array file: HDF5 or .npz by its first bytes") {
  const Scratch scratch;
  const auto values = bytes(6);
  const auto h5 = scratch.path("a.npz");  // a name that lies
  Hdf5Writer(h5).write("/x", H5T_STD_U8LE, H5T_NATIVE_UINT8, {3, 2}, values.data());
  const auto npz = conoscope::testing::write_zip(
      scratch.path("a.h5"), {{"x.npy", conoscope::testing::npy_bytes("|u1", "(3, 2)", values)}});
  const std::vector<std::int64_t> rows = {2};
  for (const auto& [path, key] : {std::pair(h5, "/x"), std::pair(npz, "x")}) {
    const formats::ArrayFile file(path);
    CHECK(file.is_hdf5() == (path == h5));
    CHECK(file.layout(key).shape == std::vector<std::int64_t>{3, 2});
    CHECK(formats::to_vector<std::int64_t>(file.get(key))[5] == values[5]);
    file.read_rows(key, rows, [&](std::size_t, std::span<const char> row) {
      CHECK(static_cast<std::uint8_t>(row[1]) == values[5]);
    });
  }
  const auto text = scratch.write("words", "words");
  CHECK_THROWS_SAYING(formats::ArrayFile(text), std::invalid_argument, text + ": ");
}
