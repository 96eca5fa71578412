// A model that was trained elsewhere: the dataset brought its activations and head, and this passes
// them on as a head view.

#include "conoscope/sdk/model.h"
#include "plugins/models/precomputed/copy_array.h"

namespace {

namespace sdk = conoscope::sdk;

using conoscope::models::copy_array;

class Precomputed final : public sdk::Model {
 public:
  explicit Precomputed(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    const sdk::Tensor activations = dataset.get("activations");
    const sdk::Tensor weight = dataset.get("head_weight"), bias = dataset.get("head_bias");
    if (activations.dimensions() != 2 && activations.dimensions() != 3)
      throw std::invalid_argument("activations: " + activations.shape_text() +
                                  ", expected n x P x D or n x D");
    const std::int64_t samples = activations.rows();
    const std::int64_t positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
    const std::int64_t width = activations.shape(activations.dimensions() - 1);

    const std::string pooling = dataset.text("pooling", positions > 1 ? "mean" : "none");
    const std::int64_t wanted = pooling == "flatten" ? positions * width : width;
    if (weight.dimensions() != 2 || weight.shape(1) != wanted)
      throw std::invalid_argument("head_weight: " + weight.shape_text() + ", expected outputs x " +
                                  std::to_string(wanted) + " for activations of " +
                                  activations.shape_text() + " with pooling = " + pooling);
    if (bias.dimensions() != 1 || bias.rows() != weight.rows())
      throw std::invalid_argument("head_bias: " + bias.shape_text() + ", expected " +
                                  std::to_string(weight.rows()));
    context.check_cancelled();

    copy_array(activations, "activations", {samples, positions, width}, out);
    copy_array(weight, "head_weight", {weight.rows(), wanted}, out);
    copy_array(bias, "head_bias", {weight.rows()}, out);
    out.text("pooling", pooling);
    out.text("output", dataset.text("output", "softmax"));
  }
};

}  // namespace

CONOSCOPE_MODEL(Precomputed, "precomputed", "1.0.0", R"(
summary = "the head view that the dataset brought with it"
licence = "Apache-2.0"
citation = ""
needs = ["head_view"]
offers = ["head_view"]
seeded = false
)")
