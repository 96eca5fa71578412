#pragma once

#include <string_view>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics::detail {

// The two maps of an explanation that has passed require_explanation, linear or not. A plugin
// answers them, so what comes back is checked; each throws std::invalid_argument with the metric's
// name.

/// psi(rows; V_c), m x D -> m x K_c; for a class-agnostic explanation any c gives the same.
Matrix project(std::string_view metric, const Explanation& explanation, Index output,
               const MatrixRef& rows);

/// psi^-1, m x K_c -> m x width. An explanation that offers no reconstruction of its own is read
/// as a sum of its CAVs, sum_k p_k v_k; one that has none of these either is refused.
Matrix reconstruct(std::string_view metric, const Explanation& explanation, Index output,
                   const MatrixRef& scores, Index width);

/// V_c as rows, K_c x D; refused where a projection keeps its CAVs to itself.
MatrixRef cavs_of(std::string_view metric, const Explanation& explanation, Index output);

/// alpha_c, K_c.
Vector importance_of(const Explanation& explanation, Index output);

/// The explanation speaks of the head's outputs, in the head's width; both have been checked alone.
void require_match(std::string_view metric, const HeadView& head, const Explanation& explanation);

}  // namespace conoscope::metrics::detail
