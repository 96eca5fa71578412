#pragma once

#include "tests/support/golden.h"

namespace conoscope::tests::golden {

// Who answers which kinds of the family `faithfulness`. A new file of kinds adds its line here and
// in faithfulness_test.cc.
void register_faithfulness_measures(Kinds& kinds);
void register_faithfulness_numerics(Kinds& kinds);
void register_faithfulness_shap_sae(Kinds& kinds);
void register_faithfulness_subspaces(Kinds& kinds);
void register_faithfulness_surf(Kinds& kinds);
void register_faithfulness_craft_cdisco(Kinds& kinds);
void register_faithfulness_table(Kinds& kinds);

/// ICE-Eval gives the same number for perfect and for random importances, bit by bit: the
/// sanity_ice_eval cases of the file that `one` stands in.
bool ice_eval_is_blind_to_importance(const Case& one);

}  // namespace conoscope::tests::golden
