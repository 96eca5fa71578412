// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// Pearson's r over the subjects' means, pooled over draws of them.
struct PooledCorrelation {
  double r = 0;              ///< mean over the draws
  double low = 0, high = 0;  ///< its 95 % interval: tanh(z -+ t sqrt(T)) of the pooled z = artanh r
  double dof = 0, p = 0;     ///< Barnard and Rubin's
  double p_large = 0;        ///< with Rubin's degrees of freedom, for large samples
};

struct CorrelationRow {
  std::string dataset, metric;
  std::int64_t subjects = 0;
  std::optional<PooledCorrelation> found;
  std::string message = {};  ///< why none was: fewer than four subjects, numbers that do not vary,
                             ///< or, without any spread over seeds, an r of 1
};

/// Does a metric predict another one, from subject to subject? A row for each dataset and metric, with
/// the number of subjects (models, or explanations); the layout of Table 2 of Parisini et al., Leakage
/// and Interpretability in Concept-Based Models, 2025 (there: ctl, icl and ois with what interventions
/// leave wrong).
///
/// A subject counts with its mean over seeds and the standard error of that mean, and only with two
/// seeds or more that have both numbers. Draws are not clipped at 0, as that paper's code does:
/// s_int may lie below.
///
/// options  run, and dataset, model and explainer to keep; the metrics that may predict
/// with     the metric to be predicted
/// throws   StoreError (not_found): the run does not ask for a metric; lists those it asks for
std::vector<CorrelationRow> correlations(Store& store, const BoardOptions& options,
                                         const std::string& with);

/// correlations() as a table.
Table correlation_table(Store& store, const BoardOptions& options, const std::string& with);

/// Do two metrics rise together from part to part, as from latent to latent? Spearman's rho over the
/// parts of all these subjects, by seed; Fig. 3 of Suter et al., Robustly Disentangled Causal
/// Mechanisms, 2019, which shows one seed. Where `metric` has a row of parts for each of `with`'s, as
/// irs_score has (latents by factors), the row's largest counts. A part counts if both have a value.
///
/// run       its key
/// returns   the seeds at which all subjects have parts of both, and neither is constant over them
std::map<std::int64_t, double> part_correlations(Store& store, const std::string& run,
                                                 const std::vector<BoardSubject>& subjects,
                                                 const std::string& metric,
                                                 const std::string& with);

}  // namespace conoscope::results
