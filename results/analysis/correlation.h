#pragma once

#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// Does a metric predict another one, from subject to subject? A row for each dataset and metric:
/// the number of subjects (models, or explanations), the mean of Pearson's r over draws of their
/// means, and p by Barnard and Rubin's and by Rubin's degrees of freedom; the layout of Table 2 of
/// Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025 (there: ctl, icl and
/// ois with what interventions leave wrong).
///
/// A subject counts with its mean over seeds and the standard error of that mean, and only with two
/// seeds or more that have both numbers. Draws are not clipped at 0, as that paper's code does:
/// s_int may lie below. Fewer than four subjects, or numbers that do not vary: r is NULL.
///
/// options  run, and dataset, model and explainer to keep; the metrics that may predict
/// with     the metric to be predicted
/// throws   StoreError (not_found): the run does not ask for a metric; lists those it asks for
Table correlation_table(Store& store, const BoardOptions& options, const std::string& with);

}  // namespace conoscope::results
