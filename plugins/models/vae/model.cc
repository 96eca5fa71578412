// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/model.h"

#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "plugins/models/common/torch/freed_memory.h"
#include "plugins/models/common/torch/joined_parameters.h"
#include "plugins/models/vae/method.h"
#include "plugins/models/vae/network.h"

namespace conoscope::models {

namespace {

constexpr std::int64_t kPassBatch = 256;
constexpr std::int64_t kReports = 10;  ///< lines in the log, and a hundred steps of progress

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// Adam's steps, with what is told about them.
void optimise(const std::string& name, const VaeTraining& training, VaeMethod& method,
              double learning_rate, const sdk::Context& context) {
  keep_freed_memory();
  const Tensor parameters = joined_parameters(training.network.parameters());
  torch::optim::Adam optimiser(std::vector<Tensor>{parameters},
                               torch::optim::AdamOptions(learning_rate));
  RowStream rows(training.train, training.seed.child("rows"));
  const std::int64_t per_report = std::max<std::int64_t>(1, training.steps / kReports);
  const std::int64_t per_progress = std::max<std::int64_t>(1, training.steps / 100);
  double reconstruction = 0.0, kl = 0.0;
  std::int64_t since_report = 0;
  for (std::int64_t t = 0; t < training.steps; ++t) {
    context.check_cancelled();
    const VaeLoss loss = method.loss(training, rows.next(training.batch_size), t);
    if (!std::isfinite(loss.total.item<double>()))
      throw std::domain_error("the training loss is not finite at step " + std::to_string(t + 1) +
                              "; lower learning_rate");
    parameters.grad().zero_();
    loss.total.backward();
    optimiser.step();
    method.after_update(training);

    reconstruction += loss.reconstruction.item<double>();
    kl += loss.kl.item<double>();
    ++since_report;
    const std::int64_t done = t + 1;
    if (done % per_report == 0 || done == training.steps) {
      const auto steps = static_cast<double>(since_report);
      context.log(name + ": step " + std::to_string(done) + " of " +
                  std::to_string(training.steps) + ": reconstruction " +
                  number("%.4f", reconstruction / steps) + ", KL " + number("%.4f", kl / steps));
      reconstruction = kl = 0.0;
      since_report = 0;
    }
    if (done % per_progress == 0 || done == training.steps)
      context.progress(static_cast<double>(done) / static_cast<double>(training.steps));
  }
}

/// The latent view of all rows.
struct Codes {
  Tensor mean, log_variance, samples, reconstruction_losses;
};

Codes pass_all(const VaeTraining& training, const sdk::Context& context) {
  std::vector<Tensor> means, log_variances, samples, losses;
  for (std::int64_t i = 0; i < training.inputs.samples(); i += kPassBatch) {
    context.check_cancelled();
    const VaeTraining::Pass part = training.pass(
        torch::arange(i, std::min(i + kPassBatch, training.inputs.samples()), torch::kInt64));
    means.push_back(part.posterior.mean);
    log_variances.push_back(part.posterior.log_variance);
    samples.push_back(part.z);
    losses.push_back(part.reconstruction_losses);
  }
  return {torch::cat(means), torch::cat(log_variances), torch::cat(samples), torch::cat(losses)};
}

std::int64_t annotated_concepts(const sdk::Arrays& dataset) {
  const auto concepts = dataset.find("concepts");
  if (!concepts || concepts->dimensions() != 2)
    throw sdk::NotApplicable(
        "latents = 0 is as many as the dataset annotates concepts, and it annotates none");
  return concepts->shape(1);
}

}  // namespace

VaeModel::VaeModel(std::string name, const sdk::ParamsOf<kVaeParameters>& params,
                   std::shared_ptr<VaeMethod> method)
    : name_(std::move(name)),
      method_(std::move(method)),
      likelihood_(params.text("likelihood")),
      architecture_(params.text("architecture")),
      latents_(params.integer("latents")),
      codes_are_samples_(params.text("codes") == "sample"),
      hidden_(params.integer("hidden")),
      epochs_(params.integer("epochs")),
      steps_(params.integer("steps")),
      batch_size_(params.integer("batch_size")),
      learning_rate_(params.real("learning_rate")) {}

void VaeModel::fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) {
  make_repeatable();
  const sdk::Tensor array = dataset.get("inputs");
  const Tensor train = read_rows(dataset, "train_index", array.rows());
  const Tensor test = read_rows(dataset, "test_index", array.rows());
  const Likelihood likelihood =
      likelihood_ == "gaussian" ? Likelihood::kGaussian : Likelihood::kBernoulli;
  const VaeInputs inputs(array, likelihood, train);

  const std::int64_t latents = latents_ > 0 ? latents_ : annotated_concepts(dataset);
  const VaeNetwork network(spec_of(inputs.shape(), latents), context.seed().child("network"));

  const std::int64_t batch = std::min(batch_size_, train.size(0));
  const std::int64_t steps = steps_ > 0 ? steps_ : (epochs_ * train.size(0) + batch - 1) / batch;
  sdk::Random noise(context.seed().child("noise"));
  const VaeTraining training{dataset,    inputs,  network,
                             likelihood, train,   batch,
                             steps,      latents, context.seed().child("training"),
                             noise};
  method_->begin(training);
  optimise(name_, training, *method_, learning_rate_, context);

  const torch::NoGradGuard no_grad;
  const Codes all = pass_all(training, context);
  const auto of_test = [&test](const Tensor& rows) { return rows.index_select(0, test); };
  const Tensor kl = kl_divergence(of_test(all.mean), of_test(all.log_variance));
  context.log(
      name_ + ": on the test split reconstruction " +
      number("%.4f", of_test(all.reconstruction_losses).to(torch::kFloat64).mean().item<double>()) +
      ", KL " + number("%.4f", kl.item<double>()));
  write(out, "codes", codes_are_samples_ ? all.samples : all.mean);
  if (!codes_are_samples_) write(out, "codes_log_variance", all.log_variance);
  write(out, "reconstruction_loss", all.reconstruction_losses);
  std::vector<Tensor> parameters;
  for (const Tensor& one : network.decoder_parameters()) parameters.push_back(one.flatten());
  write(out, "decoder", torch::cat(parameters));
  const auto& sample = inputs.shape();
  std::ranges::copy(
      sample,
      out.create<std::int64_t>("sample_shape", {static_cast<std::int64_t>(sample.size())}).begin());
  write(out, "inputs_shift", inputs.shift());
  write(out, "inputs_unit", inputs.unit());
}

