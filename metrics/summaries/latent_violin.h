// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// How is a latent spread for each value of each factor? A density, in 24 points from its smallest
/// to its largest code there.
///
///   density_p = p(z_l = low + p (high - low) / 23 | g_j = value)      see violins
///
/// The same latents as interventional_effect, at most 16 values of a factor. NaN: all codes are
/// equal.
///
/// Source: Suter et al., ICML 2019, Fig. 7.
Summary latent_violin();

}  // namespace conoscope::metrics::declare
