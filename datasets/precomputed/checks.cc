// SPDX-License-Identifier: Apache-2.0
#include "datasets/precomputed/checks.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace conoscope::datasets {
namespace {

[[noreturn]] void refuse(const formats::Array& array, const std::string& why) {
  throw std::invalid_argument(array.origin + ": " + why);
}

std::string text_of(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(9);
  text << value;
  return text.str();
}

/// The first rows of an array, as doubles.
std::vector<double> first_rows(const formats::Array& array, std::int64_t rows) {
  formats::Array part = array;
  part.shape[0] = rows;
  part.bytes = part.bytes.first(static_cast<std::size_t>(part.size()) * size_of(part.dtype));
  return formats::to_vector<double>(part);
}

}  // namespace

formats::Array as_positions(formats::Array activations) {
  auto& shape = activations.shape;
  if (shape.size() < 2 || shape.size() > 4)
    refuse(activations, "activations are " + activations.shape_text() +
                            ", expected n x D, n x P x D or n x height x width x D");
  if (activations.size() == 0)
    refuse(activations, "activations are " + activations.shape_text() + ", which is empty");
  check_finite(activations, "activations");
  if (shape.size() == 2) shape = {shape[0], 1, shape[1]};
  if (shape.size() == 4) shape = {shape[0], shape[1] * shape[2], shape[3]};
  return activations;
}

std::string resolve_pooling(const std::string& asked, const formats::Array& activations) {
  const std::int64_t positions = activations.shape[1];
  if (asked == "auto") return positions > 1 ? "mean" : "none";
  if (asked == "none" && positions > 1)
    refuse(activations, "pooling = none, but there are " + std::to_string(positions) +
                            " positions per sample; use mean or flatten");
  return asked;
}

void check_head(const formats::Array& weight, const formats::Array& bias,
                const formats::Array& activations, std::span<const std::int64_t> given,
                const std::string& pooling, const std::string& output) {
  if (weight.shape.size() != 2 || weight.size() == 0)
    refuse(weight, "head_weight is " + weight.shape_text() + ", expected outputs x width");
  const std::int64_t positions = activations.shape[1], width = activations.shape[2];
  const std::int64_t wanted = pooling == "flatten" ? positions * width : width;
  if (weight.shape[1] != wanted) {
    std::string why = "head_weight is " + weight.shape_text() + ", but the activations of " +
                      activations.origin + " have " + std::to_string(wanted) +
                      " numbers per sample after pooling = " + pooling + " (" +
                      activations.shape_text() + ")";
    if (weight.shape[0] == wanted)
      why += "; save the transpose";
    else if (given.size() > 2 && given[1] == weight.shape[1])
      why += "; they are " + formats::shape_text(given) +
             " in their file, with the width behind the samples as PyTorch has it: save " +
             (given.size() == 4 ? "a.transpose(0, 2, 3, 1), which is n x height x width x D"
                                : "a.transpose(0, 2, 1), which is n x P x D");
    refuse(weight, why);
  }
  if (bias.shape.size() != 1 || bias.shape[0] != weight.shape[0])
    refuse(bias, "head_bias is " + bias.shape_text() + ", but " + weight.origin + " has " +
                     std::to_string(weight.shape[0]) + " outputs");
  if (output == "softmax" && weight.shape[0] < 2)
    refuse(weight, "one output has no softmax; use output = sigmoid or regression");
  check_finite(weight, "head_weight");
  check_finite(bias, "head_bias");
}

formats::Array as_columns(formats::Array array, const std::string& name, std::int64_t samples,
                          const std::string& like) {
  if (array.shape.size() == 1) array.shape.push_back(1);
  if (array.shape.size() != 2 || array.shape[1] == 0)
    refuse(array, name + " is " + array.shape_text() + ", expected samples x columns");
  if (array.shape[0] != samples)
    refuse(array, name + " has " + std::to_string(array.shape[0]) + " rows, but " + like + " has " +
                      std::to_string(samples));
  check_finite(array, name);
  return array;
}

