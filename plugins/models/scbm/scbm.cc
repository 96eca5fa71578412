// SPDX-License-Identifier: Apache-2.0
// Stochastic concept bottleneck models (Vandenhirtz et al., NeurIPS 2024): the logits of a sample's concepts
// are normal, with covariances, so that telling one concept moves the others.
//
//   x -> encoder -> z;   eta ~ N(mean(z), L L^T);   c_k = [u_k < sigmoid(eta_k)];   c -> linear head -> task
//
// covariance   amortised: L is read from z    global: one L for all samples
// training     Monte Carlo samples, through straight-through relaxed Bernoulli draws
// answers      the mean over samples; told concepts are 0 and 1, the logits of the others are drawn from what
//              they are given those of the told

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/model.h"
#include "plugins/models/common/torch/concept_model.h"
#include "plugins/models/common/torch/optimise.h"
#include "plugins/models/common/torch/training.h"
#include "plugins/models/scbm/losses.h"
#include "plugins/models/scbm/told_logits.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

// What told = logit writes, as probabilities, and told = percentiles, over the training split.
constexpr double kLow = 0.05, kHigh = 0.95;

constexpr auto kParameters = sdk::parameters(
    sdk::text("covariance", "amortised")
        .choices({"amortised", "global"})
        .help("of the concepts' logits: each sample's own, or one for all"),
    sdk::integer("samples", 100)
        .between(1, 10000)
        .help("Monte Carlo samples, in training and after it"),
    sdk::integer("latent", 64)
        .between(1, 4096)
        .help("width of the encoder's output, from which means and covariances are made; ours"),
    sdk::real("concept_weight", 1.0)
        .between(0.0, 1e6)
        .help("the concept loss counts that many times"),
    sdk::real("precision_weight", 1.0)
        .between(0.0, 1e6)
        .help("of covariance = amortised: times the mean absolute entry of the inverse covariance "
              "beside its diagonal"),
    sdk::text("told", "region")
        .choices({"region", "logit", "percentiles"})
        .help("logits of told concepts: of least cross entropy within a confidence region; of 0.05 "
              "and 0.95; or "
              "training percentiles"),
    sdk::real("level", 0.99)
        .between(0.01, 0.999999)
        .help("of told = region: how much of the distribution it holds"),
    kEncoderParameters, optimise_parameters(200, 512), kConceptSetParameters);

Matrix in_eigen(const Tensor& tensor) {
  const Tensor values = tensor.to(torch::kFloat64).contiguous();
  const std::int64_t rows = values.size(0), cols = rows > 0 ? values.numel() / rows : 0;
  return Eigen::Map<const Matrix>(values.data_ptr<double>(), rows, cols);
}

void put(sdk::Sink& out, const std::string& name, const Matrix& values,
         const std::vector<std::int64_t>& shape) {
  sdk::as_matrix(out.create<double>(name, shape), values.rows(), values.cols()) = values;
}

/// Where the covariance of a row comes from: raw = weight z + bias, or of a global one the bias alone.
struct Covariance {
  Matrix weight;  ///< K (K + 1) / 2 x latent; empty: global
  Vector bias;

  Matrix factor(const conoscope::numerics::VectorRef& z, Index concepts) const {
    if (weight.size() == 0) return covariance_factor(bias, concepts);
    return covariance_factor(Vector(weight.lazyProduct(z) + bias), concepts);
  }
};

/// The rows that a model was fitted on, by what it says of their concepts.
class OwnRows {
 public:
  explicit OwnRows(const Matrix& scores) : scores_(scores), columns_(scores.cols()) {}

  /// The first row that has these scores of the concepts that were not told; none: -1.
  Index find(const Matrix& edited, const Matrix& told, Index row) {
    Index first = 0;
    while (told(row, first) != 0.0) ++first;
    const auto& places = column(first);
    const auto found = places.find(edited(row, first));
    if (found == places.end()) return -1;
    for (const Index candidate : found->second) {
      bool same = true;
      for (Index j = first; same && j < scores_.cols(); ++j)
        same = told(row, j) != 0.0 || edited(row, j) == scores_(candidate, j);
      if (same) return candidate;
    }
    return -1;
  }

