// dSprites: white sprites on black whose five factors are known, as a task with concepts. Drawn
// here, or read from the published file.
//
//   which images: dSprites(gamma), or a grid     task.h
//   what they look like                          render.h, official.h

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "conoscope/sdk/dataset.h"
#include "datasets/dsprites/official.h"
#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"
#include "datasets/factorial/parameters.h"

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
    sdk::integer("sets_seed", 0)
        .at_least(0)
        .help("draws the values that tied factors may take: the same dataset for all seeds of a "
              "run"),
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
    datasets::drawn_samples(4000),
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share of every class that goes to the test split"),
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

class Dsprites final : public sdk::Dataset {
 public:
  explicit Dsprites(const sdk::ParamsOf<kParameters>& params)
      : grid_(params, dsprites::kSizes, "dsprites"),
        label_rule_(params.text("label_rule")),
        incomplete_(params.boolean("incomplete")),
        test_share_(params.real("test_share")),
        spurious_share_(params.real("spurious_share")),
        spurious_test_(params.boolean("spurious_test")),
        file_(params.file("file")),
        images_key_(params.text("images_key")),
        classes_key_(params.text("classes_key")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    std::optional<dsprites::OfficialFile> official;
    if (!file_.empty()) official.emplace(file_, images_key_, classes_key_);
    const datasets::FactorTable table =
        official ? official->table()
                 : datasets::every_combination({dsprites::kSizes.begin(), dsprites::kSizes.end()});
    const std::vector<std::int64_t> kept = select(table);
    const auto rows = datasets::draw_rows(kept, grid_.samples, context.seed().child("samples"),
                                          "dsprites" + (file_.empty() ? "" : " (" + file_ + ")"));

    const dsprites::Annotations known = annotate(table, kept, rows);
    constexpr std::array<std::size_t, dsprites::kFactors> kColumns = {0, 1, 2, 3, 4};
    datasets::write_annotations(table, rows, known.concepts,
                                std::span(kColumns).first(incomplete_ ? 3 : kColumns.size()),
                                known.labels, out);
    const sdk::Split split = sdk::stratified_split(known.labels, test_share_, context.seed());
    sdk::write_split(out, split);
    write_images(table, official, rows, backgrounds(known.labels, split, context.seed()), context,
                 out);
  }

 private:
  dsprites::Selection as() const {
    return grid_.selection == "published_code" ? dsprites::Selection::kPublishedCode
                                               : dsprites::Selection::kConditional;
  }

  dsprites::LabelRule rule() const {
    return label_rule_ == "leakage"          ? dsprites::LabelRule::kLeakage
           : label_rule_ == "robust_metrics" ? dsprites::LabelRule::kRobustMetrics
                                             : dsprites::LabelRule::kMisspecified;
  }

  std::vector<std::int64_t> select(const datasets::FactorTable& table) const {
    if (grid_.whole_grid()) return datasets::rows_on_strides(table, grid_.strides);
    if (grid_.by_text())
      return datasets::select_rows_by_text(table, grid_.gamma, dsprites::kDeciding,
                                           grid_.sets_seed);
    return dsprites::select_rows(table, grid_.gamma,
                                 datasets::draw_conditional_sets(dsprites::kSteps, grid_.sets_seed),
                                 as());
  }

  /// Of all that are kept, since what the published code calls low depends on them; then of the
  /// drawn ones.
  dsprites::Annotations annotate(const datasets::FactorTable& table,
                                 std::span<const std::int64_t> kept,
                                 std::span<const std::int64_t> rows) const {
    const dsprites::Annotations all = dsprites::annotate(table, kept, rule(), as());
    dsprites::Annotations drawn;
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

  void write_images(const datasets::FactorTable& table,
                    const std::optional<dsprites::OfficialFile>& official,
                    std::span<const std::int64_t> rows, std::span<const float> background,
                    const sdk::Context& context, sdk::Sink& out) const {
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

  datasets::GridParameters grid_;
  std::string label_rule_;
  bool incomplete_;
  double test_share_, spurious_share_;
  bool spurious_test_;
  std::string file_, images_key_, classes_key_;
};

}  // namespace

CONOSCOPE_DATASET(Dsprites, "dsprites", "1.0.0", R"toml(
summary = "dSprites(gamma): sprites of five known factors with concepts and a task; drawn here, or from the published file"
licence = "Apache-2.0"
citation = "Matthey et al., dSprites: Disentanglement testing Sprites dataset, 2017; Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, appendix A.6"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
)toml",
                  kParameters)
