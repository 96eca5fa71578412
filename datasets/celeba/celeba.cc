// SPDX-License-Identifier: Apache-2.0
// CelebA as distributed: a folder of face images, a file of 40 attributes of each, and a file that
// says which are for training and which for testing.

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "conoscope/sdk/dataset.h"
#include "datasets/celeba/annotations.h"
#include "datasets/images/image_files.h"
#include "datasets/samples.h"

namespace {

namespace fs = std::filesystem;
namespace sdk = conoscope::sdk;
namespace datasets = conoscope::datasets;
namespace celeba = conoscope::datasets::celeba;

constexpr auto kParameters = sdk::parameters(
    sdk::folder("images").help("the folder of images, img_align_celeba"),
    sdk::file("attributes").help("list_attr_celeba.txt"),
    sdk::optional_file("partition")
        .help("list_eval_partition.txt: 0 train, 1 validation (left out), 2 test; none: split by "
              "the seed"),
    sdk::text("task", "attribute")
        .choices({"attribute", "attributes"})
        .choice_offers({"labels", "targets"})
        .help("what is to be predicted: the attribute `target` as two classes, or all attributes "
              "at once"),
    sdk::text("target", "Smiling").help("the attribute to predict; the split keeps its share"),
    sdk::texts("concept_names", {})
        .help(
            "the attributes that are concepts; empty: all, but of task = attribute not the target"),
    datasets::drawn_samples(4000), datasets::kImageParameters,
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("without `partition`: share of both classes of the target that goes to the test "
              "split"),
    sdk::integer("train_rows", 0)
        .at_least(0)
        .help("with `partition`: so many of the training images, drawn by the seed, and all test "
              "images "
              "(published: 19962); 0: as `samples` draws of both"));

class CelebA final : public sdk::Dataset {
 public:
  explicit CelebA(const sdk::ParamsOf<kParameters>& params)
      : images_(params.file("images")),
        attributes_(params.file("attributes")),
        partition_(params.file("partition")),
        attributes_task_(params.text("task") == "attributes"),
        target_(params.text("target")),
        concept_names_(params.texts("concept_names")),
        samples_(params.integer("samples")),
        how_(params),
        test_share_(params.real("test_share")),
        train_rows_(params.integer("train_rows")) {
    if (train_rows_ > 0 && (partition_.empty() || samples_ > 0))
      throw std::invalid_argument(
          "celeba: train_rows draws from the training images of `partition`, which is needed, and "
          "goes "
          "with samples = 0");
  }

  void load(const sdk::Context& context, sdk::Sink& out) override {
    const celeba::Attributes known = celeba::read_attributes(attributes_);
    const std::size_t target = known.index(target_), width = known.names.size();
    const std::vector<std::size_t> columns = concept_columns(known, target);
    check_annotated(known);
    const std::vector<int> parts = parts_of(known);
    const std::vector<std::int64_t> rows = drawn_rows(parts, context.seed().child("samples"));

    const auto n = static_cast<std::int64_t>(rows.size());
    std::vector<std::string> paths;
    std::vector<std::int64_t> labels;
    const auto concepts =
        out.create<float>("concepts", {n, static_cast<std::int64_t>(columns.size())});
    const auto targets = attributes_task_
                             ? out.create<float>("targets", {n, static_cast<std::int64_t>(width)})
                             : std::span<float>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      const auto values = std::span(known.values).subspan(row * width, width);
      for (std::size_t j = 0; j < columns.size(); ++j)
        concepts[i * columns.size() + j] = values[columns[j]];
      if (attributes_task_)
        std::ranges::copy(values, targets.begin() + static_cast<std::ptrdiff_t>(i * width));
      labels.push_back(values[target]);
      paths.push_back((fs::path(images_) / known.images[row]).string());
      if (!fs::is_regular_file(paths.back()))
        throw std::invalid_argument(paths.back() + ": no such image, but " + attributes_ +
                                    " has a line for it");
    }
    if (!attributes_task_)
      std::ranges::copy(labels, out.create<std::int64_t>("labels", {n}).begin());
    out.text("task", attributes_task_ ? "attributes" : "classification");
    sdk::write_split(out, split(rows, parts, labels, context.seed()));
    datasets::write_image_inputs(paths, how_, context, out);
  }

