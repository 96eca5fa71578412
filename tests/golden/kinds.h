// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who answers which kinds of cases. A new file of kinds adds its line here and in its family's test.

#include "tests/support/golden.h"

namespace conoscope::tests::golden {

void register_disentanglement(Kinds& kinds);
void register_disentanglement_models(Kinds& kinds);
void register_faithfulness_craft_cdisco(Kinds& kinds);
void register_faithfulness_measures(Kinds& kinds);
void register_faithfulness_numerics(Kinds& kinds);
void register_faithfulness_shap_sae(Kinds& kinds);
void register_faithfulness_subspaces(Kinds& kinds);
void register_faithfulness_surf(Kinds& kinds);
void register_faithfulness_table(Kinds& kinds);
void register_leakage_accuracy(Kinds& kinds);
void register_leakage_datasets(Kinds& kinds);
void register_leakage_datasets_images(Kinds& kinds);
void register_leakage_information(Kinds& kinds);
void register_leakage_intervention(Kinds& kinds);
void register_purity(Kinds& kinds);
void register_robustness(Kinds& kinds);
void register_settings_leakage(Kinds& kinds);
void register_settings_metrics(Kinds& kinds);
void register_settings_models(Kinds& kinds);
void register_settings_purity(Kinds& kinds);
void register_statistics(Kinds& kinds);
void register_truth_audit(Kinds& kinds);
void register_truth_learners(Kinds& kinds);
void register_truth_metrics(Kinds& kinds);
void register_truth_world(Kinds& kinds);
void register_vae_losses(Kinds& kinds);

/// mae, emd, top1, rank_corr, rank_corr_skip (the mean where it is defined), rank_undefined (in how
/// many samples it is not), and the array spearman_rows, -9 where undefined.
void put_measures(Outputs& out, const metrics::Matrix& model, const metrics::Matrix& surrogate);

/// ICE-Eval gives the same number for perfect and for random importances, bit by bit: the
/// sanity_ice_eval cases of the file that `one` stands in.
bool ice_eval_is_blind_to_importance(const Case& one);

}  // namespace conoscope::tests::golden
