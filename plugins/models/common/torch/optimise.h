// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "plugins/models/common/torch/weights.h"

namespace conoscope::models {

struct OptimiseOptions {
  std::string optimiser;  ///< adam, or sgd with a momentum of 0.9
  double learning_rate;
  bool one_cycle;  ///< the rate follows one_cycle(), and not the training loss
  std::int64_t epochs, batch_size;
  std::int64_t plateau;   ///< epochs without a lower training loss before the rate falls; 0: never
  std::int64_t patience;  ///< epochs without a lower validation loss before the end; 0: never
  double validation_share;
  bool shuffle = true;           ///< in another order every epoch, else in that of the rows
  bool plateau_on_epoch = true;  ///< its mean loss, else the loss of its last batch
  bool keep_best = true;         ///< the weights of the best validation loss, else the last
};

/// The parameters of read_optimise_options(), with these defaults.
constexpr auto optimise_parameters(std::int64_t epochs, std::int64_t batch_size) {
  return sdk::parameters(
      sdk::text("optimiser", "adam")
          .choices({"adam", "sgd"})
          .help("adam, or sgd with a momentum of 0.9"),
      sdk::real("learning_rate", 0.001)
          .between(1e-8, 10.0)
          .help("at the start, or of schedule = one_cycle at its highest"),
      sdk::text("schedule", "plateau")
          .choices({"plateau", "one_cycle"})
          .help(
              "plateau: the learning rate falls when the training loss no longer does; one_cycle: "
              "it rises over the first fifth of all steps, then falls to zero along a cosine"),
      sdk::integer("epochs", epochs)
          .between(1, 100000)
          .help("passes over the training split, at most"),
      sdk::integer("batch_size", batch_size).between(1, 65536).help("samples per step"),
      sdk::integer("plateau", 10)
          .between(0, 100000)
          .help("of schedule = plateau: epochs without a lower training loss before the learning "
                "rate falls to a tenth; 0: never"),
      sdk::integer("patience", 15)
          .between(0, 100000)
          .help(
              "epochs without a lower validation loss before training ends; 0: all epochs are run "
              "on all training rows"),
      sdk::real("validation_share", 0.1)
          .between(0.01, 0.9)
          .help("share of the training split that decides when to stop; not used when patience is "
                "0"));
}
inline constexpr auto kOptimiseParameters = optimise_parameters(1, 1);

/// How training loops differ that are otherwise the same: of models that follow a published one to the
/// letter.
inline constexpr auto kLoopParameters = sdk::parameters(
    sdk::boolean("shuffle", true).help("another order of the rows in every epoch"),
    sdk::text("plateau_on", "epoch")
        .choices({"epoch", "last_batch"})
        .help(
            "the training loss that plateau looks at: an epoch's mean, or that of its last batch"),
    sdk::text("keep", "best")
        .choices({"best", "last"})
        .help(
            "the weights that remain: of the epoch with the lowest validation loss, or the last"));

void read_loop_options(const sdk::ParamsOf<kLoopParameters>& params, OptimiseOptions& options);

OptimiseOptions read_optimise_options(const sdk::ParamsOf<kOptimiseParameters>& params);

/// The training rows that weights are fitted to, and those that decide when to stop.
struct Rows {
  Tensor fitted, validation;  ///< validation is undefined without early stopping
};

/// A share of the training rows, drawn from the seed, is kept aside when there is patience.
/// throws  std::invalid_argument: none would be left to fit to
Rows hold_out(const Tensor& train, const OptimiseOptions& options, sdk::Seed seed);

/// The mean loss of some rows of the dataset. random: what a training step may draw from; null
/// when the rows are only judged.
using Loss = std::function<Tensor(const Tensor& rows, sdk::Random* random)>;

/// The part of the whole work that one call is: for the progress.
struct Part {
  double from = 0.0, to = 1.0;
};

/// The share of the learning rate after a part of all steps, 0 to 1: up in a straight line over the
/// first fifth, then down to 0 along half a cosine. A rate too high to begin with so does its work in
/// between. After Smith & Topin, Super-Convergence, arXiv:1708.07120, without the cycle of momentum.
double one_cycle(double part);

/// Minimises the loss over mini-batches, in another order every epoch unless `shuffle` is false.
///
/// The learning rate falls to a tenth when the mean loss of an epoch (or the loss of its last batch) was
/// not below the best by one part in 10^4 for more than `plateau` epochs, or goes through one_cycle() in
/// `epochs` epochs. When the loss of the validation rows was not below its best for `patience` epochs,
/// training ends. With validation rows and `keep_best` the weights of the best epoch are what remains,
/// else those of the last.
///
/// after_step  called with the number of steps done, for what is not learnt by gradients
/// throws      std::domain_error: the loss is no longer finite. sdk::Cancelled
void optimise(Weights weights, const Loss& loss, const Rows& rows, const OptimiseOptions& options,
              const sdk::Context& context, sdk::Seed seed, Part part = {},
              const std::function<void(std::int64_t)>& after_step = {});

/// Minimises a loss of all rows at once until its gradient vanishes or nothing lowers it any more: for
/// small networks, whose optimum is asked for and not the result of some epochs. L-BFGS with Wolfe's
/// conditions, as in libtorch.
///
/// throws  sdk::Cancelled
void converge(const Weights& weights, const std::function<Tensor()>& loss,
              const sdk::Context& context);

}  // namespace conoscope::models
