// SPDX-License-Identifier: Apache-2.0
// An explanation that was found elsewhere and saved: ranked beside those that are fitted here. It
// knows one layer of one model, and no seed.

#include <optional>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "datasets/formats/read_array.h"
#include "datasets/precomputed/checks.h"
#include "numerics/whole_blocks.h"

namespace {

namespace sdk = conoscope::sdk;
namespace formats = conoscope::formats;

constexpr auto kParameters = sdk::parameters(
    sdk::file("cavs").help("concept activation vectors, concepts x D"),
    sdk::file("importance")
        .help("one for each row of cavs, with counts; or outputs x concepts, shared by all"),
    sdk::optional_file("counts").help("how many rows of cavs belong to each output, in order"),
    sdk::optional_file("mean").help("D: concept scores are <h - mean, psi>, not <h, psi>"),
    sdk::optional_file("psi").help(
        "concepts x D: what scores are products with, where that is not the concept itself"));

class Precomputed final : public sdk::Explainer, public sdk::Projection {
 public:
  explicit Precomputed(const sdk::ParamsOf<kParameters>& params)
      : cavs_(params.file("cavs")),
        importance_(params.file("importance")),
        counts_(params.file("counts")),
        mean_(params.file("mean")),
        psi_(params.file("psi")) {}

  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    const formats::Array cavs = formats::read_array(cavs_);
    const formats::Array importance = formats::read_array(importance_);
    std::optional<formats::Array> counts;
    if (!counts_.empty()) counts = formats::read_array(counts_);
    formats::Array weight;
    weight.shape = {head.outputs(), head.width()};
    weight.origin = "the head";
    const bool agnostic = conoscope::datasets::check_explanation(cavs, importance, counts, weight,
                                                                 head.width()) == "class_agnostic";
    const std::int64_t rows = cavs.shape[0];
    const sdk::Explanation explanation =
        agnostic ? out.class_agnostic(rows, head.outputs(), head.width())
                 : out.class_specific(formats::to_vector<std::int64_t>(*counts), head.width());
    formats::copy_to<double>(cavs, explanation.cavs);
    formats::copy_to<double>(importance, explanation.importance);
    pass_on("mean", mean_, {head.width()}, out);
    pass_on("psi", psi_, {rows, head.width()}, out);
  }

  void project(const sdk::ExplanationIn& explanation, std::int64_t output, const sdk::Tensor& rows,
               std::span<double> scores) override {
    const auto [first, last] = explanation.rows_of(output);
    const sdk::Matrix psi =
        sdk::to_matrix(explanation.has("psi") ? explanation.get("psi") : explanation.cavs())
            .middleRows(first, last - first);
    auto out = sdk::as_matrix(scores, rows.rows(), psi.rows());
    out = conoscope::numerics::product_by_whole_blocks<double>(sdk::to_matrix(rows), psi);
    if (explanation.has("mean")) {
      const Eigen::VectorXd shift = psi * sdk::to_matrix(explanation.get("mean"));
      out.rowwise() -= shift.transpose();
    }
  }

 private:
  static void pass_on(const char* name, const std::string& file,
                      const std::vector<std::int64_t>& shape, sdk::ExplanationOut& out) {
    if (file.empty()) return;
    const formats::Array array = formats::read_array(file);
    formats::check_finite(array, name);
    if (array.shape != shape)
      throw std::invalid_argument(array.origin + ": " + name + " is " + array.shape_text() +
                                  ", expected " + formats::shape_text(shape));
    formats::copy_to<double>(array, out.create<double>(name, shape));
  }

  std::string cavs_, importance_, counts_, mean_, psi_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Precomputed, "precomputed", "1.0.1", R"toml(
summary = "an explanation of your own, from files: concept activation vectors and their importance"
licence = "that of your files"
citation = ""
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
