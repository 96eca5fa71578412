// SPDX-License-Identifier: Apache-2.0
// Concept whitening (Chen, Bei & Rudin, Nature Machine Intelligence 2020): the encoder's maps are
// whitened and then turned, so that each axis points to the samples of one concept.
//
//   x -> MapLayers -> conv 3x3 -> maps m, k of them (tables: Mlp -> k numbers)
//   a = Q Sigma^(-1/2) (m - mu)   mu, Sigma over samples and positions of the batch, and as running
//                                 means when it answers
//   Q: orthogonal; every `rotation_steps` steps it climbs
//      sum_j mean over samples with concept j of max_pool_mean(a_j), see rotate()
//
// representation   max_pool_mean: a_j's 2 x 2 max pool, mean over positions
//                  feature_map: all of a_j
//
// The head reads the representation and nothing else; or, with `maps`, the first k of so many whitened
// maps are the concepts', and the head reads all of them: relu(a)'s 2 x 2 max pool. Then both
// representations are told of one network, which does not depend on which is asked for.

#include <torch/torch.h>

#include <cmath>
#include <optional>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/cw/calibrate.h"
#include "plugins/models/cw/whitening.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

/// Inputs to k maps: n x k x height x width, 1 x 1 for tables.
class MapEncoder {
 public:
  MapEncoder(Weights& weights, const Tensor& training_inputs, const EncoderLayers& layers,
             std::int64_t maps)
      : standardise_(training_inputs) {
    layers.check_fits(training_inputs);
    if (training_inputs.dim() == 4) {
      below_.emplace(weights, "conv", training_inputs.size(1), layers);
      kernel_ = weights.matrix("maps.kernel", {maps, below_->channels(), 3, 3}, 1.0);
      return;
    }
    std::vector<std::int64_t> widths = {training_inputs.size(1)};
    widths.insert(widths.end(), layers.hidden.begin(), layers.hidden.end());
    widths.push_back(maps);
    connected_.emplace(weights, "connected", widths);
  }

  Tensor operator()(const Tensor& inputs, bool training) const {
    const Tensor x = standardise_(inputs);
    if (!below_) return (*connected_)(x).unsqueeze(2).unsqueeze(3);
    return torch::conv2d((*below_)(x, training), kernel_, {}, 1, 1);
  }

 private:
  Standardise standardise_;
  std::optional<MapLayers> below_;
  Tensor kernel_;
  std::optional<Mlp> connected_;
};

/// The mean of each row of `values` (n x ...) over the training samples whose concept is `there`.
Tensor mean_where(const Tensor& values, const ConceptData& data, std::int64_t concept_id,
                  bool there) {
  const Tensor has = data.concepts.index_select(0, data.train).select(1, concept_id).gt(0.5);
  const Tensor rows = data.train.masked_select(there ? has : has.logical_not());
  return values.index_select(0, rows).mean(0);
}

constexpr auto kParameters =
    sdk::parameters(sdk::text("representation", "max_pool_mean")
                        .choices({"max_pool_mean", "feature_map"})
                        .help("what the head reads of an axis: one number, or its whole map"),
                    sdk::integer("rotation_steps", 20)
                        .between(1, 1000000)
                        .help("training steps between two turns of the axes"),
                    sdk::integer("maps", 0).between(0, 4096).help(
                        "that are whitened, at least as many as concepts; published: 64, all of "
                        "which the head reads; 0: one for each concept, and the head reads the "
                        "representation"),
                    annotated_parameters(100, 128));

