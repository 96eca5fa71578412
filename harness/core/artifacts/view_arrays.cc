// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/view_arrays.h"

#include <algorithm>

namespace conoscope::core {

std::span<const ViewArray> view_arrays() {
  using enum Bringer;
  constexpr bool kReal = false, kWhole = true, kOptional = false, kRequired = true;
  static const std::vector<ViewArray> table = {
      {"activations", kModel, "head_view", "n [P] D", kReal, kRequired,
       "n x D, n x P x D or n x height x width x D: the last layer, before pooling"},
      {"head_weight", kModel, "head_view", "", kReal, kRequired,
       "C x D: the linear head above the activations"},
      {"head_bias", kModel, "head_view", "", kReal, kRequired, "C"},
      {"cavs", kExplainer, "explanation", "", kReal, kRequired,
       "K x D: an explanation's concept vectors"},
      {"importance", kExplainer, "explanation", "", kReal, kRequired,
       "C x K, or K with counts: how much each concept matters"},
      {"counts", kExplainer, "explanation", "", kWhole, kOptional,
       "C: how many rows of cavs are each output's own"},
      {"constant_concepts", kExplainer, "explanation", "", kWhole, kOptional},
      {"concept_scores", kModel, "concept_view", "n k [w]", kReal, kRequired,
       "n x k, or n x k x w for embeddings: learnt concepts"},
      {"concept_probabilities", kModel, "concept_view", "n k", kReal, kOptional,
       "n x k (default: concept_scores, where they lie in [0, 1])"},
      {"task_outputs", kModel, "concept_view", "n C", kReal, kOptional,
       "n x C: what the model makes of its concepts"},
      {"concept_active", kModel, "concept_view", "n k [w]", kReal, kOptional,
       "as concept_scores: their values where a concept is there"},
      {"concept_inactive", kModel, "concept_view", "n k [w]", kReal, kOptional,
       "as concept_scores: their values where it is not there"},
      {"concept_head_weight", kDataset, "", "", kReal, kOptional,
       "C x (k * w): a linear head over the concepts; answers interventions"},
      {"concept_head_bias", kDataset, "", "", kReal, kOptional, "C"},
      {"reference_outputs", kModel, "concept_view", "n C", kReal, kOptional,
       "n x C: what such a head makes of the true concepts"},
      {"codes", kModel, "latent_view", "n m", kReal, kRequired, "n x m: an encoder's codes"},
      {"codes_log_variance", kModel, "latent_view", "n m", kReal, kOptional,
       "n x m: logarithms of the posteriors' variances"},
      {"reconstruction_loss", kModel, "latent_view", "n", kReal, kOptional, "n: -log p(x|z)"},
      {"labels", kDataset, "labels", "n", kWhole, kRequired, "n: classes, from 0"},
      {"targets", kDataset, "targets", "n C", kReal, kRequired,
       "n x C: binary attributes or regression targets"},
      {"concepts", kDataset, "concepts", "n k", kReal, kRequired, "n x k: annotated concepts"},
      {"concept_groups", kDataset, "concepts", "k", kWhole, kOptional,
       "k: concepts of equal numbers, from 0, are told together"},
      {"factors", kDataset, "factors", "n F", kReal, kRequired, "n x F: generative factors"},
      {"segment_embeddings", kDataset, "segments", "m D", kReal, kRequired,
       "m x D: features of image segments"},
      {"segment_sample", kDataset, "segments", "m", kWhole, kRequired,
       "m: the row that each segment is cut from"},
      {"truth_directions", kDataset, "truth", "N D", kReal, kRequired},
      {"truth_activations", kDataset, "truth", "t N", kReal, kRequired},
      {"truth_bias", kDataset, "truth", "D", kReal, kOptional},
      {"truth_parent", kDataset, "truth", "N", kWhole, kOptional},
      {"logits", kModel, "head_view", "n C", kReal, kOptional,
       "n x C: what the network gave; compared with the head's"},
      {"train_index", kDataset, "", "", kWhole, kOptional, "row numbers of the training split"},
      {"test_index", kDataset, "", "", kWhole, kOptional,
       "row numbers of the rows that are judged"},
      {"inputs", kDataset, "inputs", "n ...", kReal, kRequired},
  };
  return table;
}

const ViewArray* view_array(std::string_view name) {
  const auto table = view_arrays();
  const auto found = std::ranges::find(table, name, &ViewArray::name);
  return found == table.end() ? nullptr : &*found;
}

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const ViewArray& array : view_arrays())
      if (!array.view.empty() && std::ranges::find(out, array.view) == out.end())
        out.emplace_back(array.view);
    out.insert(out.end(), {"forward", "head"});  // a model's functions, not its arrays
    return out;
  }();
  return names;
}

std::vector<std::string> annotation_views() {
  std::vector<std::string> out;
  for (const ViewArray& array : view_arrays())
    if (array.bringer == Bringer::kDataset && array.required && array.view != "inputs" &&
        (out.empty() || out.back() != array.view))
      out.emplace_back(array.view);
  return out;
}

std::string arrays_of_view(std::string_view view) {
  std::vector<std::string_view> names;
  for (const ViewArray& array : view_arrays())
    if (array.view == view && array.required) names.push_back(array.name);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + std::string(names[i]);
  return out;
}

bool is_by_sample(std::string_view name, Bringer bringer) {
  const ViewArray* const array = view_array(name);
  return array != nullptr && array->bringer == bringer && array->shape.starts_with("n");
}

bool is_annotation(std::string_view name) {
  const ViewArray* const array = view_array(name);
  return array != nullptr && array->bringer == Bringer::kDataset && !array->view.empty() &&
         array->view != "segments" && array->view != "truth";
}

}  // namespace conoscope::core
