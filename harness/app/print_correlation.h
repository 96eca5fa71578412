#pragma once

#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/formats/format.h"

namespace conoscope::app {

/// Does a metric foretell another one, from subject to subject? A row for each data set and metric:
/// the number of subjects (models, or explanations), the mean of Pearson's r over draws of their
/// means, and p by Barnard and Rubin's and by Rubin's degrees of freedom; the layout of Table 2 of
/// Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025 (there: ctl, icl and
/// ois with what interventions leave wrong).
///
/// A subject counts with its mean over seeds and the standard error of that mean, and only with two
/// seeds or more that have both numbers. Draws are not clipped at 0, as that paper's code does:
/// s_int may lie below. Fewer than four subjects, or numbers that do not vary: r is NULL.
///
/// with     the metric to be foretold
/// metrics  empty: all others that the run asks for and that have a direction
/// throws   UsageError: the run does not ask for a metric
void print_correlation(results::Store& store, const results::BoardOptions& filters,
                       const std::string& with, std::vector<std::string> metrics,
                       results::Format format);

}  // namespace conoscope::app
