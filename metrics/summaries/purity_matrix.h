// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// The purity matrix beside that of the concepts themselves, which is the ideal of ois; of
/// representations without names, those of the optimal alignment. Trained once for both.
Summary purity_matrix();

}  // namespace conoscope::metrics::declare
