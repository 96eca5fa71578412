#pragma once

#include "tests/support/golden_values.h"

namespace conoscope::tests::golden {

// Who answers which kinds of the family `leakage`; statistics and purity register their own.
void register_leakage_information(Kinds& kinds);
void register_leakage_accuracy(Kinds& kinds);
void register_leakage_datasets_images(Kinds& kinds);
void register_leakage_intervention(Kinds& kinds);
void register_leakage_datasets(Kinds& kinds);

}  // namespace conoscope::tests::golden
