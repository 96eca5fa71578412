// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/surf/surf_claim.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// What would the network answer if a layer held what the explanation says of it?
///
///   s_c(x) = y_c(x) + g_c(H_c'(x)) - g_c(H(x))     g: all that lies above the layer, y: the model
///
/// Each output has activations of its own, moved as SurfClaim has it. Where g is linear, s is
/// surf_surrogate. Where the explanation says what the head reads, nothing is moved, and s = y.
///
/// above    g; called twice and more for each block of samples: on H, and once for each output.
/// returns  n x C, on the scale of the model's logits.
/// throws   as SurfClaim; std::invalid_argument: g gives another shape or an entry not finite
///
/// Source: ours. Kumar and Ahuja, arXiv 2504.10833 (SURF), study the last layer alone and name layers
/// below it as future work; see docs/adr/0014-surf-below-the-last-layer.md.
Matrix surf_through_surrogate(const SurfClaim& claim, const HeadCalls& above);

/// And if the network were as straight as it is at each sample?
///
///   s_c(x) = y_c(x) + e_c(x) <grad g_c(H(x)), u_c>
///
/// The first order of surf_through_surrogate: each sample has a linear head of its own, the gradient
/// there, and no activations are made up. One vector-Jacobian product for each output.
///
/// throws   as surf_through_surrogate
Matrix surf_local_surrogate(const SurfClaim& claim, const HeadCalls& above);

}  // namespace conoscope::metrics
