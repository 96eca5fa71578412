// Concept scores that the dataset brought with it, passed on as a concept view.

#include "conoscope/sdk/model.h"
#include "plugins/models/precomputed/pass_on.h"

namespace {

namespace sdk = conoscope::sdk;
using conoscope::models::pass_on;

class PrecomputedConcepts final : public sdk::Model {
 public:
  explicit PrecomputedConcepts(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    const sdk::Tensor scores = dataset.get("concept_scores");
    if (scores.dimensions() != 2 && scores.dimensions() != 3)
      throw std::invalid_argument("concept_scores: " + scores.shape_text() +
                                  ", expected n x k or n x k x w");
    const std::int64_t samples = scores.rows(), concepts = scores.shape(1);
    const std::int64_t width = scores.dimensions() == 3 ? scores.shape(2) : 1;
    const sdk::Tensor probabilities = dataset.get("concept_probabilities");
    if (probabilities.dimensions() != 2 || probabilities.rows() != samples ||
        probabilities.shape(1) != concepts)
      throw std::invalid_argument("concept_probabilities: " + probabilities.shape_text() +
                                  ", expected " + std::to_string(samples) + " x " +
                                  std::to_string(concepts) + " as concept_scores");
    context.check_cancelled();
    pass_on(scores, "concept_scores", {samples, concepts, width}, out);
    pass_on(probabilities, "concept_probabilities", {samples, concepts}, out);
    if (!dataset.has("task_outputs")) return;
    const sdk::Tensor outputs = dataset.get("task_outputs");
    if (outputs.dimensions() != 2 || outputs.rows() != samples)
      throw std::invalid_argument("task_outputs: " + outputs.shape_text() + ", expected " +
                                  std::to_string(samples) + " x outputs");
    pass_on(outputs, "task_outputs", {samples, outputs.shape(1)}, out);
  }
};

}  // namespace

CONOSCOPE_MODEL(PrecomputedConcepts, "precomputed_concepts", "1.0.0", R"(
summary = "the concept view that the dataset brought with it"
licence = "Apache-2.0"
citation = ""
needs = ["concept_view"]
offers = ["concept_view"]
seeded = false
)")