class ConceptWhitening final : public AnnotatedModel {
 public:
  explicit ConceptWhitening(const sdk::ParamsOf<kParameters>& params)
      : AnnotatedModel(params),
        feature_map_(params.text("representation") == "feature_map"),
        rotation_steps_(params.integer("rotation_steps")),
        maps_(params.integer("maps")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_data(dataset, context);
    check_varies(data);
    const std::int64_t concepts = data.concepts.size(1), maps = maps_ > 0 ? maps_ : concepts;
    if (maps < concepts)
      throw std::invalid_argument("cw: maps is " + std::to_string(maps) + ", but there are " +
                                  std::to_string(concepts) + " concepts, which need an axis each");
    const Tensor known = data.inputs.index_select(0, data.train);
    Weights below(context.seed().child("encoder")), above(context.seed().child("head"));
    const MapEncoder encoder(below, known, encoder_, maps);
    const Whitening whiten(below, maps);
    const auto axes = [&](const Tensor& inputs, bool training) {
      return whiten(encoder(inputs, training), training);
    };
    std::int64_t read = 0;  // how many numbers of a sample the head reads
    {
      const torch::NoGradGuard no_grad;
      read = read_by_head_of(encoder(known.slice(0, 0, 1), false), concepts).numel();
    }
    TaskHead head(above, read, head_, data.objective.outputs);
    const Rows rows = hold_out(data.train, options_, context.seed());

    const Loss loss = [&](const Tensor& batch, sdk::Random* random) {
      const Tensor a = axes(data.inputs.index_select(0, batch), random != nullptr);
      return data.objective.loss(head(read_by_head_of(a, concepts)), batch);
    };
    const sdk::Seed turns = context.seed().child("rotation");
    const auto after_step = [&](std::int64_t step) {
      if (step % rotation_steps_ == 0)
        whiten.rotate(concept_maps(data, rows.fitted, encoder, whiten,
                                   turns.child(static_cast<std::uint64_t>(step))));
    };
    optimise(below.with(above), loss, rows, options_, context, context.seed().child("joint"),
             {0.0, kModelShare}, after_step);
    head.restore_units(data.objective);

    const Tensor a = for_all(data.inputs, context, [&](const Tensor& x) {
                       return axes(x, false);
                     }).to(torch::kFloat64);
    ConceptTensors view = make_view(a, data, head);
    if (maps_ == 0) view.reference = reference_answers(data, context);
    report_accuracy("cw", data, view, /*annotated=*/true, context, out);
    write_concept_view(out, view);
    above.write(out);
  }

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context& context,
                 std::span<double> outputs) override {
    if (maps_ > 0)
      throw sdk::NotApplicable(
          "cw: with maps the head reads more than the concepts' axes, of which an edited sample "
          "says nothing");
    AnnotatedModel::intervene(model, concepts, context, outputs);
  }

 private:
  /// Of n x maps x height x width. The concepts' axes are the first.
  Tensor read_by_head_of(const Tensor& a, std::int64_t concepts) const {
    return maps_ > 0 ? pooled(a) : represented(a, concepts, feature_map_);
  }

  /// Whitened maps, before Q, of up to a batch of training samples of each concept.
  std::vector<Tensor> concept_maps(const ConceptData& data, const Tensor& rows,
                                   const MapEncoder& encoder, const Whitening& whiten,
                                   sdk::Seed seed) const {
    const torch::NoGradGuard no_grad;
    std::vector<Tensor> out;
    for (std::int64_t j = 0; j < data.concepts.size(1); ++j) {
      const Tensor has = data.concepts.index_select(0, rows).select(1, j).gt(0.5);
      const Tensor mine = rows.masked_select(has);
      if (mine.size(0) == 0) {  // none was left among the rows that are fitted
        out.emplace_back();
        continue;
      }
      const Tensor batch = shuffled(mine, seed.child(static_cast<std::uint64_t>(j)))
                               .slice(0, 0, std::min(mine.size(0), options_.batch_size));
      out.push_back(whiten.before_rotation(encoder(data.inputs.index_select(0, batch), false)));
    }
    return out;
  }

  static void check_varies(const ConceptData& data) {
    const Tensor share = data.concepts.index_select(0, data.train).mean(0);
    for (std::int64_t j = 0; j < share.size(0); ++j)
      if (const double there = share[j].item<double>(); there <= 0.0 || there >= 1.0)
        throw std::domain_error("concept " + std::to_string(j) + " is " +
                                (there > 0.5 ? "1" : "0") +
                                " in all training rows, so no axis can be turned to it");
  }

  ConceptTensors make_view(const Tensor& a, const ConceptData& data, const TaskHead& head) const {
    const torch::NoGradGuard no_grad;
    ConceptTensors view;
    const std::int64_t concepts = data.concepts.size(1);
    view.scores = represented(a, concepts, feature_map_);
    view.outputs = head.answer(read_by_head_of(a, concepts));
    view.probabilities =
        calibrated(max_pool_mean(a.slice(1, 0, concepts)), data.concepts, data.train);
    view.active = torch::empty_like(view.scores);
    view.inactive = torch::empty_like(view.scores);
    for (std::int64_t j = 0; j < view.scores.size(1); ++j) {
      const Tensor own = view.scores.select(1, j);
      view.active.select(1, j).copy_(mean_where(own, data, j, true).expand_as(own));
      view.inactive.select(1, j).copy_(mean_where(own, data, j, false).expand_as(own));
    }
    return view;
  }

  bool feature_map_;
  std::int64_t rotation_steps_, maps_;
};

}  // namespace

CONOSCOPE_MODEL(ConceptWhitening, "cw", "1.3.0", R"(
summary = "concept whitening: decorrelated axes, each turned to the samples of one concept"
licence = "Apache-2.0"
citation = "Chen, Bei & Rudin, Concept Whitening for Interpretable Image Recognition, Nature Machine Intelligence 2020; epochs, rate and rotation_steps as in Espinosa Zarlenga et al., AAAI 2023"
needs = ["inputs", "concepts"]
offers = ["concept_view"]
seeded = true
added = ["encoder", "resnet_blocks", "resnet_width", "maps", "concept_set"]
readouts = { representation = "maps" }
)",
                kParameters)
