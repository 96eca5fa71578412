#pragma once

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// The call conoscope.model.head/1 on the first samples' activations: twice the same, the logits of
/// the head view that fit() left, and a vector-Jacobian product that agrees with differences of the
/// outputs along a random direction.
///
/// use     the plugin; model: what its fit() left
/// throws  OutputFault: it does not agree, or the metadata do not say offers = ["head"]
///         CallFault (not applicable): it has no such call, and offers none
void check_head(const PluginUse& use, const HostCalls& host, const ArrayBag& model);

/// The call conoscope.model.redrawn_head/1 on the same: equal for one seed, another for the next, not the
/// network's own answers, and a vector-Jacobian product that agrees with differences.
void check_redrawn_head(const PluginUse& use, const HostCalls& host, const ArrayBag& model);

}  // namespace conoscope::core
