// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// An explanation that does not contradict itself: that it exists is the proof, so nobody who takes
/// one looks again. A view: the explanation must outlive it.
class CheckedExplanation {
 public:
  /// throws  std::invalid_argument: no output; offsets that do not ascend from 0 to the number of
  ///         concepts; counts that disagree; a CAV or an importance that is not finite
  CheckedExplanation(const Explanation& explanation);  // NOLINT(google-explicit-constructor)

  const Explanation& operator*() const { return *explanation_; }
  const Explanation* operator->() const { return explanation_; }

  /// K_c of each output.
  IndexVector concepts() const;
  /// Of all outputs together; class-agnostic: K.
  Index all_concepts() const;
  /// A projection may keep its CAVs to itself.
  bool shows_cavs() const { return explanation_->cavs.rows() == all_concepts(); }

  /// V_c as rows, K_c x D. throws std::invalid_argument: it does not show its CAVs
  MatrixRef cavs(Index output) const;
  /// alpha_c, K_c.
  Vector importance(Index output) const;

  /// psi(rows; V_c), m x D -> m x K_c; for a class-agnostic explanation any c gives the same.
  ///
  /// throws  std::invalid_argument: psi, which is a plugin's, returns another shape or an entry that
  ///         is not finite; a linear one whose CAVs have another width than D
  Matrix project(Index output, const MatrixRef& rows) const;

  /// psi^-1, m x K_c -> m x width. An explanation that offers no reconstruction of its own is read
  /// as a sum of its CAVs, sum_k p_k v_k.
  ///
  /// throws  std::invalid_argument: as project; neither a reconstruction nor CAVs
  Matrix reconstruct(Index output, const MatrixRef& scores, Index width) const;

 private:
  const Explanation* explanation_;
};

}  // namespace conoscope::metrics
