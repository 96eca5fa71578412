// SPDX-License-Identifier: Apache-2.0
#include "harness/core/measure/wanted_arrays.h"

#include <stdexcept>
#include <utility>

#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/border/needs.h"

namespace conoscope::core {

std::vector<std::string> views_of_arrays(const ArrayBag& arrays, bool trained, bool explanation) {
  std::vector<std::string> out;
  const auto offer = [&](const std::string& view, bool there) {
    if (there) out.push_back(view);
  };
  const bool head = has_view(arrays, "head_view");
  // As JudgedSubject::add_concept_scores(): an explanation's scores stand for concepts and for codes.
  const bool scores = head && explanation && arrays.text("pooling") != "flatten";
  offer("head_view", head);
  offer("train_head_view", head && trained);
  offer("explanation", head && explanation);
  offer("concept_view", has_view(arrays, "concept_view") || scores);
  offer("train_concept_view", has_view(arrays, "concept_view") && trained);
  offer("latent_view", has_view(arrays, "latent_view") || scores);
  for (const std::string& view : annotation_views()) offer(view, has_view(arrays, view));
  return out;
}

namespace {

/// Of one view.
std::string array_for(std::string_view view) {
  // What no file brings, or not by itself.
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"train_head_view",
       "a training split of the activations (--split, or train_index and "
       "test_index)"},
      {"explanation", "cavs and importance (or --explain)"},
      {"train_concept_view", "a training split of concept_scores (--split)"},
      {"inputs", "images"},
      {"truth", "a dataset that knows its features (a run file)"},
      {"forward", "a model that runs new images (a run file)"},
      {"head", "a model that runs new activations (a run file)"},
      {"other_seeds", "several splits (--splits) of an explanation that is fitted (--explain)"},
      {"clean_explanation",
       "the controls poisoned or noisy of an explanation that is fitted (--control, --explain)"},
  };
  for (const auto& [name, arrays] : kOthers)
    if (name == view) return std::string(arrays);
  std::string arrays = arrays_of_view(view);
  if (arrays.empty()) throw std::logic_error("what_brings: no view " + std::string(view));
  return arrays;
}

}  // namespace

std::string what_brings(std::string_view need) {
  std::string out;
  for (const std::string_view view : alternatives(need))
    out += (out.empty() ? "" : " or ") + array_for(view);
  return out;
}

}  // namespace conoscope::core