 private:
  static constexpr int kTrain = 0, kValidation = 1, kTest = 2;

  std::vector<std::int64_t> drawn_rows(const std::vector<int>& parts, sdk::Seed seed) const {
    const std::string who = "celeba (" + attributes_ + ")";
    const auto rows_of = [&](auto&&... of_parts) {
      std::vector<std::int64_t> rows;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (((parts[i] == of_parts) || ...)) rows.push_back(static_cast<std::int64_t>(i));
      return rows;
    };
    if (train_rows_ == 0) return datasets::draw_rows(rows_of(kTrain, kTest), samples_, seed, who);
    auto rows = datasets::draw_rows(rows_of(kTrain), train_rows_, seed, who + ", train_rows");
    const auto test = rows_of(kTest);
    rows.insert(rows.end(), test.begin(), test.end());
    std::ranges::sort(rows);
    return rows;
  }

  /// Those named, else all; but not the one that is to be predicted.
  std::vector<std::size_t> concept_columns(const celeba::Attributes& known,
                                           std::size_t target) const {
    std::vector<std::size_t> columns;
    if (concept_names_.empty()) {
      for (std::size_t a = 0; a < known.names.size(); ++a)
        if (attributes_task_ || a != target) columns.push_back(a);
      return columns;
    }
    for (const std::string& name : concept_names_) {
      columns.push_back(known.index(name));
      if (std::find(columns.begin(), columns.end() - 1, columns.back()) != columns.end() - 1)
        throw std::invalid_argument("celeba: concept_names names " + name + " twice");
      if (!attributes_task_ && columns.back() == target)
        throw std::invalid_argument("celeba: concept_names has " + target_ +
                                    ", which is the target");
    }
    return columns;
  }

  void check_annotated(const celeba::Attributes& known) const {
    const std::set<std::string> annotated(known.images.begin(), known.images.end());
    for (const std::string& name : datasets::image_names(images_))
      if (!annotated.contains(name))
        throw std::invalid_argument((fs::path(images_) / name).string() + ": has no line in " +
                                    attributes_);
  }

  /// 0, 1 or 2 for each image; all 0 without a partition file.
  std::vector<int> parts_of(const celeba::Attributes& known) const {
    std::vector<int> parts(known.images.size(), kTrain);
    if (partition_.empty()) return parts;
    const auto partition = celeba::read_partition(partition_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto found = partition.find(known.images[i]);
      if (found == partition.end())
        throw std::invalid_argument(partition_ + ": no line for " + known.images[i] + ", which " +
                                    attributes_ + " has");
      parts[i] = found->second;
    }
    return parts;
  }

  sdk::Split split(std::span<const std::int64_t> rows, const std::vector<int>& parts,
                   std::span<const std::int64_t> labels, sdk::Seed seed) const {
    if (partition_.empty()) return sdk::stratified_split(labels, test_share_, seed);
    sdk::Split split;
    for (std::size_t i = 0; i < rows.size(); ++i)
      (parts[static_cast<std::size_t>(rows[i])] == kTest ? split.test : split.train)
          .push_back(static_cast<std::int64_t>(i));
    if (split.train.empty() || split.test.empty())
      throw std::invalid_argument(partition_ + ": of the " + std::to_string(rows.size()) +
                                  " images drawn, " + std::to_string(split.train.size()) +
                                  " are for training and " + std::to_string(split.test.size()) +
                                  " for testing; give more samples");
    return split;
  }

  std::string images_, attributes_, partition_;
  bool attributes_task_;
  std::string target_;
  std::vector<std::string> concept_names_;
  std::int64_t samples_;
  datasets::ImageParameters how_;
  double test_share_;
  std::int64_t train_rows_;
};

}  // namespace

CONOSCOPE_DATASET(CelebA, "celeba", "1.0.0", R"toml(
summary = "CelebA as distributed: face images and 40 attributes of each, as concepts and task"
licence = "for non-commercial research, see the dataset's own terms"
citation = "Liu, Luo, Wang & Tang, Deep Learning Face Attributes in the Wild, ICCV 2015"
needs = []
offers = ["inputs", "concepts"]
seeded = true
added = ["train_rows"]
)toml",
                  kParameters)
