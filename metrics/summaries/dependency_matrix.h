// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// Which latent depends on which factor, by three measures?
///
///   irs          R_li = IRS({l} | {i}, all others)                  see irs_matrix
///   information  I(z_l; g_i) / H(g_i), the code in 20 bins          see code_information
///   importance   of code l in a random forest that predicts g_i     see dci_forest
///
/// NaN: a latent or a factor that is constant, or too few samples for a forest.
///
/// Source: Suter et al., ICML 2019, Figs. 6 and 8 to 12.
Summary dependency_matrix();

}  // namespace conoscope::metrics::declare
