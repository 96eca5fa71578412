// SPDX-License-Identifier: Apache-2.0
// dSprites: white sprites on black whose five factors are known, as a task with concepts. Drawn
// here, or read from the published file.
//
//   which images: dSprites(gamma), or a grid     task.h
//   what they look like                          render.h, official.h

#include <algorithm>
#include <cmath>

#include "conoscope/sdk/dataset.h"
#include "datasets/dsprites/official.h"
#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"
#include "datasets/factorial/dataset.h"
#include "datasets/samples.h"

namespace {

namespace sdk = conoscope::sdk;
namespace datasets = conoscope::datasets;
namespace dsprites = conoscope::datasets::dsprites;
using dsprites::kPixels;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("gamma", 0)
        .between(0, 4)
        .help("how many neighbouring factors are tied together, in the order shape, scale, "
              "orientation, posX, posY"),
    sdk::text("selection", "conditional")
        .choices({"conditional", "published_code", "published_text", "grid"})
        .help("conditional: dSprites(gamma); published_code: the same with the slips of the "
              "authors' code; published_text: as their text has it; grid: every combination, "
              "thinned by `every`"),
    datasets::kSetsSeed,
    sdk::integers("every", {})
        .at_least(1)
        .help("grid: keep every so many values of shape, scale, orientation, posX, posY, as [1, 2, "
              "5, 4, 4]; empty: all"),
    sdk::text("label_rule", "leakage")
        .choices({"leakage", "robust_metrics", "misspecified"})
        .help("leakage: (1-c1)(4+2c4+c5) + c1(2c2+c3); robust_metrics: c1 ? 2c2+c4 : 4+2c3+c5; "
              "misspecified: the first with products of concepts"),
    sdk::boolean("incomplete", false)
        .help("leave the concepts of posX and posY out; the labels stay"),
    datasets::drawn_samples(4000), datasets::kTestShare, datasets::kTestEvery,
    sdk::real("spurious_share", 0.0)
        .between(0.0, 1.0)
        .help("share of the training images whose background is 0.1 times the label; 0.75 in the "
              "paper"),
    sdk::boolean("spurious_test", false)
        .help("the same share of the test images, too, as in the validation data of the paper"),
    sdk::optional_file("file").help("the published .npz or .hdf5; none: the images are drawn"),
    sdk::text("images_key", "").help("the array of images in `file`; empty: imgs, in HDF5 /imgs"),
    sdk::text("classes_key", "")
        .help("the array of class indices in `file`; empty: latents_classes, in HDF5 "
              "/latents/classes"));

class Dsprites final : public datasets::FactorialDataset {
 public:
  explicit Dsprites(const sdk::ParamsOf<kParameters>& params)
      : FactorialDataset(params, params.text("classes_key"),
                         {"dsprites",
                          {dsprites::kFactorNames.begin(), dsprites::kFactorNames.end()},
                          {dsprites::kSizes.begin(), dsprites::kSizes.end()},
                          {dsprites::kSteps.begin(), dsprites::kSteps.end()},
                          dsprites::kDeciding,
                          {0, 1, 2},
                          dsprites::kOfficial}),
        as_(selection_ == "published_code" ? dsprites::Selection::kPublishedCode
                                           : dsprites::Selection::kConditional),
        spurious_share_(params.real("spurious_share")),
        spurious_test_(params.boolean("spurious_test")) {}

 private:
  std::vector<std::int64_t> select(const datasets::FactorTable& table,
                                   std::span<const datasets::ConditionalSets> sets) const override {
    return dsprites::select_rows(table, gamma_, sets, as_);
  }

  /// Of all that are kept, since what the published code calls low depends on them; then of the
  /// drawn ones.
  datasets::ConceptsAndLabels annotate(const datasets::FactorTable& table,
                                       std::span<const std::int64_t> kept,
                                       std::span<const std::int64_t> rows) const override {
    const datasets::ConceptsAndLabels all = dsprites::annotate(table, kept, label_rule_, as_);
    datasets::ConceptsAndLabels drawn;
    std::size_t at = 0;
    for (const std::int64_t row : rows) {
      while (kept[at] != row) ++at;  // both ascend
      const auto bits =
          std::span(all.concepts).subspan(at * dsprites::kFactors, dsprites::kFactors);
      drawn.concepts.insert(drawn.concepts.end(), bits.begin(), bits.end());
      drawn.labels.push_back(all.labels[at]);
    }
    return drawn;
  }

  /// Brightness of the background of each image: of so many training images, drawn by the seed, and
  /// of as large a share of the test images where they are asked for, a tenth of the label; of the
  /// others 0.
  std::vector<float> backgrounds(std::span<const std::int64_t> labels, const sdk::Split& split,
                                 sdk::Seed seed) const {
    std::vector<float> brightness(labels.size(), 0.0F);
    const auto lighten = [&](std::vector<std::int64_t> rows, sdk::Seed own) {
      sdk::Random random(own);
      random.shuffle(rows);
      rows.resize(static_cast<std::size_t>(
          std::llround(spurious_share_ * static_cast<double>(rows.size()))));
      for (const std::int64_t i : rows)
        brightness[static_cast<std::size_t>(i)] =
            0.1F * static_cast<float>(labels[static_cast<std::size_t>(i)]);
    };
    lighten(split.train, seed.child("spurious_background"));
    if (spurious_test_) lighten(split.test, seed.child("spurious_test"));
    return brightness;
  }

  void write_images(const datasets::FactorTable& table, const datasets::OfficialFile* official,
                    std::span<const std::int64_t> rows, std::span<const std::int64_t> labels,
                    const sdk::Split& split, const sdk::Context& context,
                    sdk::Sink& out) const override {
    const std::vector<float> background = backgrounds(labels, split, context.seed());
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(rows.size()),
                                             dsprites::kSide, dsprites::kSide, 1};
    // Black and white fit in bytes; shades of grey do not.
    const bool plain = spurious_share_ == 0.0;
    const auto bytes =
        plain ? out.create<std::uint8_t>("inputs", shape) : std::span<std::uint8_t>();
    const auto shades = plain ? std::span<float>() : out.create<float>("inputs", shape);
    const auto write = [&](std::size_t i, std::span<const std::uint8_t> pixels) {
      datasets::tick(context, i, rows.size());
      if (plain)
        std::ranges::copy(pixels, bytes.begin() + i * kPixels);
      else
        std::ranges::transform(pixels, shades.begin() + i * kPixels, [&](std::uint8_t pixel) {
          return pixel != 0 ? 1.0F : background[i];
        });
    };
    if (official) return official->read(rows, write);
    std::vector<std::uint8_t> pixels(kPixels);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      dsprites::render(table.row(rows[i]), pixels);
      write(i, pixels);
    }
  }

  dsprites::Selection as_;
  double spurious_share_;
  bool spurious_test_;
};

}  // namespace

CONOSCOPE_DATASET(Dsprites, "dsprites", "1.0.0", R"toml(
summary = "dSprites(gamma): sprites of five known factors with concepts and a task; drawn here, or from the published file"
licence = "Apache-2.0"
citation = "Matthey et al., dSprites: Disentanglement testing Sprites dataset, 2017; Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, appendix A.6"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
added = ["test_every"]
)toml",
                  kParameters)
