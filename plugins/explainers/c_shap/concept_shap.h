// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "numerics/random.h"
#include "plugins/explainers/c_shap/shapley.h"
#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// Concept vectors that all classes share, and the small network that rebuilds activations from
/// their scores.
///
///   p_m = <h, c_m>, c_m unit;  s_m = p_m where cos(h, c_m) > beta, else 0
///   score_m = s_m / (sum_m s_m + 1e-3)
///   g(score) = relu(score W1) W2, per position, no biases
///
/// concepts    M x D, rows of any length but 0: c_m is the row over its norm
/// w1          M x hidden;  w2  hidden x D
/// A zero row of activations has cosine 0 with everything.
///
/// Source: Yeh et al., On Completeness-aware Concept-Based Explanations, NeurIPS 2020, section 3
/// and its published code (thresholds, normalisation, the two layers).
template <typename T>
struct ConceptShapModel {
  RowMajor<T> concepts, w1, w2;
};

/// The frozen head behind g: logits = weight mean_positions(g) + bias.
template <typename T>
struct FrozenHead {
  RowMajor<T> weight;                     ///< C x D
  Eigen::Vector<T, Eigen::Dynamic> bias;  ///< C
  bool sigmoid = false;                   ///< one yes or no per output, instead of one class
};

struct ConceptShapLoss {
  double beta = 0.2;               ///< cosine threshold, 0 <= beta < 1
  double similarity_weight = 0.1;  ///< lambda1, of R1
  double distinct_weight = 0.1;    ///< lambda2, of R2
  Index top = 32;                  ///< positions per concept in R1
};

/// x (n*P) x D -> scores (n*P) x M, all >= 0.
/// throws      std::invalid_argument: x or concepts empty, of other widths, or not finite; beta
///             outside [0, 1); a concept vector of norm 0
template <typename T>
RowMajor<T> concept_scores(const RowMajorRef<T>& x, const RowMajorRef<T>& concepts, double beta);

/// The loss of a batch, and its gradient where asked for.
///
///   L  = cross entropy(head(pool(g(score)))) - lambda1 R1 + lambda2 R2
///   R1 = mean over m of the mean of the `top` largest cosines among the batch's positions
///   R2 = mean entry of C C^T - I
///
/// x           (n*P) x D, P positions per sample
/// targets     n x C of 0 and 1: the model's own predictions. softmax: one 1 per row; sigmoid: the
///             mean binary cross entropy over samples and outputs.
/// gradient    nullptr, or a model to fill
/// throws      std::invalid_argument: shapes that do not fit, and as concept_scores
template <typename T>
double concept_shap_loss(const RowMajorRef<T>& x, Index positions, const Coalitions& targets,
                         const FrozenHead<T>& head, const ConceptShapModel<T>& model,
                         const ConceptShapLoss& loss, ConceptShapModel<T>* gradient);

struct ConceptShapOptions {
  ConceptShapLoss loss;
  Index concepts = 100;
  Index hidden = 500;
  int epochs = 60;
  Index batch = 64;  ///< samples; the paper does not state it
  double learning_rate = 1e-3;
};

/// Learns concepts and g by Adam, in float32, from batches read when their turn comes, samples in a fresh random order each epoch. Start: concepts
/// U(-0.5, 0.5), layers Glorot uniform. The returned concepts have norm 1. One thread.
///
/// throws      std::invalid_argument: as concept_shap_loss; a count below 1
///             std::domain_error: the loss is no longer finite
ConceptShapModel<float> concept_shap_fit(const RowSource& x, Index positions,
                                         const Coalitions& targets, const FrozenHead<float>& head,
                                         const ConceptShapOptions& options, numerics::Seed seed,
                                         const std::function<void(int)>& after_epoch = {});

/// For each concept the first one before it (or itself) whose cosine with it exceeds `limit`, among
/// those that are no duplicates themselves.
/// throws      std::invalid_argument: concepts empty or not finite, or limit outside (0, 1]
std::vector<Index> duplicate_of(const MatrixRef& concepts, double limit);

/// How well does each class survive on a coalition of concepts alone?
///
///   v_c(S) = share of the samples of class c that are still given class c when all scores outside
///            S are 0, g and head unchanged
///
/// Still given: the largest logit, ties to the lowest class; with sigmoid a logit above 0.
///
/// scores      (n*P) x M;  coalitions  Q x M;  w1, w2 as in the model;  targets  n x C
/// returns     Q x C, in [0, 1]; a class without samples has 0
/// throws      std::invalid_argument: shapes that do not fit, or entries that are not finite
///
/// Each position's active scores are split into small groups; what any subset of a group adds to
/// the hidden layer is computed once, so that a coalition costs a few additions instead of a
/// product. After each sample, step() is called; it may throw to stop.
Matrix coalition_recall(const RowMajorRef<float>& scores, Index positions, const MatrixF& w1,
                        const MatrixF& w2, const FrozenHead<float>& head, const Coalitions& targets,
                        const Coalitions& coalitions, const std::function<void()>& step = {});

}  // namespace conoscope::methods
