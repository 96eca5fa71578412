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
  virtual std::int64_t width() const = 0;                 ///< D
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
};

/// From the parameters that CONOSCOPE_CLASSIFIER_PARAMETERS describes.
ClassifierOptions read_classifier_options(const sdk::Params& params);

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

/// throws  std::invalid_argument: inputs have another number of columns or channels than the array
///         `state.mean` of the model. what: columns or channels
void check_width(const sdk::Arrays& model, const sdk::Tensor& inputs, std::int64_t width,
                 const std::string& what);

/// Mean and standard deviation (1 where that is 0) of each column or channel, as 1 x d, or
/// 1 x channels x 1 x 1.
struct Spread {
  Tensor mean, scale;
};
Spread spread_of(const Tensor& inputs);

}  // namespace conoscope::models

/// The parameters of read_classifier_options(), for the metadata of a plugin; the arguments are
/// defaults.
#define CONOSCOPE_CLASSIFIER_PARAMETERS(epochs, batch_size, learning_rate, weight_decay) \
  "\n[parameters.epochs]\ntype = \"integer\"\ndefault = " #epochs                        \
  "\nmin = 1\nmax = 10000\nhelp = \"passes over the training split\"\n"                  \
  "\n[parameters.batch_size]\ntype = \"integer\"\ndefault = " #batch_size                \
  "\nmin = 1\nmax = 65536\nhelp = \"samples per step\"\n"                                \
  "\n[parameters.learning_rate]\ntype = \"real\"\ndefault = " #learning_rate             \
  "\nmin = 1e-8\nmax = 10.0\n"                                                           \
  "help = \"of AdamW at the start; it falls to zero along a cosine\"\n"                  \
  "\n[parameters.weight_decay]\ntype = \"real\"\ndefault = " #weight_decay               \
  "\nmin = 0.0\nmax = 10.0\nhelp = \"of AdamW\"\n"
