// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/optimise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "plugins/models/common/torch/freed_memory.h"
#include "plugins/models/common/torch/joined_parameters.h"
#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

constexpr double kMomentum = 0.9, kFall = 0.1, kLower = 1e-4, kRise = 0.2;
constexpr std::int64_t kMostIterations = 2000;

std::unique_ptr<torch::optim::Optimizer> make_optimiser(const Tensor& parameters,
                                                        const OptimiseOptions& options) {
  const std::vector<Tensor> trained = {parameters};
  if (options.optimiser == "sgd")
    return std::make_unique<torch::optim::SGD>(
        trained, torch::optim::SGDOptions(options.learning_rate).momentum(kMomentum));
  return std::make_unique<torch::optim::Adam>(trained,
                                              torch::optim::AdamOptions(options.learning_rate));
}

void set_rate(torch::optim::Optimizer& optimiser, double rate) {
  for (auto& group : optimiser.param_groups()) {
    if (auto* adam = dynamic_cast<torch::optim::AdamOptions*>(&group.options()))
      adam->lr(rate);
    else
      dynamic_cast<torch::optim::SGDOptions&>(group.options()).lr(rate);
  }
}

/// Mean over rows, batch by batch.
double mean_loss(const Loss& loss, const Tensor& rows, std::int64_t batch_size) {
  const torch::NoGradGuard no_grad;
  double sum = 0.0;
  for (std::int64_t i = 0; i < rows.size(0); i += batch_size) {
    const Tensor batch = rows.slice(0, i, std::min(i + batch_size, rows.size(0)));
    sum += loss(batch, nullptr).item<double>() * static_cast<double>(batch.size(0));
  }
  return sum / static_cast<double>(rows.size(0));
}

/// Epochs in a row in which a loss did not go down.
struct Stagnation {
  double tolerance = 0.0, best = std::numeric_limits<double>::max();
  std::int64_t epochs = 0;

  bool improves(double loss) {
    const bool lower = loss < best - tolerance * std::abs(best);
    if (lower) best = loss;
    epochs = lower ? 0 : epochs + 1;
    return lower;
  }
};

}  // namespace

OptimiseOptions read_optimise_options(const sdk::ParamsOf<kOptimiseParameters>& params) {
  return {params.text("optimiser"),
          params.real("learning_rate"),
          params.text("schedule") == "one_cycle",
          params.integer("epochs"),
          params.integer("batch_size"),
          params.integer("plateau"),
          params.integer("patience"),
          params.real("validation_share")};
}

void read_loop_options(const sdk::ParamsOf<kLoopParameters>& params, OptimiseOptions& options) {
  options.shuffle = params.boolean("shuffle");
  options.plateau_on_epoch = params.text("plateau_on") == "epoch";
  options.keep_best = params.text("keep") == "best";
}

double one_cycle(double part) {
  return part < kRise ? part / kRise
                      : 0.5 * (1.0 + std::cos(M_PI * (part - kRise) / (1.0 - kRise)));
}

Rows hold_out(const Tensor& train, const OptimiseOptions& options, sdk::Seed seed) {
  if (options.patience == 0) return {train, {}};
  const std::int64_t rows = train.size(0);
  const auto kept =
      std::max<std::int64_t>(1, std::llround(options.validation_share * static_cast<double>(rows)));
  if (kept >= rows)
    throw std::invalid_argument("validation_share " + std::to_string(options.validation_share) +
                                " leaves none of " + std::to_string(rows) +
                                " training rows to fit to; patience = 0 needs none");
  const Tensor order = shuffled(train, seed.child("validation"));
  return {order.slice(0, kept), order.slice(0, 0, kept)};
}

void optimise(Weights weights, const Loss& loss, const Rows& rows, const OptimiseOptions& options,
              const sdk::Context& context, sdk::Seed seed, Part part,
              const std::function<void(std::int64_t)>& after_step) {
  keep_freed_memory();
  const Tensor parameters = joined_parameters(weights.trained());
  const auto optimiser = make_optimiser(parameters, options);
  double rate = options.learning_rate;
  Stagnation training{kLower}, validation{};
  std::vector<Tensor> best;
  std::int64_t epoch = 0, steps = 0;
  const double all_steps = static_cast<double>(
      options.epochs * ((rows.fitted.size(0) + options.batch_size - 1) / options.batch_size));
  while (epoch < options.epochs) {
    context.check_cancelled();
    const sdk::Seed own = seed.child("epoch").child(static_cast<std::uint64_t>(epoch));
    const Tensor order = options.shuffle ? shuffled(rows.fitted, own) : rows.fitted;
    sdk::Random random(own.child("draws"));
    double sum = 0.0, last = 0.0;
    for (std::int64_t i = 0; i < order.size(0); i += options.batch_size) {
      const Tensor batch = order.slice(0, i, std::min(i + options.batch_size, order.size(0)));
      if (options.one_cycle)
        set_rate(*optimiser,
                 options.learning_rate * one_cycle((static_cast<double>(steps) + 0.5) / all_steps));
      const Tensor value = loss(batch, &random);
      parameters.grad().zero_();
      value.backward();
      optimiser->step();
      last = value.item<double>();
      sum += last * static_cast<double>(batch.size(0));
      ++steps;
      if (after_step) after_step(steps);
    }
    const double mean = sum / static_cast<double>(order.size(0));
    check_loss(mean, epoch);
    ++epoch;
    context.progress(part.from + (part.to - part.from) * static_cast<double>(epoch) /
                                     static_cast<double>(options.epochs));
    if (!options.one_cycle && !training.improves(options.plateau_on_epoch ? mean : last) &&
        options.plateau > 0 && training.epochs > options.plateau) {
      rate *= kFall;
      training.epochs = 0;
      set_rate(*optimiser, rate);
    }
    if (!rows.validation.defined()) continue;
    if (validation.improves(mean_loss(loss, rows.validation, options.batch_size)) &&
        options.keep_best)
      best = weights.copy();
    if (validation.epochs >= options.patience) break;
  }
  if (!best.empty()) weights.restore(best);
  context.progress(part.to);
}

void converge(const Weights& weights, const std::function<Tensor()>& loss,
              const sdk::Context& context) {
  torch::optim::LBFGS optimiser(weights.trained(), torch::optim::LBFGSOptions(1.0)
                                                       .max_iter(kMostIterations)
                                                       .tolerance_grad(1e-7)
                                                       .tolerance_change(1e-9)
                                                       .line_search_fn("strong_wolfe"));
  optimiser.step([&] {
    context.check_cancelled();
    optimiser.zero_grad();
    const Tensor value = loss();
    value.backward();
    return value;
  });
}

}  // namespace conoscope::models
