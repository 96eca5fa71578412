// SPDX-License-Identifier: Apache-2.0
// Concept scores that the dataset brought with it, passed on as a concept view. A linear head that
// came with them answers interventions.

#include "conoscope/sdk/model.h"
#include "plugins/models/precomputed/concept_head.h"
#include "plugins/models/precomputed/copy_array.h"

namespace {

namespace sdk = conoscope::sdk;
using conoscope::models::copy_array;

class PrecomputedConcepts final : public sdk::Model, public sdk::Intervene {
 public:
  explicit PrecomputedConcepts(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    const sdk::Tensor scores = dataset.get("concept_scores");
    if (scores.dimensions() != 2 && scores.dimensions() != 3)
      throw std::invalid_argument("concept_scores: " + scores.shape_text() +
                                  ", expected n x k or n x k x w");
    const std::int64_t samples = scores.rows(), concepts = scores.shape(1);
    const std::int64_t width = scores.dimensions() == 3 ? scores.shape(2) : 1;
    context.check_cancelled();
    copy_array(scores, "concept_scores", {samples, concepts, width}, out);
    copy_array_of(dataset, "concept_probabilities", {samples, concepts}, out);
    for (const char* name : {"concept_active", "concept_inactive"})
      if (dataset.has(name)) copy_array_of(dataset, name, {samples, concepts, width}, out);
    if (!dataset.has("task_outputs")) return;
    const sdk::Tensor outputs = dataset.get("task_outputs");
    if (outputs.dimensions() != 2 || outputs.rows() != samples)
      throw std::invalid_argument("task_outputs: " + outputs.shape_text() + ", expected " +
                                  std::to_string(samples) + " x outputs");
    const std::int64_t answers = outputs.shape(1);
    copy_array(outputs, "task_outputs", {samples, answers}, out);
    if (dataset.has("reference_outputs"))
      copy_array_of(dataset, "reference_outputs", {samples, answers}, out);
    if (!dataset.has("concept_head_weight")) return;
    copy_array_of(dataset, "concept_head_weight", {answers, concepts * width}, out);
    copy_array_of(dataset, "concept_head_bias", {answers}, out);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context&,
                 std::span<double> outputs) override {
    std::vector<conoscope::models::HeadLayer> layers;
    if (model.has("concept_head_weight"))
      layers.push_back({sdk::to_matrix(model.get("concept_head_weight")),
                        sdk::to_matrix(model.get("concept_head_bias"))});
    conoscope::models::answer(layers, "", concepts, outputs);
  }

 private:
  static void copy_array_of(const sdk::Arrays& dataset, const std::string& name,
                            const std::vector<std::int64_t>& shape, sdk::Sink& out) {
    const sdk::Tensor from = dataset.get(name);
    bool fits = from.dimensions() == static_cast<int>(shape.size()) ||
                (from.dimensions() == 2 && shape.size() == 3 && shape[2] == 1);
    for (int axis = 0; fits && axis < from.dimensions(); ++axis)
      fits = from.shape(axis) == shape[static_cast<std::size_t>(axis)];
    if (!fits) {
      std::string expected;
      for (const std::int64_t side : shape)
        expected += (expected.empty() ? "" : " x ") + std::to_string(side);
      throw std::invalid_argument(name + ": " + from.shape_text() + ", expected " + expected);
    }
    copy_array(from, name, shape, out);
  }
};

}  // namespace

CONOSCOPE_MODEL(PrecomputedConcepts, "precomputed_concepts", "1.1.0", R"(
summary = "the concept view that the dataset brought with it"
licence = "Apache-2.0"
citation = ""
needs = ["concept_view"]
offers = ["concept_view"]
seeded = false
)")
