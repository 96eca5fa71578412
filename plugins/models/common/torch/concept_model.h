// SPDX-License-Identifier: Apache-2.0
#pragma once

// What models with a concept view share: the data they are trained on, the head above the
// concepts, and how both are written and asked again.

#include <functional>
#include <string>
#include <vector>

#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/networks.h"
#include "plugins/models/common/torch/objective.h"
#include "plugins/models/common/torch/optimise.h"

namespace conoscope::models {

struct ConceptData {
  Tensor inputs;    ///< n x d, or n x channels x height x width
  Tensor concepts;  ///< n x k, 0 and 1; undefined when none are needed
  Tensor train, test;
  Objective objective;

  std::int64_t samples() const { return inputs.size(0); }
  /// Those in neither part of the split, ascending: a dataset's own rows to validate on.
  Tensor unused() const;
};

/// throws  sdk::NotApplicable: inputs neither n x d nor images; concepts that are not 0 and 1
///         std::invalid_argument: an array that is missing, empty or does not fit; see
///         check_fits_float32()
ConceptData read_concept_data(const sdk::Arrays& dataset, bool concepts_needed);

/// The parameter of read_annotated_data().
inline constexpr auto kConceptSetParameters = sdk::parameters(
    sdk::text("concept_set", "annotated")
        .choices({"annotated", "random"})
        .help("random, a control: each concept's annotations are dealt anew to the samples, so that "
              "the concepts keep their frequencies and mean nothing"));

/// read_concept_data() of a model that learns annotated concepts, or, with concept_set = random, others in
/// their place: a bottleneck of which is as good at its task does not owe that to its concepts. As a
/// control after arXiv 2603.05629.
ConceptData read_annotated_data(const sdk::Arrays& dataset, const std::string& concept_set,
                                sdk::Seed seed);

/// The parameters of TaskHead::read_layers().
inline constexpr auto kHeadParameters = sdk::parameters(
    sdk::text("head", "linear").choices({"linear", "mlp"}).help("concepts to task outputs"),
    sdk::integers("head_hidden", {64, 64})
        .between(1, 4096)
        .not_empty()
        .help("units of the hidden layers of head = mlp"));

/// The parameters of read_encoder_layers().
inline constexpr auto kEncoderParameters = sdk::parameters(
    sdk::text("encoder", "convolutions")
        .choices({"convolutions", "resnet"})
        .help("images: a small convolutional network, or a residual one"),
    sdk::integers("channels", {8, 16, 32, 64})
        .between(1, 4096)
        .not_empty()
        .help("of encoder = convolutions, images: output channels of each 3 x 3 convolution"),
    sdk::integers("hidden", {64, 64})
        .between(1, 4096)
        .not_empty()
        .help("units of the encoder's fully connected hidden layers (encoder = convolutions); of "
              "senn, of its decoder's with either encoder"),
    sdk::integers("resnet_blocks", {2, 2, 2, 2})
        .between(1, 64)
        .count_between(1, 6)
        .help("of encoder = resnet: blocks of two convolutions in each stage; 2, 2, 2, 2 is "
              "ResNet-18"),
    sdk::integer("resnet_width", 64)
        .between(1, 1024)
        .help("of encoder = resnet: channels of the first stage; each stage has twice as many as "
              "the one before, at half the resolution"));

EncoderLayers read_encoder_layers(const sdk::ParamsOf<kEncoderParameters>& params);

/// Concepts to task outputs: n x (k * w) -> n x C.
class TaskHead {
 public:
  struct Layers {
    bool mlp;
    std::vector<std::int64_t> hidden;  ///< mlp only
  };
  static Layers read_layers(const sdk::ParamsOf<kHeadParameters>& params);

  TaskHead(Weights& weights, std::int64_t inputs, const Layers& layers, std::int64_t outputs);

  Tensor operator()(const Tensor& concepts) const { return mlp_(concepts.flatten(1)); }

  /// Regression was learnt on standardised targets; this folds their units into the last layer.
  void restore_units(const Objective& objective);
  /// What intervene() will compute from the written weights: in double precision.
  Tensor answer(const Tensor& concepts) const;

 private:
  Mlp mlp_;
};

/// The share of the work that trains the model; the rest trains the reference.
inline constexpr double kModelShare = 15.0 / 16.0;

/// All rows of the dataset, in double precision; see abi.h.
struct ConceptTensors {
  Tensor scores;            ///< n x k x w
  Tensor probabilities;     ///< n x k
  Tensor outputs;           ///< n x C
  Tensor reference;         ///< n x C; undefined where no head can be trained on the annotations
  Tensor active, inactive;  ///< n x k x w; undefined where concepts have no two values
};

void write_concept_view(sdk::Sink& out, const ConceptTensors& view);

/// Logs and writes the task's score on the test split (see Objective) and, where probabilities
/// belong to annotated concepts, `test_concept_accuracy`: over samples and concepts, at 0.5.
void report_accuracy(const std::string& name, const ConceptData& data, const ConceptTensors& view,
                     bool annotated, const sdk::Context& context, sdk::Sink& out);

/// The body of Intervene::intervene(): checks shapes, then f(m x k x w) -> m x C, all in double.
/// throws  std::invalid_argument: concepts of another k or w than the model's, no room for outputs
void answer_intervention(const sdk::Arrays& model, const sdk::Tensor& concepts,
                         std::span<double> outputs,
                         const std::function<Tensor(const Tensor& concepts)>& f);

/// The parameters of AnnotatedModel, with these defaults.
constexpr auto annotated_parameters(std::int64_t epochs, std::int64_t batch_size) {
  return sdk::parameters(kEncoderParameters, kHeadParameters,
                         optimise_parameters(epochs, batch_size), kConceptSetParameters);
}
inline constexpr auto kAnnotatedParameters = annotated_parameters(1, 1);

/// What models share that learn annotated concepts and read them with a TaskHead.
class AnnotatedModel : public sdk::Model, public sdk::Intervene {
 public:
  explicit AnnotatedModel(const sdk::ParamsOf<kAnnotatedParameters>& params);

  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Context& context,
                 std::span<double> outputs) override;

 protected:
  /// What the head is given of edited concepts, m x k x w.
  virtual Tensor read_by_head(const Tensor& edited) const { return edited; }

  /// The reference of S_int: what a head of the model's kind answers for the annotated concepts, n x
  /// C, that was trained by itself on them in the training rows until its loss fell no further, however
  /// long and fast the model was trained. It starts from the first weights of the model's own head.
  Tensor reference_answers(const ConceptData& data, const sdk::Context& context) const;

  ConceptData read_data(const sdk::Arrays& dataset, const sdk::Context& context) const {
    return read_annotated_data(dataset, concept_set_, context.seed());
  }

  EncoderLayers encoder_;
  const std::string concept_set_;
  const TaskHead::Layers head_;
  OptimiseOptions options_;
  Initialisation initialisation_ = Initialisation::kHe;
};

}  // namespace conoscope::models
