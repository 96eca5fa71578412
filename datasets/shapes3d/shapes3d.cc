// 3dshapes: a coloured object in a coloured room, whose six factors are known, as a task with
// concepts. Drawn here, or read from the published file.
//
//   which images: 3dshapes(gamma), or a grid     task.h
//   what they look like                          render.h, official.h

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "conoscope/sdk/dataset.h"
#include "datasets/factorial/parameters.h"
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
    sdk::integer("sets_seed", 0)
        .at_least(0)
        .help("draws the values that tied factors may take: the same dataset for all seeds of a "
              "run"),
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
    datasets::drawn_samples(2000),
    sdk::real("test_share", 0.2)
        .between(0.01, 0.99)
        .help("share of every class that goes to the test split"),
    sdk::optional_file("file").help("the published .h5; none: the images are drawn"),
    sdk::text("images_key", "").help("the array of images in `file`; empty: /images"),
    sdk::text("labels_key", "").help("the array of factor values in `file`; empty: /labels"));

class Shapes3d final : public sdk::Dataset {
 public:
  explicit Shapes3d(const sdk::ParamsOf<kParameters>& params)
      : grid_(params, shapes3d::kSizes, "shapes3d"),
        label_rule_(params.text("label_rule")),
        incomplete_(params.boolean("incomplete")),
        test_share_(params.real("test_share")),
        file_(params.file("file")),
        images_key_(params.text("images_key")),
        labels_key_(params.text("labels_key")) {}

  void load(const sdk::Context& context, sdk::Sink& out) override {
    std::optional<shapes3d::OfficialFile> official;
    if (!file_.empty()) official.emplace(file_, images_key_, labels_key_);
    const datasets::FactorTable table =
        official ? official->table()
                 : datasets::every_combination({shapes3d::kSizes.begin(), shapes3d::kSizes.end()});
    const auto rows =
        datasets::draw_rows(select(table), grid_.samples, context.seed().child("samples"),
                            "shapes3d" + (file_.empty() ? "" : " (" + file_ + ")"));

    std::vector<std::uint8_t> concepts;
    std::vector<std::int64_t> labels;
    for (const std::int64_t row : rows) {
      const auto bits = shapes3d::concepts_of(table.row(row));
      concepts.insert(concepts.end(), bits.begin(), bits.end());
      labels.push_back(shapes3d::label(bits, rule()));
    }
    constexpr std::array<std::size_t, 6> kAll = {0, 1, 2, 3, 4, 5};
    constexpr std::array<std::size_t, 4> kIncomplete = {0, 1, 3, 4};
    datasets::write_annotations(table, rows, concepts,
                                incomplete_ ? std::span<const std::size_t>(kIncomplete)
                                            : std::span<const std::size_t>(kAll),
                                labels, out);
    sdk::write_split(out, sdk::stratified_split(labels, test_share_, context.seed()));

    const auto inputs =
        out.create<float>("inputs", {static_cast<std::int64_t>(rows.size()), shapes3d::kSide,
                                     shapes3d::kSide, shapes3d::kChannels});
    const auto write = [&inputs](std::size_t i, std::span<const std::uint8_t> numbers) {
      std::ranges::transform(numbers, inputs.begin() + i * kNumbers,
                             [](std::uint8_t v) { return static_cast<float>(v) / 255.0F; });
    };
    if (official)
      official->read(rows, [&](std::size_t i, std::span<const std::uint8_t> numbers) {
        datasets::tick(context, i, rows.size());
        write(i, numbers);
      });
    else
      draw(table, rows, context, write);
  }

 private:
  shapes3d::LabelRule rule() const {
    return label_rule_ == "leakage"          ? shapes3d::LabelRule::kLeakage
           : label_rule_ == "robust_metrics" ? shapes3d::LabelRule::kRobustMetrics
                                             : shapes3d::LabelRule::kMisspecified;
  }

  std::vector<std::int64_t> select(const datasets::FactorTable& table) const {
    if (grid_.whole_grid()) return datasets::rows_on_strides(table, grid_.strides);
    if (grid_.by_text())
      return datasets::select_rows_by_text(table, grid_.gamma, shapes3d::kDeciding,
                                           grid_.sets_seed);
    return shapes3d::select_rows(
        table, grid_.gamma, datasets::draw_conditional_sets(shapes3d::kSteps, grid_.sets_seed));
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

  datasets::GridParameters grid_;
  std::string label_rule_;
  bool incomplete_;
  double test_share_;
  std::string file_, images_key_, labels_key_;
};

}  // namespace

CONOSCOPE_DATASET(Shapes3d, "shapes3d", "1.0.0", R"toml(
summary = "3dshapes(gamma): objects of six known factors with concepts and a task; drawn here, or from the published file"
licence = "Apache-2.0"
citation = "Burgess & Kim, 3D Shapes Dataset, 2018; Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation, AAAI 2023, appendix A.6"
needs = []
offers = ["inputs", "labels", "concepts", "factors"]
seeded = true
)toml",
                  kParameters)
