#include "harness/core/measure/wanted_arrays.h"

#include <stdexcept>
#include <utility>

#include "harness/core/border/needs.h"

namespace conoscope::core {

std::vector<UserArray> user_arrays() {
  return {
      {"activations", "n x D, n x P x D or n x height x width x D: the last layer, before pooling"},
      {"head_weight", "C x D: the linear head above the activations"},
      {"head_bias", "C"},
      {"cavs", "K x D: an explanation's concept vectors"},
      {"importance", "C x K, or K with counts: how much each concept matters"},
      {"counts", "C: how many rows of cavs are each output's own"},
      {"concept_scores", "n x k, or n x k x w for embeddings: learnt concepts"},
      {"concept_probabilities", "n x k (default: concept_scores, where they lie in [0, 1])"},
      {"task_outputs", "n x C: what the model makes of its concepts"},
      {"concept_active", "as concept_scores: their values where a concept is there"},
      {"concept_inactive", "as concept_scores: their values where it is not there"},
      {"concept_head_weight",
       "C x (k * w): a linear head over the concepts; answers interventions"},
      {"concept_head_bias", "C"},
      {"reference_outputs", "n x C: what such a head makes of the true concepts"},
      {"codes", "n x m: an encoder's codes"},
      {"codes_log_variance", "n x m: logarithms of the posteriors' variances"},
      {"reconstruction_loss", "n: -log p(x|z)"},
      {"labels", "n: classes, from 0"},
      {"targets", "n x C: binary attributes or regression targets"},
      {"concepts", "n x k: annotated concepts"},
      {"factors", "n x F: generative factors"},
      {"segment_embeddings", "m x D: features of image segments"},
      {"segment_sample", "m: the row that each segment is cut from"},
      {"logits", "n x C: what the network gave; compared with the head's"},
      {"train_index", "row numbers of the training split"},
      {"test_index", "row numbers of the rows that are judged"},
  };
}

std::vector<std::string> views_of_arrays(const ArrayBag& arrays, bool trained, bool explanation) {
  const auto has = [&arrays](const char* name) { return arrays.find(name).has_value(); };
  std::vector<std::string> out;
  const auto offer = [&](const char* view, bool there) {
    if (there) out.emplace_back(view);
  };
  const bool head = has("head_weight");
  // As TestSubject::add_concept_scores(): an explanation's scores stand for concepts and for codes.
  const bool scores = head && explanation && arrays.text("pooling") != "flatten";
  offer("head_view", head);
  offer("train_head_view", head && trained);
  offer("explanation", head && explanation);
  offer("concept_view", has("concept_scores") || scores);
  offer("train_concept_view", has("concept_scores") && trained);
  offer("latent_view", has("codes") || scores);
  for (const char* name : {"labels", "targets", "concepts", "factors"}) offer(name, has(name));
  offer("segments", has("segment_embeddings"));
  return out;
}

namespace {

/// Of one view.
std::string array_for(std::string_view view) {
  constexpr std::pair<std::string_view, std::string_view> kArrays[] = {
      {"head_view", "activations, head_weight and head_bias"},
      {"train_head_view",
       "a training split of the activations (--split, or train_index and "
       "test_index)"},
      {"explanation", "cavs and importance (or --explain)"},
      {"concept_view", "concept_scores"},
      {"train_concept_view", "a training split of concept_scores (--split)"},
      {"latent_view", "codes"},
      {"labels", "labels"},
      {"targets", "targets"},
      {"concepts", "concepts"},
      {"factors", "factors"},
      {"segments", "segment_embeddings and segment_sample"},
      {"inputs", "images"},
      {"forward", "a model that runs new images (a run file)"},
      {"head", "a model that runs new activations (a run file)"},
      {"other_seeds", "several splits (--splits) of an explanation that is fitted (--explain)"},
      {"clean_explanation",
       "the controls poisoned or noisy of an explanation that is fitted (--control, --explain)"},
  };
  for (const auto& [name, arrays] : kArrays)
    if (name == view) return std::string(arrays);
  throw std::logic_error("what_brings: no view " + std::string(view));
}

}  // namespace

std::string what_brings(std::string_view need) {
  std::string out;
  for (const std::string_view view : alternatives(need))
    out += (out.empty() ? "" : " or ") + array_for(view);
  return out;
}

}  // namespace conoscope::core
