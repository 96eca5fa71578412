#pragma once

#include "metrics/catalogue.h"

namespace conoscope::metrics {

/// The rows of the `surf` group.
void add_surf(Catalogue& catalogue);

}  // namespace conoscope::metrics
