// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics {

/// The latents that a summary shows: at most 6, those that move most (m_l of irs_matrix), in their
/// order.
IndexVector moving_latents(const Vector& normaliser);

namespace declare {

/// What does a latent do as its own factor changes, and as the others change while its own is held?
///
///   factor i*  E[z_l | g_i*] and its standard deviation; held is NaN
///   factor j   E[z_l | g_i* = held, do(g_j <- value)], as Sec. 6.3 of the paper has it; on a
///              crossed grid it makes no difference whether g_i* is given or set
///
/// At most 5 values that are held, and 16 of each factor, evenly spaced. What was never observed
/// together has no row.
///
/// Source: Suter et al., ICML 2019, Figs. 4 and 13 to 17; see interventional_effects.
Summary interventional_effect();

}  // namespace declare

}  // namespace conoscope::metrics
