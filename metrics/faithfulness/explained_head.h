// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/faithfulness/logits.h"
#include "metrics/subject.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// Where psi acts when the model averages P > 1 positions.
enum class PositionRule {
  kPooled,       ///< on the pooled embedding, as the text of the SURF paper has it
  kSpatialMean,  ///< on every position; what a surrogate makes of the scores is averaged
};

/// A head view and an explanation of it, each sound and fitting the other: what every surrogate is
/// made from. That it exists is the proof, so nobody who takes one looks again. A view: both must
/// outlive it.
class ExplainedHead {
 public:
  /// throws  std::invalid_argument: as CheckedExplanation; no sample, position, feature or output;
  ///         shapes that disagree; pooling none with several positions; outputs or width of head and
  ///         explanation disagree; an entry of the head that is not finite
  ExplainedHead(const HeadView& head, const Explanation& explanation);

  const HeadView& head() const { return *head_; }
  const CheckedExplanation& explanation() const { return explanation_; }
  bool flatten() const { return head_->pooling == Pooling::kFlatten; }

  /// n x D: the mean over positions, for a flatten head their sum (Eq. 10 of SURF sums; a flatten
  /// head's scale is per position). With one position H itself.
  const Matrix& pooled() const { return pooled_; }

  Matrix project(Index output, const MatrixRef& rows) const {
    return explanation_.project(output, rows);
  }
  /// All positions from concept scores, m x K_c -> m x D.
  Matrix reconstruct(Index output, const MatrixRef& scores) const {
    return explanation_.reconstruct(output, scores, head_->width());
  }

 private:
  const HeadView* head_;
  CheckedExplanation explanation_;
  Matrix pooled_;
};

// What a subject with a head view and an explanation (and, where named, labels) is asked for, each
// derived once: subject.once(explained_head).

ExplainedHead explained_head(const Subject& subject);

/// The training split, which the subject must offer.
ExplainedHead explained_train_head(const Subject& subject);

/// The model's own logits on the evaluated samples.
Logits model_logits_of(const Subject& subject);

/// For each output the samples that the model puts there, in their order.
std::vector<IndexVector> predicted_members(const Subject& subject);

/// The subject's labels, each an output of its head.
///
/// throws  std::invalid_argument: another number of labels than samples, a label that is no output
IndexVector labels_of(const Subject& subject);

/// For each output the samples whose label it is, in their order.
std::vector<IndexVector> labelled_members(const Subject& subject);

/// throws  NotApplicable: the head's outputs are not a softmax's
void require_softmax(const Subject& subject);

/// throws  NotApplicable: the layer is below the last one, so that its head does not answer for the
///         network on activations that were altered
void require_last_layer(const Subject& subject);

/// throws  NotApplicable: the head has other weights for each position
void require_pooled(const Subject& subject);

/// All three, in this order: for measures that alter pooled activations and ask for the class.
void require_pooled_softmax(const Subject& subject);

}  // namespace conoscope::metrics