std::optional<formats::Array> read_images(std::optional<formats::Array> images,
                                          std::int64_t samples, const std::string& like) {
  if (!images) return images;
  if (images->shape.size() != 4 || (images->shape[3] != 1 && images->shape[3] != 3))
    refuse(*images, "inputs are " + images->shape_text() +
                        ", expected samples x height x width x 1 or 3 channels");
  if (images->shape[0] != samples)
    refuse(*images, "inputs has " + std::to_string(images->shape[0]) + " rows, but " + like +
                        " has " + std::to_string(samples));
  check_finite(*images, "inputs");
  return images;
}

void check_targets(const formats::Array& targets, const formats::Array& weight, bool attributes) {
  if (targets.shape[1] != weight.shape[0])
    refuse(targets, "targets have " + std::to_string(targets.shape[1]) + " columns, but " +
                        weight.origin + " has " + std::to_string(weight.shape[0]) + " outputs");
  if (!attributes) return;
  const auto values = formats::to_vector<double>(targets);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0.0 && values[i] != 1.0)
      refuse(targets, "the value at " +
                          formats::index_text(static_cast<std::int64_t>(i), targets.shape) +
                          " is " + text_of(values[i]) + ", attributes must be 0 or 1");
}

std::vector<std::int64_t> read_labels(const formats::Array& labels, bool softmax,
                                      std::int64_t classes, const std::string& head) {
  if (labels.shape.size() > 2 || labels.extent(1) != 1)
    refuse(labels, "labels are " + labels.shape_text() + ", expected one per sample");
  auto values = formats::to_vector<std::int64_t>(labels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0)
      refuse(labels, "the label at [" + std::to_string(i) + "] is " + std::to_string(values[i]) +
                         "; classes count from 0");
    if (softmax && values[i] >= classes)
      refuse(labels, "the label at [" + std::to_string(i) + "] is " + std::to_string(values[i]) +
                         ", but " + head + " has " + std::to_string(classes) + " outputs");
  }
  return values;
}

sdk::Split read_split(const formats::Array& train, const formats::Array& test,
                      std::int64_t samples) {
  // 0: in no part, 1: in the training part, 2: in the test part
  std::vector<char> part(static_cast<std::size_t>(samples), 0);
  const auto read = [&](const formats::Array& array, char mark) {
    if (array.shape.size() != 1 || array.size() == 0)
      refuse(array,
             "row numbers are " + array.shape_text() + ", expected a vector of at least one");
    auto rows = formats::to_vector<std::int64_t>(array);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string at =
          "the row number at [" + std::to_string(i) + "] is " + std::to_string(rows[i]);
      if (rows[i] < 0 || rows[i] >= samples)
        refuse(array, at + ", but there are " + std::to_string(samples) + " samples");
      char& seen = part[static_cast<std::size_t>(rows[i])];
      if (seen == mark) refuse(array, at + ", which came before");
      if (seen != 0) refuse(array, at + ", which is in " + train.origin + " too");
      seen = mark;
    }
    std::ranges::sort(rows);
    return rows;
  };
  sdk::Split split;
  split.train = read(train, 1);
  split.test = read(test, 2);
  return split;
}

std::vector<std::int64_t> read_segments(const std::optional<formats::Array>& embeddings,
                                        const std::optional<formats::Array>& sample,
                                        std::int64_t samples, std::int64_t width,
                                        const std::string& like) {
  if (!embeddings && !sample) return {};
  if (!sample) refuse(*embeddings, "segment_embeddings is given without segment_sample");
  if (!embeddings) refuse(*sample, "segment_sample is given without segment_embeddings");
  if (embeddings->shape.size() != 2 || embeddings->size() == 0 || embeddings->shape[1] != width)
    refuse(*embeddings, "segment_embeddings are " + embeddings->shape_text() + ", expected m x " +
                            std::to_string(width) + " as in " + like);
  check_finite(*embeddings, "segment_embeddings");
  if (sample->shape.size() != 1 || sample->shape[0] != embeddings->shape[0])
    refuse(*sample, "segment_sample is " + sample->shape_text() + ", but " + embeddings->origin +
                        " has " + std::to_string(embeddings->shape[0]) + " segments");
  auto rows = formats::to_vector<std::int64_t>(*sample);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= samples)
      refuse(*sample, "the row number at [" + std::to_string(i) + "] is " +
                          std::to_string(rows[i]) + ", but there are " + std::to_string(samples) +
                          " samples");
  return rows;
}

