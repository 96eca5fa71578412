#pragma once

#include <string>
#include <vector>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics::detail {

/// The measures that any surrogate can be judged by, whatever it is made of:
///
///   <prefix>_mae  <prefix>_emd  <prefix>_top1  <prefix>_rank_corr  <prefix>_norm_l1
///
/// as surf_mae, surf_emd, ... define them. Sigmoid and regression heads: mae only. norm_l1 needs
/// labels. `undefined`: the rank correlation of one output, a norm_l1 whose true logits are all 0.
void append_surrogate_scores(std::vector<Score>& scores, const std::string& prefix,
                             const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                             Output output, const Annotations* annotations);

/// The same names with one reason for all.
void append_no_surrogate_scores(std::vector<Score>& scores, const std::string& prefix,
                                const std::string& reason, const std::string& why);

/// surf_norm_l1 as a score under any name.
Score norm_l1_score(const std::string& name, const MatrixRef& model_logits,
                    const MatrixRef& surrogate_logits, const Annotations* annotations);

}  // namespace conoscope::metrics::detail
