// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/npz_file.h"

#include <doctest/doctest.h>
#include <zip.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/support/bytes_of.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

namespace core = conoscope::core;
namespace fs = std::filesystem;
using conoscope::testing::bytes_of;
using conoscope::testing::Scratch;

namespace {

/// As libzip reads them, which compares directory, headers and checksums.
std::map<std::string, std::string> members_of(const std::string& file) {
  int code = 0;
  zip_t* const archive = zip_open(file.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
  REQUIRE(archive != nullptr);
  std::map<std::string, std::string> out;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_file_t* const member = zip_fopen_index(archive, index, 0);
    REQUIRE(member != nullptr);
    std::string& bytes = out[zip_get_name(archive, index, 0)];
    std::string part(65536, '\0');
    zip_int64_t n = 0;
    while ((n = zip_fread(member, part.data(), part.size())) > 0)
      bytes.append(part, 0, static_cast<std::size_t>(n));
    CHECK_MESSAGE(n == 0, zip_file_strerror(member));
    zip_fclose(member);
  }
  zip_discard(archive);
  return out;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("write_npz: files of any length come out as they were, and equal ones as equal bytes") {
  const Scratch scratch;
  fs::create_directory(scratch.path("artifact"));
  fs::create_directory(scratch.path("out"));
  std::map<std::string, std::string> wanted;
  for (const std::size_t length : {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, 3 << 20}) {
    std::string bytes(length, '\0');
    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i * 31 % 251 + length);
    const std::string name = "a" + std::to_string(length) + ".npy";
    scratch.write("artifact/" + name, bytes);
    wanted[name] = bytes;
  }
  scratch.write("artifact/texts.tsv", wanted["texts.tsv"] = "key\tvalue\n");
  // What belongs to the cache, and differs between kernels that confine and those that do not.
  for (const char* name : {"manifest.tsv", "confined.txt", "log.txt"})
    scratch.write(std::string("artifact/") + name, "not of the archive");
  const std::string file = scratch.write("out/a.npz", "what was there before");
  core::write_npz(scratch.path("artifact"), file);
  CHECK(members_of(file) == wanted);
  core::write_npz(scratch.path("artifact"), scratch.path("out/b.npz"));
  CHECK(bytes_of(file) == bytes_of(scratch.path("out/b.npz")));
  CHECK(files_in(scratch.path("out")) == 2);
}

TEST_CASE("write_npz: what cannot be written leaves nothing behind") {
  const Scratch scratch;
  fs::create_directories(scratch.path("artifact"));
  scratch.write("artifact/a.npy", "x");
  CHECK_THROWS_SAYING(core::write_npz(scratch.path("artifact"), scratch.path("no/a.npz")),
                      std::runtime_error,
                      scratch.path("no/a.npz") + ": cannot be written: No such");
  fs::create_directories(scratch.path("out/a.npz/full"));  // a folder is in the way
  CHECK_THROWS_SAYING(core::write_npz(scratch.path("artifact"), scratch.path("out/a.npz")),
                      std::runtime_error, scratch.path("out/a.npz") + ": cannot be written: ");
  CHECK(files_in(scratch.path("out")) == 1);
}