std::vector<std::int64_t> read_groups(const std::optional<formats::Array>& groups,
                                      std::int64_t concepts) {
  if (!groups) return {};
  if (concepts == 0) refuse(*groups, "concept_groups are given without concepts");
  if (groups->shape != std::vector<std::int64_t>{concepts})
    refuse(*groups, "concept_groups is " + groups->shape_text() + ", expected " +
                        std::to_string(concepts) + ", a number for each concept");
  auto out = formats::to_vector<std::int64_t>(*groups);
  for (std::size_t j = 0; j < out.size(); ++j)
    if (out[j] < 0 || out[j] >= concepts)
      refuse(*groups, "the group at [" + std::to_string(j) + "] is " + std::to_string(out[j]) +
                          ", expected 0 to " + std::to_string(concepts - 1));
  return out;
}

void check_agreement(const formats::Array& saved, std::span<const double> made,
                     const std::string& head) {
  // Outputs are saved from a network that runs in float32 or float16; 1e-3 is float16's own step.
  constexpr double kTolerance = 1e-3;

  const auto outputs = static_cast<std::size_t>(saved.shape[1]);
  const std::size_t rows = made.size() / outputs;
  const auto values = first_rows(saved, static_cast<std::int64_t>(rows));
  // Of all rows: what rounding leaves of a sum does not shrink where the sum happens to be near 0.
  double largest = 0.0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const auto refuse_at = [&](std::size_t at) {
    refuse(saved, "row " + std::to_string(at / outputs) + ", output " +
                      std::to_string(at % outputs) + " is " + text_of(values[at]) + ", but " +
                      head + " gives " + text_of(made[at]) +
                      " (allowed: " + text_of(kTolerance * largest) + " apart)");
  };
  for (std::size_t at = 0; at < values.size(); ++at)
    if (!std::isfinite(values[at])) refuse_at(at);
  for (std::size_t at = 0; at < values.size(); ++at)
    if (!(std::abs(made[at] - values[at]) <= kTolerance * largest)) refuse_at(at);
}

void check_logits(const formats::Array& logits, std::int64_t samples,
                  const formats::Array& activations, const formats::Array& weight,
                  const formats::Array& bias, const std::string& pooling) {
  constexpr std::int64_t kRows = 100;
  const std::int64_t outputs = weight.shape[0], inputs = weight.shape[1];
  if (logits.shape.size() != 2 || logits.shape[0] != samples || logits.shape[1] != outputs)
    refuse(logits, "logits are " + logits.shape_text() + ", expected " + std::to_string(samples) +
                       " x " + std::to_string(outputs) + " (samples of " + activations.origin +
                       ", outputs of " + weight.origin + ")");
  const std::int64_t rows = std::min({kRows, activations.shape[0]});
  const auto h = first_rows(activations, rows);
  const auto w = formats::to_vector<double>(weight), b = formats::to_vector<double>(bias);
  const std::int64_t row_size = activations.shape[1] * activations.shape[2];
  const double scale = pooling == "mean" ? 1.0 / static_cast<double>(activations.shape[1]) : 1.0;

  std::vector<double> made;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t c = 0; c < outputs; ++c) {
      double sum = 0.0;
      // With pooling = mean the weights repeat for every position.
      for (std::int64_t j = 0; j < row_size; ++j)
        sum += w[static_cast<std::size_t>(c * inputs + j % inputs)] *
               h[static_cast<std::size_t>(i * row_size + j)];
      made.push_back(scale * sum + b[static_cast<std::size_t>(c)]);
    }
  check_agreement(logits, made,
                  "the head (" + weight.origin + ", " + bias.origin + ") on " + activations.origin +
                      " with pooling = " + pooling);
}

