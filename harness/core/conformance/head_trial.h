// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// head() on the first samples' activations: twice the same, the logits of the head view that fit()
/// left, and a vector-Jacobian product that agrees with differences of the outputs along a random
/// direction.
///
/// use     the plugin; left: what its fit() left
/// throws  OutputFault: it does not agree, or the metadata do not say offers = ["head"]
///         CallFault (not applicable): it has no such call, and offers none
void try_head(const PluginUse& use, const Host& host, const ArrayBag& left);

/// redrawn_head() on the same: equal for one seed, another for the next, not the network's own answers,
/// and a vector-Jacobian product that agrees with differences.
void try_redrawn_head(const PluginUse& use, const Host& host, const ArrayBag& left);

}  // namespace conoscope::core
