#pragma once

#include "tests/support/golden_values.h"

namespace conoscope::tests::golden {

// The statistical kinds of the family `leakage`.
void register_statistics(Kinds& kinds);

}  // namespace conoscope::tests::golden
