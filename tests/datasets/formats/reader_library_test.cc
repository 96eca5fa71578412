// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/reader_library.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <link.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/formats/npz.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"
#include "tests/support/write_npz.h"

namespace formats = conoscope::formats;
using conoscope::testing::Scratch;

namespace {

/// The libraries that a built one asks for by itself (DT_NEEDED).
std::vector<std::string> needed_by(const std::string& name) {
  const std::string file = CONOSCOPE_TEST_PLUGIN_DIR "/" + name + ".so";
  void* const library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, ::dlerror());
  link_map* map = nullptr;
  REQUIRE(::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0);
  const char* strings = nullptr;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  REQUIRE(strings != nullptr);
  std::vector<std::string> out;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED) out.emplace_back(strings + entry->d_un.d_val);
  return out;
}

bool any_begins(const std::vector<std::string>& names, const std::string& with) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return name.starts_with(with); });
}

}  // namespace

TEST_CASE("a dataset plugin asks for no library that reads HDF5 or zip; its readers do") {
  for (const std::string name : {"digits", "dsprites", "precomputed_codes_dataset",
                                 "precomputed_dataset", "shapes3d", "table"}) {
    const auto needed = needed_by(name);
    CAPTURE(name);
    CHECK(any_begins(needed, "libc.so"));
    CHECK_FALSE(any_begins(needed, "libhdf5"));
    CHECK_FALSE(any_begins(needed, "libzip"));
  }
  CHECK(any_begins(needed_by("conoscope_npz"), "libzip"));
#ifdef CONOSCOPE_TEST_HDF5
  CHECK(any_begins(needed_by("conoscope_hdf5"), "libhdf5"));
#endif
}

TEST_CASE("a reader that is not there, or is another build's") {
  CHECK_THROWS_SAYING(formats::open_with_library("no_such_reader.so", "a.npz"), std::runtime_error,
                      "a.npz: its reader cannot be loaded", "no_such_reader.so");
  CHECK_THROWS_SAYING(formats::open_with_library("libz.so.1", "a.npz"), std::runtime_error,
                      "a.npz: its reader cannot be loaded", "libz.so.1",
                      "undefined symbol: conoscope_open_");
}

TEST_CASE("what a reader has handed out outlives the file it came from") {
  const Scratch scratch;
  const auto path = conoscope::testing::write_zip(
      scratch.path("a.npz"),
      {{"x.npy", conoscope::testing::npy_bytes<float>("<f4", "(2,)", {1.5F, -2}), ZIP_CM_STORE}});
  const formats::Array array = formats::Npz(path).get("x");
  CHECK(formats::to_vector<float>(array) == std::vector<float>{1.5F, -2});
}
