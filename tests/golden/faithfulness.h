#pragma once

#include "tests/support/golden.h"

namespace conoscope::tests::golden {

// Who answers which kinds of the family `faithfulness`. A new file of kinds adds its line here and
// in faithfulness_test.cc.
void register_faithfulness_numerics(Kinds& kinds);
void register_faithfulness_subspaces(Kinds& kinds);
void register_faithfulness_surf(Kinds& kinds);
void register_faithfulness_table(Kinds& kinds);

}  // namespace conoscope::tests::golden
