// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "metrics/types.h"

namespace conoscope::metrics {

// What a subject offers and a metric needs. Rows are samples of the evaluation (test) split.
// A metric receives views; it has never heard of plugins, files or tables.

enum class Pooling { kMean, kNone, kFlatten };
enum class Output { kSoftmax, kSigmoid, kRegression };

/// Classifiers and regressors: a layer's activations and the linear head that reads them. Of the last
/// layer that head is all that lies above; of one below it, it is the mean of how the rest of the
/// network reads the layer, and the network's answers are given beside it.
struct HeadView {
  /// H, (n * positions) x D: position p of sample i is row i * positions + p.
  RowSource activations;
  Index positions = 1;
  /// W: C x D, or C x (positions * D) for kFlatten (position p's weights are columns p*D ...
  /// p*D+D-1).
  Matrix weight;
  Vector bias;  ///< b: C
  Pooling pooling = Pooling::kNone;
  Output output = Output::kSoftmax;
  /// What the network answers, n x C, raw; empty: W and b are all there is above the layer.
  Matrix logits = {};

  bool last_layer() const { return logits.size() == 0; }
  Index samples() const { return positions > 0 ? activations.rows() / positions : 0; }
  Index width() const { return activations.cols(); }
  Index outputs() const { return weight.rows(); }
};

/// What lies above the layer of a head view, as functions of its activations.
struct HeadCalls {
  /// (m * positions) x D -> m x C, raw.
  std::function<Matrix(const MatrixRef& activations)> outputs;
  /// And of u, m x C: g = sum_c u_c d output_c / d activation, (m * positions) x D. Empty: the model
  /// does not offer it.
  std::function<Matrix(const MatrixRef& activations, const MatrixRef& cotangents)> vjp;
};

/// An explainer's claim about a head view. Class-specific: every output c has K_c CAVs of its own,
/// rows offset[c] ... offset[c+1]-1 of `cavs` and of `importance`. Class-agnostic: all outputs
/// share the K rows of `cavs`, and `importance` is C x K.
struct Explanation {
  Matrix cavs;
  bool class_agnostic = false;
  Vector importance;            ///< class-specific: one per row of cavs
  Matrix importance_by_output;  ///< class-agnostic: C x K
  IndexVector offset;           ///< class-specific: C + 1 entries, ascending from 0
  /// One per row of cavs, 1: its score is the same for all rows, as of a decoder's bias, which makes an
  /// explanation complete and is no concept that could be found. Empty: there is none.
  IndexVector constant = {};

  /// psi(rows; V_c): m x D -> m x K_c. Empty: linear, rows * V_c^T.
  std::function<Matrix(Index output, const MatrixRef& rows)> project;
  /// The inverse of psi: m x K_c -> m x D. Empty: the explanation offers no reconstruction.
  std::function<Matrix(Index output, const MatrixRef& scores)> reconstruct;

  bool linear() const { return !project; }
  /// psi of a linear explanation, rows V_c^T: m x K_c, equal rows the same bits.
  Matrix linear_scores(Index output, const MatrixRef& rows) const;

  Index outputs() const {
    return class_agnostic ? importance_by_output.rows() : static_cast<Index>(offset.size()) - 1;
  }
  /// Where in `cavs` an output's own rows begin; class-agnostic: 0.
  Index first_row(Index output) const {
    return class_agnostic ? 0 : offset[static_cast<std::size_t>(output)];
  }
  /// How many rows of `cavs` are an output's: K_c.
  Index concepts(Index output) const {
    return class_agnostic ? importance_by_output.cols()
                          : offset[static_cast<std::size_t>(output) + 1] - first_row(output);
  }
};

/// Concept bottleneck and concept embedding models.
struct ConceptView {
  Matrix scores;    ///< c_hat: n x (k * width); concept j's columns are j*width ... j*width+width-1
  Index width = 1;  ///< 1: scalar concepts
  Matrix probabilities;  ///< n x k
  /// What an intervention writes where a concept is there, and where it is not: n x (k * width)
  /// both, each sample's own; empty: it is to be worked out from the scores.
  Matrix active, inactive;
  Matrix outputs;  ///< task outputs, n x C
  /// What a head of the model's own kind, trained by itself on the true concepts, answers for them:
  /// n x C; empty: none was trained.
  Matrix reference_outputs;
  /// The task head on edited concepts, n x (k * width) -> n x C; told: n x k, 1 where the concept of a
  /// sample was told, and 0 where it is the model's own.
  std::function<Matrix(const MatrixRef& scores, const MatrixRef& told)> intervene;
};

/// Encoders, and the concept scores of an explainer: codes z, n x m.
struct LatentView {
  Matrix codes;                     ///< of a posterior q(z|x): its mean
  Matrix log_variance = {};         ///< of q(z|x), n x m; empty: the codes are points
  Vector reconstruction_loss = {};  ///< -log p(x|z), n, one z ~ q(z|x) each; empty: unknown
  /// m codes -> inputs, m x the numbers of one; empty: the model does not offer it.
  std::function<Matrix(const MatrixRef& codes)> decode = {};
};

/// Images, and the model from their pixels on, for measures that alter them.
struct ImageView {
  RowSource pixels;  ///< n x (height * width * channels), the channels of a pixel side by side
  Index height = 0, width = 0, channels = 0;
  Vector mean;  ///< channels: the training split's mean
  /// m altered images -> the activations of all their positions, (m * positions) x D.
  std::function<Matrix(const MatrixRef& pixels)> forward;
  /// And of u, (m * positions) x D: g = sum u d activations / d pixels, of the images' shape. Empty: the
  /// model does not offer it.
  std::function<Matrix(const MatrixRef& pixels, const MatrixRef& cotangents)> forward_gradient;
};

/// What a dataset knows about its samples; an empty matrix: not annotated.
struct Annotations {
  IndexVector labels;  ///< class of each sample; empty when targets are not classes
  Matrix targets;      ///< n x C: binary attributes or regression targets
  Matrix concepts;     ///< n x k
  Matrix factors;      ///< n x F
  /// k, from 0: which concepts are told together; empty: each is told by itself
  IndexVector concept_groups = {};
};

/// A world whose features are known, for measures of what a dictionary has found of them:
/// activations = sum_i activations(., i) directions(i) + a constant.
struct Truth {
  Matrix directions;        ///< N x D, unit rows
  MatrixF activations;      ///< n x N, >= 0; 0: the feature does not fire
  IndexVector parent = {};  ///< N: without which one does not fire; -1: none; empty: all -1
};

/// All that is known about one subject; null: not offered.
struct Views {
  const HeadView* head = nullptr;
  const Explanation* explanation = nullptr;
  /// What the explanation is a randomised twin of; null: it is none.
  const Explanation* twin_of = nullptr;
  const ConceptView* concepts = nullptr;
  const LatentView* latent = nullptr;
  const Annotations* annotations = nullptr;
  const ImageView* images = nullptr;
  const Truth* truth = nullptr;
  /// Below the last layer only; of the last layer it is there, and empty, where the model offers it.
  const HeadCalls* above = nullptr;
  /// The training split under the same head: for measures that train a surrogate of their own.
  const HeadView* train_head = nullptr;
  /// The training split: what was annotated, and the concept view's scores (its other parts are
  /// empty), for marks that must not be set on the samples they judge.
  const Annotations* train_annotations = nullptr;
  const ConceptView* train_concepts = nullptr;
  /// What measures that draw draw from; the same for all explanations of one model, so that they
  /// are compared under the same draws.
  std::uint64_t seed = 0;
};

}  // namespace conoscope::metrics