std::string check_explanation(const std::optional<formats::Array>& cavs,
                              const std::optional<formats::Array>& importance,
                              const std::optional<formats::Array>& counts,
                              const formats::Array& weight, std::int64_t width) {
  if (!cavs) refuse(importance ? *importance : *counts, "is given without cavs");
  if (!importance) refuse(*cavs, "cavs are given without importance");
  const std::int64_t outputs = weight.shape[0];
  if (cavs->shape.size() != 2 || cavs->shape[1] != width || cavs->shape[0] == 0)
    refuse(*cavs, "cavs are " + cavs->shape_text() + ", expected concepts x " +
                      std::to_string(width) + ", the width of the activations");
  check_finite(*cavs, "cavs");
  check_finite(*importance, "importance");
  const std::int64_t rows = cavs->shape[0];
  if (importance->shape.size() == 2) {
    if (importance->shape[0] != outputs || importance->shape[1] != rows)
      refuse(*importance, "importance is " + importance->shape_text() + ", expected " +
                              std::to_string(outputs) + " x " + std::to_string(rows) +
                              ", outputs of " + weight.origin + " x rows of " + cavs->origin);
    if (counts) refuse(*counts, "counts are given, but importance has a row for every output");
    return "class_agnostic";
  }
  if (importance->shape.size() != 1 || importance->shape[0] != rows)
    refuse(*importance, "importance is " + importance->shape_text() + ", expected " +
                            std::to_string(rows) + ", one for each row of " + cavs->origin);
  if (!counts)
    refuse(*importance,
           "importance has one number for each row of cavs, so counts is needed: how many of these "
           "rows belong to each of the " +
               std::to_string(outputs) + " outputs");
  if (counts->shape.size() != 1 || counts->shape[0] != outputs)
    refuse(*counts, "counts are " + counts->shape_text() + ", expected one for each of the " +
                        std::to_string(outputs) + " outputs");
  std::int64_t total = 0;
  const auto values = formats::to_vector<std::int64_t>(*counts);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c] < 0 || values[c] > rows)
      refuse(*counts, "the count at [" + std::to_string(c) + "] is " + std::to_string(values[c]) +
                          ", expected 0 to " + std::to_string(rows));
    total += values[c];
  }
  if (total != rows)
    refuse(*counts, "counts add up to " + std::to_string(total) + ", but " + cavs->origin +
                        " has " + std::to_string(rows) + " rows");
  return "class_specific";
}

namespace {

/// The first value outside [0, 1], in words; empty: there is none.
std::string beyond_unit(const formats::Array& array) {
  const auto values = formats::to_vector<double>(array);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0.0 && values[i] <= 1.0))
      return "the value at " + formats::index_text(static_cast<std::int64_t>(i), array.shape) +
             " is " + text_of(values[i]);
  return "";
}

void check_same_shape(const formats::Array& array, const std::string& name,
                      const std::vector<std::int64_t>& shape, const formats::Array& scores) {
  if (array.shape != shape)
    refuse(array, name + " is " + array.shape_text() + ", but " + scores.origin + " is " +
                      scores.shape_text());
  check_finite(array, name);
}

}  // namespace

std::map<std::string, formats::Array> read_codes(
    const std::function<std::optional<formats::Array>(const std::string&)>& find,
    std::int64_t samples, const std::string& like) {
  std::map<std::string, formats::Array> out;
  const auto codes = find("codes");
  for (const std::string name : {"codes", "codes_log_variance", "reconstruction_loss"}) {
    const auto found = find(name);
    if (!found) continue;
    if (!codes) refuse(*found, "is given without codes");
    formats::Array columns = as_columns(*found, name, samples, like);
    if (name == "codes_log_variance" && columns.shape != out["codes"].shape)
      refuse(*found, "codes_log_variance is " + found->shape_text() + ", but " + codes->origin +
                         " is " + codes->shape_text());
    if (name == "reconstruction_loss") {
      if (columns.shape[1] != 1)
        refuse(*found,
               "reconstruction_loss is " + found->shape_text() + ", expected one per sample");
      columns.shape.pop_back();
    }
    out[name] = columns;
  }
  return out;
}

