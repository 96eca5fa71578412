// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/peer_metric.h"

namespace conoscope::metrics {

// Does an explainer find the same again on another split, with other draws? Concepts of two
// explanations of one head are matched one to one, output by output, so that the sum of their
// similarities is the largest (concept_matching.h). Every measure compares a cell with each of its
// peers and gives the mean over them; parts are the single comparisons.
//
// All of them throw
//   NotApplicable          the heads differ: where the model was trained anew for every seed, its
//                          latent space is another each time, and directions cannot be compared
//   std::invalid_argument  no peer; explanations of different kinds, outputs or widths; as
//                          concepts_of()
//   std::domain_error      an explanation without a concept; what else is said below

/// How similar are the concepts to those found again?
///
///   S = sum_c sum_{(k,l) in M_c} s(k, l) / sum_c max(K_c, K'_c)
///
/// M_c are the matched pairs of output c, s their similarity: |cos|, of subspaces by principal angles.
/// A concept without a partner counts as 0.
///
/// returns  [0, 1]; 1: the same concepts
///
/// Source: the idea is that of Fel et al., arXiv 2502.12892; ours: several dimensions, and sets of
/// different size.
Result stability(const Peers& peers);

/// How similar would random directions be?
///
/// S where each peer's concepts are replaced by random subspaces of the same number and dimensions:
/// spans of N(0, 1) vectors. Mean over kNullDraws draws. The cell's own concepts stay.
///
/// returns  [0, 1]: what stability is to be read against. It falls with the width D and grows with
///          the number of concepts.
Result stability_null(const Peers& peers);
inline constexpr int kNullDraws = 10;

/// How similar are the concepts to those found again for another output?
///
/// S where the peer's concepts are those of the next output, c + 1 mod C. Activations fill a narrow
/// cone (after a ReLU no two of them point away from each other), and so do the directions found in
/// them: this is what they have in common without being the same concept.
///
/// returns  [0, 1]
/// throws   NotApplicable: one output, or concepts that all outputs share
Result stability_other_output(const Peers& peers);

/// What share of the concepts is found again?
///
///   sum_c |{(k,l) in M_c : s(k, l) >= 0.7}| / sum_c max(K_c, K'_c)
///
/// returns  [0, 1]
///
/// Source: a share above a bound as in Paulo and Belrose, arXiv 2501.16615.
Result stability_reappearing(const Peers& peers);
inline constexpr double kReappears = 0.7;

/// Do the importances agree?
///
/// Spearman's rank correlation of the importances of matched concepts, over the pairs of all outputs:
/// m_ck and m'_cl for (k, l) in M_c, where m is |alpha|, of a subspace the norm of its alphas. Where
/// outputs share their concepts, every output has an importance for each pair.
///
/// returns  [-1, 1]; 0: they have nothing to do with each other
/// throws   std::domain_error: fewer than 3 pairs, or importances that are all equal
Result stability_importance(const Peers& peers);

/// How much of one explanation is in the other, concepts and importances together?
///
///   sum_c sum_{(k,l) in M_c} min(w_ck, w'_cl) s(k, l),   w = m / (sum of all m)
///
/// returns  [0, 1]; 1: the same concepts with the same shares of importance
/// throws   std::domain_error: all importances are 0
///
/// Source: ours.
Result stability_overlap(const Peers& peers);

namespace declare {
std::vector<Metric> stability();
}  // namespace declare

}  // namespace conoscope::metrics
