// SPDX-License-Identifier: Apache-2.0
// A model that was trained elsewhere: the dataset brought its activations and head, which are passed on
// as they are.

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

class Precomputed final : public sdk::Model {
 public:
  explicit Precomputed(const sdk::Params&) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor activations = dataset.get("activations");
    const sdk::Tensor weight = dataset.get("head_weight"), bias = dataset.get("head_bias");
    if (activations.dimensions() != 2 && activations.dimensions() != 3)
      throw std::invalid_argument("activations: " + activations.shape_text() +
                                  ", expected n x P x D or n x D");
    for (const sdk::Tensor* array : {&activations, &weight, &bias})
      if (const auto dtype = array->dtype();
          dtype != CONO_F16 && dtype != CONO_F32 && dtype != CONO_F64)
        throw std::invalid_argument(array->name() + ": dtype is " + sdk::dtype_name(dtype) +
                                    ", expected float16, float32 or float64");
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
passes_on = ["activations", "head_weight", "head_bias"]
seeded = false
)")
