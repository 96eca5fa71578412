#pragma once

#include "tests/support/golden_values.h"

namespace conoscope::tests::golden {

// The kinds of the folder `leakage` about purity: OIS, NIS, alignment, Table 1.
void register_purity(Kinds& kinds);

}  // namespace conoscope::tests::golden
