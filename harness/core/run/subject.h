// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "conoscope/sdk/random.h"
#include "harness/core/artifacts/artifact.h"
#include "metrics/views.h"

namespace conoscope::core {

/// Which arrays of a bag: all; the samples' inputs and annotations alone; or all but these, which are
/// the dataset's to give: a model that brings its own is judged by the dataset's all the same.
enum class Which { kAll, kAnnotations, kNoAnnotations };

/// The arrays of one split: rows of every per-sample array, everything else as it is. Activations and
/// inputs, which may be large, are not copied but have a row index, which is `rows`; both must
/// outlive the result.
/// throws  std::runtime_error: an array that should have a row for each sample has not
ArrayBag rows_of(const ArrayBag& bag, std::span<const std::int64_t> rows, std::int64_t samples,
                 Which which = Which::kAll);

/// What an explainer is given: the training rows of the model's and the dataset's arrays, the
/// segments of these rows (segment_sample counts among them), the model's own logits, and its
/// predictions where the output is softmax.
/// control  one that redraws_head: another head, drawn on these rows, takes the model's place, see
///          control.h. One that moves_samples(): the activations are moved, in the precision that the
///          model has; logits and predictions stay. Others change nothing.
/// above    of a head that is redrawn below the last layer: the calls of the network drawn anew, which become those
///          of the model that the explainer is shown; null: there is none
/// throws   CallFault, not applicable: a head to redraw below the last layer, without such a
///          network; moved samples below the last layer, or of a flattened head
ArrayBag make_explainer_input(const ArrayBag& dataset, const ArrayBag& model,
                              const std::string& control = "none", sdk::Seed seed = sdk::Seed(0),
                              metrics::HeadCalls* above = nullptr);

/// What the dataset knows of its features, with the rows of the test split: for explainers that say that
/// they need it, and for metrics.
void add_truth(const ArrayBag& dataset, ArrayBag& out);

/// The head of a head view as calls, where nothing but it lies above the layer. Valid as long as the
/// bag.
metrics::HeadCalls linear_head(const ArrayBag& head_view);

/// The test split of everything that a subject offers. Owns what the metrics' views point into.
class JudgedSubject {
 public:
  /// explanation  may be null
  JudgedSubject(const ArrayBag& dataset, const ArrayBag& model, const ArrayBag* explanation);

  void set_projection(decltype(metrics::Explanation::project) project,
                      decltype(metrics::Explanation::reconstruct) reconstruct);
  /// The training split's head view; left out unless asked for.
  void add_train_head(const ArrayBag& dataset, const ArrayBag& model);
  /// The training split's annotations, and the model's concept scores there; nothing where the
  /// model has no concept view. Left out unless asked for, because it is a copy.
  void add_train_concepts(const ArrayBag& dataset, const ArrayBag& model);
  /// The test split's images with a forward call and its gradient; left out unless asked for. Inputs
  /// that are not images (n x height x width x channels) stay out.
  void add_images(const ArrayBag& dataset, decltype(metrics::ImageView::forward) forward,
                  decltype(metrics::ImageView::forward_gradient) gradient = {});
  /// What lies above the head view's layer; empty functions at the last layer.
  void set_above(metrics::HeadCalls above) { above_ = std::move(above); }
  /// Of the model's own codes.
  void set_decoder(decltype(metrics::LatentView::decode) decode);
  void set_intervention(decltype(metrics::ConceptView::intervene) intervene);

  /// Turns the explanation, if there is one, into its randomised twin, see control.h.
  void apply(const std::string& control, sdk::Seed seed);

  /// Where the model has no concept view or codes of its own, an explanation's concept scores take
  /// their place: what is asked of a bottleneck or an encoder is then asked of the explanation. Not
  /// below a flattened head. Call it after the projection and the control.
  void add_concept_scores();

  metrics::Views views() const;
  /// The same as arrays, for metric plugins.
  const ArrayBag& arrays();

 private:
  ArrayBag test_;
  std::optional<metrics::HeadView> head_, train_head_;
  std::optional<metrics::Explanation> explanation_, twin_of_;
  std::optional<metrics::ConceptView> concepts_, train_concepts_;
  std::optional<metrics::Annotations> train_annotations_;
  std::optional<metrics::LatentView> latent_;
  std::optional<metrics::ImageView> images_;
  std::optional<metrics::HeadCalls> above_;
  std::optional<metrics::Truth> truth_;
  metrics::Annotations annotations_;
  ArrayBag plugin_arrays_;
};

}  // namespace conoscope::core
