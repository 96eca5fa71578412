// SPDX-License-Identifier: Apache-2.0
// Images from HDF5 files and from folders, as confined plugins read them: damaged ones fail their
// cells, each with the file in its reason; the others of the run are done.

#include <filesystem>
#include <map>
#include <vector>

#include "datasets/dsprites/render.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"
#include "tests/support/write_hdf5.h"

using namespace conoscope::testing;
namespace dsprites = conoscope::datasets::dsprites;

namespace {

/// Thirty rows in the layout of the published file.
struct Sprites {
  static constexpr std::size_t kRows = 30;
  std::vector<std::uint8_t> images = std::vector<std::uint8_t>(kRows * dsprites::kPixels);
  std::vector<std::int64_t> classes;

  Sprites() {
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto shape = static_cast<std::uint8_t>(i % 3), turn = static_cast<std::uint8_t>(i);
      const std::vector<std::uint8_t> row = {shape, 5, turn, 8, 16};
      dsprites::render(row, std::span(images).subspan(i * dsprites::kPixels, dsprites::kPixels));
      classes.push_back(0);
      classes.insert(classes.end(), row.begin(), row.end());
    }
  }
};

std::string dataset(const std::string& name, const std::string& id, const std::string& params) {
  return "[[dataset]]\nid = \"" + id + "\"\nname = \"" + name + "\"\nparams = { " + params + " }\n";
}

std::string sprites_in(const std::string& file) {
  return "file = \"" + file + "\", selection = \"grid\", samples = 0";
}

}  // namespace

TEST_CASE("each damaged file of images fails its cell and no other") {
  const Workspace here;
  const Sprites sprites;
  const std::vector<hsize_t> shape = {30, 64, 64};
  Hdf5Writer(here.path("keys.h5"))
      .write("/imgs", H5T_STD_U8LE, H5T_NATIVE_UINT8, shape, sprites.images.data(), {4, 64, 64});
  {
    Hdf5Writer file(here.path("good.h5"));
    file.write("/imgs", H5T_STD_U8LE, H5T_NATIVE_UINT8, shape, sprites.images.data(), {4, 64, 64});
    file.write("/latents/classes", H5T_STD_I64LE, H5T_NATIVE_INT64, {30, 6},
               sprites.classes.data());
  }
  const std::string whole = bytes_of(here.path("good.h5"));
  here.write("cut.h5", std::string_view(whole).substr(0, whole.size() / 2));
  std::filesystem::create_directories(here.path("set/a"));
  std::filesystem::create_directories(here.path("set/b"));
  here.write("set/a/1.png", "words");
  here.write("set/b/1.png", "words");
  const std::string text =
      "plugin_path = [\"" CONOSCOPE_TEST_PLUGINS "\"]\nmetrics = [\"surf\"]\n" +
      dataset("good", "dsprites", sprites_in("good.h5")) +
      dataset("keys", "dsprites", sprites_in("keys.h5")) +
      dataset("cut", "dsprites", sprites_in("cut.h5")) +
      dataset("shapes", "shapes3d", sprites_in("good.h5")) +
      dataset("folder", "image_folder", "folder = \"set\", test_share = 0.5") +
      "[[model]]\nid = \"quadrants\"\nparams = { answer = \"good\" }\n[[explainer]]\nid = "
      "\"perfect\"\n";

  CHECK_SAYS(here.run_text(text, {}, 4).err, "1 ok, 4 failed");
  auto reasons = here.failures_at("dataset: load data");
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"keys", {"keys.h5", "no dataset '/latents/classes'", "/imgs"}},
      {"cut", {"cut.h5", "not a whole HDF5 file", "truncated"}},
      {"shapes", {"good.h5", "no dataset '/images'", "/imgs, /latents/classes"}},
      {"folder", {"set/a/1.png", "neither a PNG nor a JPEG file"}}};
  REQUIRE(reasons.size() == wanted.size());
  for (const auto& [name, parts] : wanted)
    for (const auto& part : parts) CHECK_SAYS(reasons[name], part);
  CHECK(here.count("attempt") == 5);  // nothing lost
}
