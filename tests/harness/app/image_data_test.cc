// The image datasets through the host: damaged files fail their cells, each with the file and the
// place in its reason; the others of the run are done.

#include <filesystem>
#include <iterator>
#include <map>
#include <vector>

#include "datasets/dsprites/render.h"
#include "tests/harness/app/workspace.h"
#include "tests/support/bytes_of.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/write_hdf5.h"
#include "tests/support/write_npz.h"

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
  ZipMember imgs() const { return {"imgs.npy", npy_bytes("|u1", "(30, 64, 64)", images)}; }
  ZipMember latents() const {
    return {"latents_classes.npy", npy_bytes("<i8", "(30, 6)", classes)};
  }
};

std::string dataset(const std::string& name, const std::string& id, const std::string& params) {
  return "[[dataset]]\nid = \"" + id + "\"\nname = \"" + name + "\"\nparams = { " + params + " }\n";
}

std::string sprites_in(const std::string& file) {
  return "file = \"" + file + "\", selection = \"grid\", samples = 0";
}

void write_half(const Workspace& here, const std::string& of, const std::string& to) {
  const std::string whole = bytes_of(here.path(of));
  here.write(to, std::string_view(whole).substr(0, whole.size() / 2));
}

}  // namespace

TEST_CASE("each damaged file of images fails its cell and no other") {
  const Workspace here;
  const Sprites sprites;
  write_zip(here.path("good.npz"), {sprites.latents(), sprites.imgs()});
  write_zip(here.path("keys.npz"), {sprites.imgs()});
  write_zip(
      here.path("dtype.npz"),
      {sprites.latents(),
       {"imgs.npy", npy_bytes("<f4", "(30, 64, 64)", std::vector<float>(sprites.images.size()))}});
  const ZipMember imgs = sprites.imgs();
  write_zip(here.path("short.npz"),
            {sprites.latents(), {"imgs.npy", imgs.bytes.substr(0, imgs.bytes.size() - 1)}});
  write_half(here, "good.npz", "cut.npz");
  std::map<std::string, std::vector<std::string>> wanted = {
      {"keys", {"keys.npz", "no array 'latents_classes'", "imgs"}},
      {"dtype", {"dtype.npz", "imgs", "float32", "uint8"}},
      {"short", {"short.npz", "imgs", "row 29", "4095"}},
      {"cut", {"cut.npz: cut short"}},
  };
  std::string text = "metrics = [\"surf\"]\n" + dataset("good", "dsprites", sprites_in("good.npz"));
  for (const auto& [name, parts] : wanted)
    text += dataset(name, "dsprites", sprites_in(name + ".npz"));
  const std::vector<hsize_t> shape = {30, 64, 64};
  Hdf5Writer(here.path("keys.h5"))
      .write("/imgs", H5T_STD_U8LE, H5T_NATIVE_UINT8, shape, sprites.images.data(), {4, 64, 64});
  {
    Hdf5Writer file(here.path("good.h5"));
    file.write("/imgs", H5T_STD_U8LE, H5T_NATIVE_UINT8, shape, sprites.images.data(), {4, 64, 64});
    file.write("/latents/classes", H5T_STD_I64LE, H5T_NATIVE_INT64, {30, 6},
               sprites.classes.data());
  }
  write_half(here, "good.h5", "cut.h5");
  text += dataset("good_h5", "dsprites", sprites_in("good.h5"));
  text += dataset("keys_h5", "dsprites", sprites_in("keys.h5"));
  text += dataset("cut_h5", "dsprites", sprites_in("cut.h5"));
  text += dataset("shapes_h5", "shapes3d", sprites_in("good.h5"));
  wanted["keys_h5"] = {"keys.h5", "no dataset '/latents/classes'", "/imgs"};
  wanted["cut_h5"] = {"cut.h5", "not a whole HDF5 file", "truncated"};
  wanted["shapes_h5"] = {"good.h5", "no dataset '/images'", "/imgs, /latents/classes"};
  std::filesystem::create_directories(here.path("set/a"));
  std::filesystem::create_directories(here.path("set/b"));
  here.write("set/a/1.png", "words");
  here.write("set/b/1.png", "words");
  text += dataset("folder", "image_folder", "folder = \"set\", test_share = 0.5");
  wanted["folder"] = {"set/a/1.png", "neither a PNG nor a JPEG file"};
  text +=
      "[[model]]\nid = \"quadrants\"\nparams = { answer = \"good\" }\n[[explainer]]\nid = "
      "\"perfect\"\n";

  const auto file =
      here.write("run.toml", "plugin_path = [\"" CONOSCOPE_TEST_PLUGINS "\"]\n" + text);
  const Ended ended = here.run({"run", file}, 4);
  constexpr std::size_t good = 2;  // from .npz and from .h5
  CHECK_SAYS(ended.err, std::to_string(good) + " ok, " + std::to_string(wanted.size()) + " failed");
  auto reasons = here.failures_at("dataset: load data");
  REQUIRE(reasons.size() == wanted.size());
  for (const auto& [name, parts] : wanted)
    for (const auto& part : parts) CHECK_SAYS(reasons[name], part);
  CHECK(here.count("attempt") == static_cast<std::int64_t>(good + wanted.size()));  // nothing lost
}
