// SPDX-License-Identifier: Apache-2.0
// Images in a folder for each class, as Caltech-101 and many others are distributed: the names of
// the folders, in the order of their bytes, are the classes 0, 1 ...

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "conoscope/sdk/dataset.h"
#include "datasets/images/image_files.h"
#include "datasets/list_text.h"
#include "datasets/samples.h"

namespace {

namespace fs = std::filesystem;
namespace sdk = conoscope::sdk;
namespace datasets = conoscope::datasets;

constexpr auto kParameters = sdk::parameters(
    sdk::folder("folder").help("holds a folder of images for each class"),
    sdk::texts("exclude", {})
        .help("names of class folders to leave out, as [\"BACKGROUND_Google\"]"),
    sdk::integer("images_per_class", 0)
        .at_least(0)
        .help("at most so many images of each class, drawn by the seed; 0: all of them"),
    datasets::kImageParameters,
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share of every class that goes to the test split"));

class ImageFolder final : public sdk::Dataset {
 public:
  explicit ImageFolder(const sdk::ParamsOf<kParameters>& params)
      : folder_(params.file("folder")),
        exclude_(params.texts("exclude")),
        how_(params),
        images_per_class_(params.integer("images_per_class")),
        test_share_(params.real("test_share")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const std::vector<std::string> classes = class_names();
    std::vector<std::string> paths;
    std::vector<std::int64_t> labels;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::string folder = (fs::path(folder_) / classes[c]).string();
      for (const std::string& name : draw(folder, context.seed().child("images").child(c))) {
        paths.push_back((fs::path(folder) / name).string());
        labels.push_back(static_cast<std::int64_t>(c));
      }
    }
    sdk::write_split(out, sdk::stratified_split(labels, test_share_, context.seed()));
    std::ranges::copy(
        labels,
        out.create<std::int64_t>("labels", {static_cast<std::int64_t>(labels.size())}).begin());
    out.text("task", "classification");
    out.text("classes", datasets::list_text(classes));
    datasets::write_image_inputs(paths, how_, context, out);
  }

 private:
  std::vector<std::string> class_names() const {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator at(folder_, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (at->is_directory(error) && !name.starts_with(".")) names.push_back(name);
    }
    if (error) throw std::invalid_argument(folder_ + ": " + error.message());
    for (const std::string& name : exclude_)
      if (std::erase(names, name) == 0)
        throw std::invalid_argument(folder_ + ": exclude names '" + name +
                                    "', but there is no such folder");
    if (names.size() < 2)
      throw std::invalid_argument(folder_ + ": " + std::to_string(names.size()) +
                                  " class folders, expected 2 or more");
    std::ranges::sort(names);
    return names;
  }

  /// The names of all images of a class, or of some that the seed draws.
  std::vector<std::string> draw(const std::string& folder, sdk::Seed seed) const {
    std::vector<std::string> names = datasets::image_names(folder);
    if (names.empty()) throw std::invalid_argument(folder + ": no .png, .jpg or .jpeg file");
    const auto all = static_cast<std::int64_t>(names.size());
    std::vector<std::int64_t> rows(names.size());
    std::iota(rows.begin(), rows.end(), 0);
    // A class that has fewer gives all of them.
    rows = datasets::draw_rows(std::move(rows), std::min(images_per_class_, all), seed, folder);
    std::vector<std::string> drawn;
    for (const std::int64_t row : rows) drawn.push_back(names[static_cast<std::size_t>(row)]);
    return drawn;
  }

  std::string folder_;
  std::vector<std::string> exclude_;
  datasets::ImageParameters how_;
  std::int64_t images_per_class_;
  double test_share_;
};

}  // namespace

CONOSCOPE_DATASET(ImageFolder, "image_folder", "1.0.0", R"toml(
summary = "PNG and JPEG images in a folder for each class, as Caltech-101 is distributed"
licence = "Apache-2.0"
citation = "for Caltech-101: Li, Andreeto, Ranzato & Perona, CaltechDATA, 2022, https://doi.org/10.22002/D1.20086"
needs = []
offers = ["inputs", "labels"]
seeded = true
)toml",
                  kParameters)