std::optional<ConceptArrays> read_concepts(
    const std::function<std::optional<formats::Array>(const std::string&)>& find,
    std::int64_t samples, const std::string& like) {
  const auto scores = find("concept_scores");
  if (!scores) {
    for (const char* name :
         {"concept_probabilities", "task_outputs", "concept_active", "concept_inactive",
          "reference_outputs", "concept_head_weight", "concept_head_bias"})
      if (const auto alone = find(name))
        refuse(*alone, std::string(name) + " is given without concept_scores");
    return std::nullopt;
  }
  ConceptArrays out{*scores,
                    find("concept_probabilities"),
                    find("task_outputs"),
                    find("concept_active"),
                    find("concept_inactive"),
                    find("reference_outputs"),
                    find("concept_head_weight"),
                    find("concept_head_bias")};
  const std::vector<std::int64_t> given = scores->shape;
  if (given.size() != 2 && given.size() != 3)
    refuse(*scores, "concept_scores are " + scores->shape_text() + ", expected n x k or n x k x w");
  if (given[0] != samples)
    refuse(*scores, "concept_scores has " + std::to_string(given[0]) + " rows, but " + like +
                        " has " + std::to_string(samples));
  if (scores->size() == 0) refuse(*scores, "concept_scores are " + scores->shape_text());
  check_finite(*scores, "concept_scores");
  if (out.scores.shape.size() == 2) out.scores.shape.push_back(1);

  if (out.probabilities) {
    check_same_shape(*out.probabilities, "concept_probabilities", {samples, given[1]}, *scores);
    if (const std::string bad = beyond_unit(*out.probabilities); !bad.empty())
      refuse(*out.probabilities, bad + ", concept_probabilities must lie in [0, 1]");
  } else if (out.scores.shape[2] > 1) {
    refuse(*scores, "concept_scores are " + scores->shape_text() +
                        ", a vector for each concept: concept_probabilities (" +
                        std::to_string(samples) + " x " + std::to_string(given[1]) +
                        ") is needed, too");
  } else if (beyond_unit(*scores).empty()) {
    out.probabilities = *scores;
    out.probabilities->shape = {samples, given[1]};
  }
  if (out.outputs) out.outputs = as_columns(*out.outputs, "task_outputs", samples, like);
  for (const auto* array : {&out.reference, &out.head_weight, &out.head_bias})
    if (*array && !out.outputs)
      refuse(**array, "reference_outputs and concept_head_weight go with task_outputs");
  if (out.head_weight.has_value() != out.head_bias.has_value())
    refuse(out.head_weight ? *out.head_weight : *out.head_bias,
           "concept_head_weight and concept_head_bias go together");
  if (out.reference)
    check_same_shape(*out.reference, "reference_outputs", out.outputs->shape, *scores);
  if (out.head_weight) {
    const std::int64_t answers = out.outputs->shape[1];
    check_same_shape(*out.head_weight, "concept_head_weight",
                     {answers, out.scores.shape[1] * out.scores.shape[2]}, *scores);
    check_same_shape(*out.head_bias, "concept_head_bias", {answers}, *scores);
  }
  if (out.active.has_value() != out.inactive.has_value())
    refuse(out.active ? *out.active : *out.inactive,
           out.active ? "concept_active is given without concept_inactive"
                      : "concept_inactive is given without concept_active");
  if (out.active) {
    check_same_shape(*out.active, "concept_active", given, *scores);
    check_same_shape(*out.inactive, "concept_inactive", given, *scores);
  }
  return out;
}

}  // namespace conoscope::datasets
