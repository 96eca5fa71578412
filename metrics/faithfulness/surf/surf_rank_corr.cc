// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_rank_corr.h"

#include <stdexcept>

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_rank_corr(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_rank_corr", model, surrogate);
  if (model.outputs() == 1) throw std::domain_error("one output cannot be ranked");
  detail::LogitRow row(model.outputs());
  Index undefined = 0;
  Result result = detail::mean_over_samples(model.samples(), [&](Index i) {
    const auto rho = row.spearman(model.row(i), surrogate.row(i));
    undefined += !rho;
    return rho.value_or(0.0);
  });
  if (undefined > 0)
    result.caveat = std::to_string(undefined) + " samples with a constant row counted 0";
  return result;
}

Result surf_rank_corr_undefined(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_rank_corr_undefined", model, surrogate);
  const auto constant = [](const Logits& logits, Index i) {
    return logits.matrix().row(i).maxCoeff() == logits.matrix().row(i).minCoeff();
  };
  Index undefined = 0;
  for (Index i = 0; i < model.samples(); ++i)
    undefined += constant(model, i) || constant(surrogate, i);
  return {static_cast<double>(undefined)};
}

Measure surf_rank_corr_measure() {
  return {.question = "How similar is the model's ranking of the outputs to that of {}?",
          .direction = Direction::kHigher,
          .low = -1.0,
          .high = 1.0,
          .source = kSurfPaper,
          .compare = surf_rank_corr};
}

Measure surf_rank_corr_undefined_measure() {
  return {.question =
              "In how many samples does the rank correlation count as 0 because all outputs are "
              "equal in the model or in {}?",
          .unit = "samples",
          .source = kSurfPaper,
          .compare = surf_rank_corr_undefined};
}

}  // namespace conoscope::metrics
