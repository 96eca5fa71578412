// SPDX-License-Identifier: Apache-2.0
#pragma once

// What trained classifiers and regressors with a head view share: all of them but the layers below
// the head.

#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "plugins/models/common/torch/objective.h"

namespace conoscope::models {

/// The layers below the linear head.
class Trunk {
 public:
  virtual ~Trunk() = default;

  /// What the head reads: n x D, or maps n x D x h x w, of which it reads the mean.
  /// training  batch normalisation by the batch's own statistics
  virtual Tensor features(const Tensor& inputs, bool training) const = 0;
  /// The two parts of features() outside of training: inputs to the layer that the head view shows,
  /// n x D or n x D x h x w, and from there, in float64, to what the head reads. Of the last layer the
  /// first is all of it.
  virtual Tensor below(const Tensor& inputs) const { return features(inputs, false); }
  virtual Tensor above(const Tensor& layer) const { return layer; }
  virtual bool shows_last_layer() const { return true; }
  virtual std::int64_t width() const = 0;                 ///< of what the head reads
  virtual const char* pooling() const { return "mean"; }  ///< none when features() are n x D
  virtual std::vector<Tensor> trained() const = 0;
  /// What features() needs, as arrays `state.*`.
  virtual void write(sdk::Sink& out) const = 0;
};

/// What is to be learnt, and from which rows.
struct Lesson {
  Tensor inputs;
  Tensor train, test;
  Objective objective;

  Tensor training_inputs() const { return inputs.index_select(0, train); }
};

/// throws  as read_rows() and read_objective()
Lesson read_lesson(const sdk::Arrays& dataset, const Tensor& inputs);

struct ClassifierOptions {
  std::int64_t epochs, batch_size;
  double learning_rate, weight_decay;
  LossOptions loss;
};

/// The parameters of read_classifier_options(), with these defaults.
constexpr auto classifier_parameters(std::int64_t epochs, std::int64_t batch_size,
                                     double learning_rate, double weight_decay) {
  return sdk::parameters(
      sdk::integer("epochs", epochs).between(1, 10000).help("passes over the training split"),
      sdk::integer("batch_size", batch_size).between(1, 65536).help("samples per step"),
      sdk::real("learning_rate", learning_rate)
          .between(1e-8, 10.0)
          .help("of AdamW at the start; it falls to zero along a cosine"),
      sdk::real("weight_decay", weight_decay).between(0.0, 10.0).help("of AdamW"),
      sdk::real("label_smoothing", 0.0)
          .between(0.0, 0.99)
          .help("classes: the share of the label's probability that all classes share"),
      sdk::text("regression_loss", "squared")
          .choices({"squared", "absolute"})
          .help("of a number: of its distance to the target"));
}
inline constexpr auto kClassifierParameters = classifier_parameters(1, 1, 1e-3, 1e-4);

ClassifierOptions read_classifier_options(const sdk::ParamsOf<kClassifierParameters>& params);

/// Trains trunk and head by AdamW (Loshchilov & Hutter, ICLR 2019) with a learning rate that falls
/// to zero along a cosine, and writes the head view, the trunk's state and the score on the test
/// rows, which is also logged. Regression is learnt on standardised targets and answered in their
/// own units.
///
/// name    whose, in the log
/// throws  std::domain_error: the loss is no longer finite. sdk::Cancelled
void fit_classifier(const std::string& name, const Trunk& trunk, const Lesson& lesson,
                    const ClassifierOptions& options, const sdk::Context& context, sdk::Sink& out);

/// The body of Forward::forward(): n x P x D, row-major.
/// throws  std::invalid_argument: there is no room for exactly as many numbers
void answer_forward(const Trunk& trunk, const Tensor& inputs, const sdk::Context& context,
                    std::span<double> activations);

/// The body of ForwardGradient::forward_gradient(), in float32 as the forward call; images as
/// n x height x width x channels again.
/// throws  std::invalid_argument: cotangents are not n x P x D, or as answer_forward
void answer_forward_gradient(const Trunk& trunk, const Tensor& inputs,
                             const sdk::Tensor& cotangents, const sdk::Context& context,
                             std::span<double> gradients);

/// throws  std::invalid_argument: inputs have another number of columns or channels than the array
///         `state.mean` of the model. what: columns or channels
void check_width(const sdk::Arrays& model, const sdk::Tensor& inputs, std::int64_t width,
                 const std::string& what);

/// Images for a network that was trained on others: to_images() with as many channels as `state.mean`.
/// throws  as to_images() and check_width()
Tensor read_images(const sdk::Arrays& model, const sdk::Tensor& inputs);

}  // namespace conoscope::models
