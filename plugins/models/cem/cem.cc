// SPDX-License-Identifier: Apache-2.0
// Concept embedding models (Espinosa Zarlenga et al., NeurIPS 2022): a concept is a vector, mixed
// from one that says it is there and one that says it is not.
//
//   x -> encoder -> z;   c+_i, c-_i = leaky_relu(linear_i(z));   p_i = sigmoid(s([c+_i, c-_i]))
//   w_i = p_i c+_i + (1 - p_i) c-_i;   [w_1 ... w_k] -> head -> task
//
// An intervention writes c+_i or c-_i for w_i. In training p_i is replaced by the annotated concept
// with probability p_int (RandInt), so that the head learns to read what interventions write.

#include <torch/torch.h>

#include <cmath>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

struct Embeddings {
  Tensor positive, negative;  ///< n x k x w
  Tensor logits;              ///< n x k

  /// By probabilities, n x k.
  Tensor mixed(const Tensor& p) const {
    return p.unsqueeze(2) * positive + (1.0 - p).unsqueeze(2) * negative;
  }
  Embeddings in_double() const {
    return {positive.to(torch::kFloat64), negative.to(torch::kFloat64), logits.to(torch::kFloat64)};
  }
};

/// The vector z of a sample to its concepts' embeddings.
class Embedder {
 public:
  Embedder(Weights& weights, std::int64_t from, std::int64_t concepts, std::int64_t width,
           bool shared_score)
      : concepts_(concepts),
        width_(width),
        embed_(weights, "embed", from, concepts * 2 * width, std::sqrt(2.0)),
        score_(weights.matrix("score.weight", {shared_score ? 1 : concepts, 2 * width}, 1.0)),
        score_bias_(weights.vector("score.bias", shared_score ? 1 : concepts, 0.0F)) {}

  Embeddings operator()(const Tensor& z) const {
    const Tensor both =
        torch::leaky_relu(embed_(torch::leaky_relu(z))).view({-1, concepts_, 2 * width_});
    return {both.slice(2, 0, width_), both.slice(2, width_), (both * score_).sum(2) + score_bias_};
  }

 private:
  std::int64_t concepts_, width_;
  Linear embed_;  ///< all linear_i side by side
  Tensor score_, score_bias_;
};

constexpr auto kParameters = sdk::parameters(
    sdk::integer("embedding_size", 16).between(1, 1024).help("numbers per concept, w"),
    sdk::integer("latent", 64)
        .between(1, 4096)
        .help("width of the encoder's output, from which all embeddings are made"),
    sdk::real("p_int", 0.25)
        .between(0.0, 1.0)
        .help("probability with which training tells the annotated concept instead of the "
              "predicted one"),
    sdk::text("p_int_mask", "batch")
        .choices({"batch", "sample"})
        .help("whether the concepts to replace are drawn once per batch or once per sample"),
    sdk::text("score_function", "shared")
        .choices({"shared", "own"})
        .help("the linear map from a concept's two embeddings to its probability: one for all "
              "concepts, or one for each"),
    sdk::real("concept_weight", 1.0)
        .between(0.0, 1e6)
        .help("lambda: the concept loss counts that many times"),
    annotated_parameters(200, 512));

class Cem final : public AnnotatedModel {
 public:
  explicit Cem(const sdk::ParamsOf<kParameters>& params)
      : AnnotatedModel(params),
        width_(params.integer("embedding_size")),
        latent_(params.integer("latent")),
        p_int_(params.real("p_int")),
        mask_per_batch_(params.text("p_int_mask") == "batch"),
        shared_score_(params.text("score_function") == "shared"),
        concept_weight_(params.real("concept_weight")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_data(dataset, context);
    const std::int64_t concepts = data.concepts.size(1);
    Weights below(context.seed().child("encoder")), above(context.seed().child("head"));
    const Encoder encoder(below, "encoder", data.inputs.index_select(0, data.train), encoder_,
                          latent_);
    const Embedder embedder(below, latent_, concepts, width_, shared_score_);
    TaskHead head(above, concepts * width_, head_, data.objective.outputs);

    const Loss loss = [&](const Tensor& batch, sdk::Random* random) {
      const Embeddings found =
          embedder(encoder(data.inputs.index_select(0, batch), random != nullptr));
      const Tensor truth = data.concepts.index_select(0, batch);
      Tensor p = torch::sigmoid(found.logits);
      if (random != nullptr) {
        const Tensor told = mask(batch.size(0), concepts, *random);
        p = told * truth + (1.0 - told) * p;
      }
      return data.objective.loss(head(found.mixed(p)), batch) +
             concept_weight_ * torch::binary_cross_entropy_with_logits(found.logits, truth);
    };
    const Rows rows = hold_out(data.train, options_, context.seed());
    optimise(below.with(above), loss, rows, options_, context, context.seed().child("joint"),
             {0.0, kModelShare});
    head.restore_units(data.objective);

    ConceptTensors view = make_view(data.inputs, encoder, embedder, head, context);
    view.reference = reference_answers(data, context);
    report_accuracy("cem", data, view, /*annotated=*/true, context, out);
    write_concept_view(out, view);
    above.write(out);
  }

 private:
  /// 1 where training tells the annotated concept: one draw per concept for the whole batch, or
  /// for each sample.
  Tensor mask(std::int64_t samples, std::int64_t concepts, sdk::Random& random) const {
    Tensor told = torch::empty({mask_per_batch_ ? 1 : samples, concepts}, torch::kFloat32);
    float* const values = told.data_ptr<float>();
    for (std::int64_t i = 0; i < told.numel(); ++i)
      values[i] = random.uniform() < p_int_ ? 1.0F : 0.0F;
    return told;
  }

  static ConceptTensors make_view(const Tensor& inputs, const Encoder& encoder,
                                  const Embedder& embedder, const TaskHead& head,
                                  const sdk::Context& context) {
    const torch::NoGradGuard no_grad;
    const Tensor z = for_all(inputs, context, [&](const Tensor& x) { return encoder(x, false); });
    const Embeddings found = embedder(z).in_double();
    ConceptTensors view;
    view.probabilities = torch::sigmoid(found.logits);
    view.scores = found.mixed(view.probabilities);
    view.outputs = head.answer(view.scores);
    view.active = found.positive;
    view.inactive = found.negative;
    return view;
  }

  std::int64_t width_, latent_;
  double p_int_;
  bool mask_per_batch_, shared_score_;
  double concept_weight_;
};

}  // namespace

CONOSCOPE_MODEL(Cem, "cem", "1.3.0", R"(
summary = "concept embedding model: every concept a vector, mixed from one for its presence and one for its absence"
licence = "Apache-2.0"
citation = "Espinosa Zarlenga et al., Concept Embedding Models, NeurIPS 2022; defaults as in Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025"
needs = ["inputs", "concepts"]
offers = ["concept_view"]
seeded = true
added = ["encoder", "resnet_blocks", "resnet_width", "concept_set"]
)",
                kParameters)
