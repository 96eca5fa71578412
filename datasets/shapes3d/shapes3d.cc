// SPDX-License-Identifier: Apache-2.0
// 3dshapes: a coloured object in a coloured room, whose six factors are known, as a task with
// concepts. Drawn here, or read from the published file.
//
//   which images: 3dshapes(gamma), or a grid     task.h
//   what they look like                          render.h, official.h

#include <algorithm>
#include <map>
#include <tuple>

#include "conoscope/sdk/dataset.h"
#include "datasets/factorial/dataset.h"
#include "datasets/samples.h"
#include "datasets/shapes3d/official.h"
#include "datasets/shapes3d/render.h"
#include "datasets/shapes3d/task.h"

namespace {

namespace sdk = conoscope::sdk;
namespace datasets = conoscope::datasets;
namespace shapes3d = conoscope::datasets::shapes3d;
using shapes3d::kNumbers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("gamma", 0)
        .between(0, 5)
        .help("how many neighbouring factors are tied together, in the order floor_hue, wall_hue, "
              "object_hue, scale, shape, orientation"),
    sdk::text("selection", "conditional")
        .choices({"conditional", "published_text", "grid"})
        .help("conditional: 3dshapes(gamma); published_text: as the authors' text has it, not "
              "their code; grid: every combination, thinned by `every`"),
    datasets::kSetsSeed,
    sdk::integers("every", {})
        .at_least(1)
        .help("grid: keep every so many values of floor_hue, wall_hue, object_hue, scale, shape, "
              "orientation, as [5, 5, 5, 2, 1, 5]; empty: all"),
    sdk::text("label_rule", "leakage")
        .choices({"leakage", "robust_metrics", "misspecified"})
        .help("leakage: (1-c5)(2c1+c2) + c5(4+4c3+2c4+c6); robust_metrics: c5 ? 4c1+2c2+c3 : "
              "8+2c4+c6; misspecified: the first with products of concepts"),
    sdk::boolean("incomplete", false)
        .help("leave the concepts of object_hue and orientation out; the labels stay"),
    datasets::drawn_samples(2000), datasets::kTestShare, datasets::kTestEvery,
    sdk::optional_file("file").help("the published .h5; none: the images are drawn"),
    sdk::text("images_key", "").help("the array of images in `file`; empty: /images"),
    sdk::text("labels_key", "").help("the array of factor values in `file`; empty: /labels"));

class Shapes3d final : public datasets::FactorialDataset {
 public:
  explicit Shapes3d(const sdk::ParamsOf<kParameters>& params)
      : FactorialDataset(params, params.text("labels_key"),
                         {"shapes3d",
                          {shapes3d::kFactorNames.begin(), shapes3d::kFactorNames.end()},
                          {shapes3d::kSizes.begin(), shapes3d::kSizes.end()},
                          {shapes3d::kSteps.begin(), shapes3d::kSteps.end()},
                          shapes3d::kDeciding,
                          {0, 1, 3, 4},
                          shapes3d::kOfficial}) {}

 private:
  std::vector<std::int64_t> select(const datasets::FactorTable& table,
                                   std::span<const datasets::ConditionalSets> sets) const override {
    return shapes3d::select_rows(table, gamma_, sets);
  }

  datasets::ConceptsAndLabels annotate(const datasets::FactorTable& table,
                                       std::span<const std::int64_t> /*kept*/,
                                       std::span<const std::int64_t> rows) const override {
    datasets::ConceptsAndLabels known;
    for (const std::int64_t row : rows) {
      const auto bits = shapes3d::concepts_of(table.row(row));
      known.concepts.insert(known.concepts.end(), bits.begin(), bits.end());
      known.labels.push_back(shapes3d::label(bits, label_rule_));
    }
    return known;
  }

  void write_images(const datasets::FactorTable& table, const datasets::OfficialFile* official,
                    std::span<const std::int64_t> rows, std::span<const std::int64_t> /*labels*/,
                    const sdk::Split&, const sdk::Context& context, sdk::Sink& out) const override {
    const auto inputs =
        out.create<float>("inputs", {static_cast<std::int64_t>(rows.size()), shapes3d::kSide,
                                     shapes3d::kSide, shapes3d::kChannels});
    const auto write = [&inputs](std::size_t i, std::span<const std::uint8_t> numbers) {
      std::ranges::transform(numbers, inputs.begin() + i * kNumbers,
                             [](std::uint8_t v) { return static_cast<float>(v) / 255.0F; });
    };
    if (!official) return draw(table, rows, context, write);
    official->read(rows, [&](std::size_t i, std::span<const std::uint8_t> numbers) {
      datasets::tick(context, i, rows.size());
      write(i, numbers);
    });
  }

  /// Images of one geometry together: it is what costs, and hues are cheap.
  template <typename Write>
  static void draw(const datasets::FactorTable& table, std::span<const std::int64_t> rows,
                   const sdk::Context& context, Write write) {
    std::map<std::tuple<int, int, int>, std::vector<std::size_t>> by_geometry;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = table.row(rows[i]);
      by_geometry[{row[3], row[4], row[5]}].push_back(i);
    }
    std::vector<std::uint8_t> numbers(kNumbers);
    std::size_t done = 0;
    for (const auto& [classes, members] : by_geometry) {
      const shapes3d::Geometry geometry = std::make_from_tuple<shapes3d::Geometry>(classes);
      for (const std::size_t i : members) {
        datasets::tick(context, done++, rows.size());
        const auto row = table.row(rows[i]);
        shapes3d::paint(geometry, row[0], row[1], row[2], numbers);
        write(i, numbers);
      }
    }
  }
};

}  // namespace

CONOSCOPE_DATASET(Shapes3d, "shapes3d", "1.0.0", R"toml(
summary = "3dshapes(gamma): objects of six known factors with concepts and a task; drawn here, or from the published file"
licence = "Apache-2.0"
citation = "Burgess & Kim, 3D Shapes Dataset, 2018; Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, appendix A.6"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
added = ["test_every"]
)toml",
                  kParameters)