 private:
  using Places = std::unordered_map<double, std::vector<Index>>;
  const Places& column(Index j) {
    auto& places = columns_[static_cast<std::size_t>(j)];
    if (!places) {
      places.emplace();
      for (Index i = 0; i < scores_.rows(); ++i) (*places)[scores_(i, j)].push_back(i);
    }
    return *places;
  }

  const Matrix& scores_;
  std::vector<std::optional<Places>> columns_;
};

class Scbm final : public sdk::Model, public sdk::InterveneTold {
 public:
  explicit Scbm(const sdk::ParamsOf<kParameters>& params)
      : amortised_(params.text("covariance") == "amortised"),
        samples_(params.integer("samples")),
        latent_(params.integer("latent")),
        concept_weight_(params.real("concept_weight")),
        precision_weight_(params.real("precision_weight")),
        told_(params.text("told")),
        level_(params.real("level")),
        encoder_(read_encoder_layers(params)),
        concept_set_(params.text("concept_set")),
        options_(read_optimise_options(params)) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context& context, sdk::Sink& out) override {
    make_repeatable();
    const ConceptData data = read_annotated_data(dataset, concept_set_, context.seed());
    const std::int64_t k = data.concepts.size(1), entries = k * (k + 1) / 2;
    Weights weights(context.seed().child("model"));
    const Encoder encoder(weights, "encoder", data.inputs.index_select(0, data.train), encoder_,
                          latent_);
    const Linear mean(weights, "mean", latent_, k),
        head(weights, "head", k, data.objective.outputs);
    std::optional<Linear> covariance;
    Tensor raw;
    if (amortised_) {
      covariance.emplace(weights, "covariance", latent_, entries, kFirstCovariance);
    } else {
      raw = weights.vector("covariance", entries, 0.0F);
      const Vector first =
          empirical_covariance(in_eigen(data.concepts.index_select(0, data.train))).raw;
      const torch::NoGradGuard no_grad;
      for (Index i = 0; i < first.size(); ++i) raw[i] = first(i);
    }

    const auto encode = [&](const Tensor& inputs, bool training) {
      return torch::leaky_relu(encoder(inputs, training));
    };
    double temperature = 1.0;
    const Loss loss = [&](const Tensor& batch, sdk::Random* of_step) {
      sdk::Random of_validation(context.seed().child("validation draws"));
      sdk::Random& random = of_step != nullptr ? *of_step : of_validation;
      const Tensor z = encode(data.inputs.index_select(0, batch), of_step != nullptr);
      const Tensor factors = covariance_factors(
          amortised_ ? (*covariance)(z) : raw.unsqueeze(0).expand({batch.size(0), entries}), k);
      const Tensor noise = normal_noise({batch.size(0), samples_, k}, random);
      const Tensor eta = mean(z).unsqueeze(1) + torch::matmul(noise, factors.transpose(1, 2));
      const Tensor soft =
          torch::sigmoid((eta + logistic_noise(eta.sizes().vec(), random)) / temperature);
      const Tensor drawn = soft.gt(0.5).to(soft.dtype()) - soft.detach() + soft;
      Tensor total = task_loss(head(drawn.flatten(0, 1)).view({batch.size(0), samples_, -1}),
                               data.objective, batch) +
                     concept_weight_ * sampled_concept_loss(torch::sigmoid(eta).transpose(1, 2),
                                                            data.concepts.index_select(0, batch));
      if (amortised_) total = total + precision_weight_ * precision_penalty(factors);
      return total;
    };
    const Rows rows = hold_out(data.train, options_, context.seed());
    const std::int64_t steps_of_epoch =
        (rows.fitted.size(0) + options_.batch_size - 1) / options_.batch_size;
    optimise(weights, loss, rows, options_, context, context.seed().child("joint"), {0.0, 0.9},
             [&](std::int64_t steps) {
               temperature = gumbel_temperature(static_cast<double>(steps / steps_of_epoch),
                                                static_cast<double>(options_.epochs));
             });

    const torch::NoGradGuard no_grad;
    Tensor weight = head.weight.clone(), bias = head.bias.clone();
    data.objective.restore_units(weight, bias);
    SampledHead sampled = draws(context.seed(), k);
    sampled.weight = in_eigen(weight);
    sampled.bias = in_eigen(bias).col(0);
    sampled.output = output_of(data.objective.output());
    const Matrix z =
        in_eigen(for_all(data.inputs, context, [&](const Tensor& x) { return encode(x, false); }));
    Matrix means = z * in_eigen(mean.weight).transpose();
    means.rowwise() += in_eigen(mean.bias).col(0).transpose();
    Covariance of_rows;
    if (amortised_)
      of_rows = {in_eigen(covariance->weight), in_eigen(covariance->bias).col(0)};
    else
      of_rows.bias = in_eigen(raw).col(0);

    Matrix p(z.rows(), k), outputs(z.rows(), sampled.weight.rows());
    for (Index i = 0; i < z.rows(); ++i) {
      if (i % 256 == 0) context.check_cancelled();
      const Matrix factor = of_rows.factor(z.row(i).transpose(), k);
      p.row(i) = sampled.probabilities(means.row(i).transpose(), factor).transpose();
      outputs.row(i) = sampled.answer(means.row(i).transpose(), factor).transpose();
    }
    ConceptTensors view;
    view.probabilities = torch::from_blob(p.data(), {p.rows(), p.cols()}, torch::kFloat64);
    view.scores = view.probabilities.unsqueeze(2);
    view.outputs =
        torch::from_blob(outputs.data(), {outputs.rows(), outputs.cols()}, torch::kFloat64);
    view.active = torch::ones_like(view.scores);
    view.inactive = torch::zeros_like(view.scores);
    report_accuracy("scbm", data, view, /*annotated=*/true, context, out);
    write_concept_view(out, view);

    const Tensor known = torch::from_blob(means.data(), {means.rows(), k}, torch::kFloat64)
                             .index_select(0, data.train);
    Matrix percentiles(2, k);
    percentiles << in_eigen(torch::quantile(known, kLow, 0)).reshaped().transpose(),
        in_eigen(torch::quantile(known, kHigh, 0)).reshaped().transpose();
    put(out, "logit_mean", means, {means.rows(), k});
    put(out, "logit_percentiles", percentiles, {2, k});
    if (amortised_) {
      put(out, "encoded", z, {z.rows(), latent_});
      put(out, "covariance_weight", of_rows.weight, {entries, latent_});
    }
    put(out, "covariance_bias", of_rows.bias, {entries});
    put(out, "task_weight", sampled.weight, {sampled.weight.rows(), k});
    put(out, "task_bias", sampled.bias, {sampled.weight.rows()});
    put(out, "noise", sampled.noise, {samples_, k});
    put(out, "chance", sampled.chance, {samples_, k});
    out.text("answers", data.objective.output());
    context.progress(1.0);
  }

  /// A row is found again by its scores of the concepts that were not told, which are the model's own to
  /// the last bit. Where all are told, nothing is left to be found.
  void intervene(const sdk::Arrays& model, const sdk::Tensor& concepts, const sdk::Tensor& told,
                 const sdk::Context& context, std::span<double> outputs) override {
    const Matrix scores = sdk::to_matrix(model.get("concept_scores")),
                 means = sdk::to_matrix(model.get("logit_mean"));
    const Matrix edited = sdk::to_matrix(concepts), mask = sdk::to_matrix(told);
    const Index k = scores.cols();
    if (concepts.dimensions() != 3 || edited.cols() != k || mask.cols() != k ||
        mask.rows() != edited.rows())
      throw std::invalid_argument("concepts: " + concepts.shape_text() +
                                  ", told: " + told.shape_text() + ", expected m x " +
                                  std::to_string(k) + " x 1 and m x " + std::to_string(k));
    SampledHead sampled;
    sampled.noise = sdk::to_matrix(model.get("noise"));
    sampled.chance = sdk::to_matrix(model.get("chance"));
    sampled.weight = sdk::to_matrix(model.get("task_weight"));
    sampled.bias = sdk::to_matrix(model.get("task_bias")).col(0);
    sampled.output = output_of(model.text("answers"));
    Covariance of_rows;
    of_rows.bias = sdk::to_matrix(model.get("covariance_bias")).col(0);
    Matrix z = Matrix::Zero(scores.rows(), 1);
    if (amortised_) {
      of_rows.weight = sdk::to_matrix(model.get("covariance_weight"));
      z = sdk::to_matrix(model.get("encoded"));
    }
    const Matrix percentiles = sdk::to_matrix(model.get("logit_percentiles"));
    OwnRows own(scores);
    auto answers = sdk::as_matrix(outputs, edited.rows(), sampled.weight.rows());
    for (Index i = 0; i < edited.rows(); ++i) {
      if (i % 64 == 0) context.check_cancelled();
      std::vector<Index> which;
      for (Index j = 0; j < k; ++j)
        if (mask(i, j) != 0.0) which.push_back(j);
      const Vector truth = edited.row(i).transpose()(which);
      if (static_cast<Index>(which.size()) == k) {
        answers.row(i) =
            sampled.answer(Vector::Zero(k), Matrix::Zero(k, k), which, truth, truth).transpose();
        continue;
      }
      const Index row = own.find(edited, mask, i);
      if (row < 0)
        throw std::invalid_argument(
            "concepts: row " + std::to_string(i) +
            ": its scores of concepts that were not told are none of the model's own");
      const Vector mean = means.row(row).transpose();
      const Matrix factor = of_rows.factor(z.row(row).transpose(), k);
      const Vector logits =
          which.empty() ? Vector() : told_logits(mean, factor, which, truth, percentiles);
      answers.row(i) = sampled.answer(mean, factor, which, truth, logits).transpose();
    }
  }

 private:
  // Weights within 0.01 / sqrt(fan_in): covariances begin nearly alike for all samples.
  static constexpr double kFirstCovariance = 0.01 / 1.7320508075688772;

  static Tensor logistic_noise(const std::vector<std::int64_t>& shape, sdk::Random& random) {
    Tensor noise = torch::empty(shape, torch::kFloat32);
    float* const values = noise.data_ptr<float>();
    for (std::int64_t i = 0; i < noise.numel(); ++i) {
      const double u = std::max(random.uniform(), 0x1.0p-53);
      values[i] = static_cast<float>(std::log(u) - std::log1p(-u));
    }
    return noise;
  }

  static SampledHead::Output output_of(const std::string& name) {
    if (name == "sigmoid") return SampledHead::Output::kSigmoid;
    return name == "softmax" ? SampledHead::Output::kSoftmax : SampledHead::Output::kIdentity;
  }

  /// logits: n x M x C of every sample
  static Tensor task_loss(const Tensor& logits, const Objective& objective, const Tensor& batch) {
    if (objective.task == Task::kClassification)
      return objective.loss(log_mean_softmax(logits), batch);
    if (objective.task == Task::kRegression) return objective.loss(logits.mean(1), batch);
    return objective.loss(torch::logit(torch::sigmoid(logits).mean(1), 1e-6), batch);
  }

  SampledHead draws(sdk::Seed seed, Index k) const {
    SampledHead out;
    sdk::Random random(seed.child("samples"));
    out.noise.resize(samples_, k);
    out.chance.resize(samples_, k);
    for (double& value : out.noise.reshaped()) value = random.normal();
    for (double& value : out.chance.reshaped()) value = random.uniform();
    return out;
  }

  Vector told_logits(const Vector& mean, const Matrix& factor, const std::vector<Index>& which,
                     const Vector& truth, const Matrix& percentiles) const {
    if (told_ == "region") {
      const Matrix rows = factor(which, Eigen::all);
      return region_point(mean(which), rows * rows.transpose(), truth, level_).optimum;
    }
    Vector out(truth.size());
    for (Index t = 0; t < out.size(); ++t) {
      const bool there = truth(t) > 0.5;
      out(t) = told_ == "logit" ? std::log((there ? kHigh : kLow) / (there ? kLow : kHigh))
                                : percentiles(there ? 1 : 0, which[static_cast<std::size_t>(t)]);
    }
    return out;
  }

  bool amortised_;
  std::int64_t samples_, latent_;
  double concept_weight_, precision_weight_;
  std::string told_;
  double level_;
  EncoderLayers encoder_;
  std::string concept_set_;
  OptimiseOptions options_;
};

}  // namespace

CONOSCOPE_MODEL(Scbm, "scbm", "1.0.0", R"(
summary = "stochastic concept bottleneck: concept logits are jointly normal, so that telling one concept moves the others"
licence = "Apache-2.0"
citation = "Vandenhirtz et al., Stochastic Concept Bottleneck Models, NeurIPS 2024"
needs = ["inputs", "concepts"]
offers = ["concept_view"]
seeded = true
)",
                kParameters)
