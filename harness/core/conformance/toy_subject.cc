// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/toy_subject.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/manifest.h"

namespace conoscope::core {

namespace {

constexpr std::int64_t kSamples = 60, kPositions = 4, kWidth = 8, kOutputs = 3, kConcepts = 4,
                       kFactors = 3, kSide = 8;
/// Of each output, in explanations: metrics of what concepts share have something to judge.
constexpr std::array<std::int64_t, kOutputs> kOwnConcepts = {2, 3, 2};
constexpr std::uint64_t kSeed = 20240607;

sdk::Random random(const char* what) { return sdk::Random(sdk::Seed(kSeed).child(what)); }

std::int64_t class_of(std::int64_t sample) { return sample % kOutputs; }

/// Every class has two features of its own, higher than the others; a ReLU cuts off the negatives.
std::vector<double> activations(const ToySubject& toy) {
  std::vector<double> out;
  sdk::Random noise = random("activations");
  for (std::int64_t i = 0; i < kSamples; ++i)
    for (std::int64_t p = 0; p < kPositions; ++p)
      for (std::int64_t d = 0; d < kWidth; ++d) {
        const double shift = d / 2 == class_of(i) ? 2.0 : 0.25;
        out.push_back(std::max(0.0, shift + 0.5 * noise.normal()));
        if (toy.constant_feature && d == kWidth - 1) out.back() = 1.0;
      }
  return out;
}

std::vector<double> weight() {
  std::vector<double> out;
  sdk::Random noise = random("weight");
  for (std::int64_t c = 0; c < kOutputs; ++c)
    for (std::int64_t d = 0; d < kWidth; ++d)
      out.push_back((d / 2 == c ? 1.0 : -0.3) + 0.1 * noise.normal());
  return out;
}

/// Which pair of features it is, counted from the class's own.
std::int64_t pair_from_own(std::int64_t feature, std::int64_t c) {
  constexpr std::int64_t kPairs = kWidth / 2;
  return (feature / 2 - c + kPairs) % kPairs;
}

std::vector<double> bias() { return {0.1, -0.05, 0.0}; }

/// n x C from the mean over positions.
std::vector<double> logits(const ToySubject& toy) {
  const auto h = activations(toy), w = weight(), b = bias();
  std::vector<double> out;
  for (std::size_t i = 0; i < kSamples; ++i)
    for (std::size_t c = 0; c < kOutputs; ++c) {
      double sum = 0.0;
      for (std::size_t p = 0; p < kPositions; ++p)
        for (std::size_t d = 0; d < kWidth; ++d)
          sum += h[(i * kPositions + p) * kWidth + d] * w[c * kWidth + d];
      out.push_back(sum / kPositions + b[c]);
    }
  return out;
}

/// 0 or 1: concept j is a bit of the class and, for the last one, a property of its own.
std::vector<double> concepts() {
  std::vector<double> out;
  for (std::int64_t i = 0; i < kSamples; ++i)
    for (std::int64_t j = 0; j < kConcepts; ++j)
      out.push_back(j < kOutputs ? (class_of(i) == j ? 1.0 : 0.0) : static_cast<double>(i / 3 % 2));
  return out;
}

void write(sdk::Sink& out, const std::string& name, const std::vector<std::int64_t>& shape,
           const std::vector<double>& values, std::int32_t dtype = CONO_F64) {
  const auto as = [&]<typename T>(std::span<T> to) {
    std::ranges::transform(values, to.begin(),
                           [](double value) { return T(static_cast<float>(value)); });
  };
  if (dtype == CONO_F16)
    as(out.create<sdk::Half>(name, shape));
  else if (dtype == CONO_F32)
    as(out.create<float>(name, shape));
  else
    std::ranges::copy(values, out.create<double>(name, shape).begin());
}

void write_head(const ToySubject& toy, sdk::Sink& out) {
  write(out, "activations", {kSamples, kPositions, kWidth}, activations(toy), toy.dtype);
  const std::int32_t of_head = toy.dtype == CONO_F64 ? CONO_F64 : CONO_F32;
  write(out, "head_weight", {kOutputs, kWidth}, weight(), of_head);
  write(out, "head_bias", {kOutputs}, bias(), of_head);
  out.text("pooling", "mean");
  out.text("output", toy.output);
}

void write_concepts_and_codes(const ToySubject& toy, sdk::Sink& out) {
  std::vector<double> scores = concepts(), probabilities;
  sdk::Random noise = random("concept_scores");
  for (double& score : scores) {
    score = 4.0 * score - 2.0 + 0.5 * noise.normal();
    probabilities.push_back(1.0 / (1.0 + std::exp(-score)));
  }
  write(out, "concept_scores", {kSamples, kConcepts, 1}, scores);
  write(out, "concept_probabilities", {kSamples, kConcepts}, probabilities);
  write(out, "task_outputs", {kSamples, kOutputs}, logits(toy));
  write(out, "codes", {kSamples, kConcepts}, scores);
  const std::vector<double> log_variances(scores.size(), -1.0), losses(kSamples, 2.0);
  write(out, "codes_log_variance", {kSamples, kConcepts}, log_variances);
  write(out, "reconstruction_loss", {kSamples}, losses);
}

void write_rows(sdk::Sink& out, const char* name, std::int64_t first, std::int64_t count) {
  const auto rows = out.create<std::int64_t>(name, {count});
  std::iota(rows.begin(), rows.end(), first);
}

}  // namespace

void toy_forward(const cono_tensor& inputs, cono_tensor& activations) {
  const auto out = sdk::Tensor(activations).values<double>();
  std::fill(out.begin(), out.end(), 0.25);
  sdk::Tensor(inputs).for_each([&out](std::int64_t i, double value) {
    const std::int64_t x = i % kSide, y = i / kSide % kSide, sample = i / (kSide * kSide);
    const std::int64_t position = y / (kSide / 2) * 2 + x / (kSide / 2);
    const std::int64_t feature = (sample * kPositions + position) * kWidth + x / 3 * 2;
    out[static_cast<std::size_t>(feature)] += 0.2 * value;
    out[static_cast<std::size_t>(feature) + 1] += 0.2 * value * value;
  });
}

void write_toy_dataset(const ToySubject& toy, const std::filesystem::path& folder) {
  ArtifactWriter writer(folder);
  sdk::Sink out(writer.sink());
  write_head(toy, out);
  write_concepts_and_codes(toy, out);

  std::vector<double> images;
  sdk::Random noise = random("images");
  for (std::int64_t i = 0; i < kSamples; ++i)
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x)
        images.push_back((x / 3 == class_of(i) ? 0.7 : 0.1) + 0.2 * noise.uniform());
  write(out, "inputs", {kSamples, kSide, kSide, 1}, images, CONO_F32);