NetworkSpec VaeModel::spec_of(std::vector<std::int64_t> sample, std::int64_t latents) const {
  NetworkSpec spec{std::move(sample), VaeArchitecture::kDense, latents, hidden_};
  if (architecture_ == "chen_mlp")
    spec.architecture = VaeArchitecture::kChenMlp;
  else if (architecture_ == "convolutional" ||
           (architecture_ == "auto" && takes_convolutions(spec.sample)))
    spec.architecture = VaeArchitecture::kConvolutional;
  return spec;
}

void VaeModel::decode(const sdk::Arrays& model, const sdk::Tensor& codes,
                      const sdk::Context& /*context*/, std::span<double> inputs) {
  make_repeatable();
  const auto kept = model.find("decoder");
  if (!kept) throw sdk::NotApplicable("the model was fitted by a version that kept no decoder");
  const torch::NoGradGuard no_grad;
  const auto shape = model.get("sample_shape").values<const std::int64_t>();
  const VaeNetwork network(spec_of({shape.begin(), shape.end()}, codes.shape(1)), sdk::Seed(0));
  const Tensor parameters = to_torch(*kept);
  std::int64_t at = 0;
  for (Tensor one : network.decoder_parameters()) {
    one.copy_(parameters.slice(0, at, at + one.numel()).view(one.sizes()));
    at += one.numel();
  }
  Tensor x = network.decode(to_torch(codes));
  if (likelihood_ != "gaussian") x = torch::sigmoid(x);
  std::vector<std::int64_t> by_channel(static_cast<std::size_t>(x.dim()), 1);
  by_channel[1] = -1;
  x = x * to_torch(model.get("inputs_unit")).view(by_channel) +
      to_torch(model.get("inputs_shift")).view(by_channel);
  fill(inputs, "the decoded inputs", x.dim() == 4 ? x.permute({0, 2, 3, 1}).contiguous() : x);
}

}  // namespace conoscope::models