  if (toy.output == "softmax") {
    const auto labels = out.create<std::int64_t>("labels", {kSamples});
    for (std::int64_t i = 0; i < kSamples; ++i) labels[static_cast<std::size_t>(i)] = class_of(i);
  } else {
    auto targets = logits(toy);
    if (toy.output == "sigmoid")
      for (double& value : targets) value = value > 0.0 ? 1.0 : 0.0;
    write(out, "targets", {kSamples, kOutputs}, targets);
  }
  write(out, "concepts", {kSamples, kConcepts}, concepts());

  std::vector<double> factors;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    factors.push_back(static_cast<double>(class_of(i)));
    factors.push_back(static_cast<double>(i / 3 % 2));
    factors.push_back(static_cast<double>(i / 6 % 5));
  }
  write(out, "factors", {kSamples, kFactors}, factors);
  write_rows(out, "train_index", 0, toy.train);
  write_rows(out, "test_index", kSamples - toy.test, toy.test);
  out.text("task", toy.output == "softmax"   ? "classification"
                   : toy.output == "sigmoid" ? "attributes"
                                             : "regression");
  writer.finish();
  seal_artifact(folder);
}

void write_toy_model(const ToySubject& toy, const std::filesystem::path& folder) {
  ArtifactWriter writer(folder);
  sdk::Sink out(writer.sink());
  write_head(toy, out);
  write_concepts_and_codes(toy, out);
  writer.finish();
  seal_artifact(folder);
}

void write_toy_explanation(ToyExplanation kind, const std::filesystem::path& folder) {
  ArtifactWriter writer(folder);
  sdk::Sink out(writer.sink());
  out.text("scope", "class_specific");
  const auto weights = weight();
  std::vector<double> cavs, importance;
  sdk::Random noise = random("random explanation");
  for (std::int64_t c = 0; c < kOutputs; ++c)
    for (std::int64_t j = 0; j < kOwnConcepts[c]; ++j) {
      std::vector<double> v(kWidth);
      for (std::int64_t d = 0; d < kWidth; ++d)
        if (kind == ToyExplanation::kRandom)
          v[static_cast<std::size_t>(d)] = noise.normal();
        else if (pair_from_own(d, c) % kOwnConcepts[c] == j)
          v[static_cast<std::size_t>(d)] = weights[static_cast<std::size_t>(c * kWidth + d)];
      const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
      std::ranges::transform(v, std::back_inserter(cavs), [norm](double x) { return x / norm; });
      importance.push_back(kind == ToyExplanation::kPerfect ? norm : 0.5 + 0.5 * noise.uniform());
    }
  std::ranges::copy(kOwnConcepts, out.create<std::int64_t>("counts", {kOutputs}).begin());
  const auto rows = static_cast<std::int64_t>(importance.size());
  write(out, "cavs", {rows, kWidth}, cavs);
  write(out, "importance", {rows}, importance);
  writer.finish();
  seal_artifact(folder);
}

}  // namespace conoscope::core
