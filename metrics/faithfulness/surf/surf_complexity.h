// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metrics/faithfulness/measure.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What does a surrogate cost beyond the concept scores, per sample?
struct Complexity {
  std::int64_t params = 0;  ///< trained for the evaluation itself
  std::int64_t flops = 0;   ///< a multiplication and an addition count 2
};

/// SURF trains nothing and weighs K_c scores for each of C outputs:
///
///   params = 0,   flops = sum_c 2 K_c       (2 K C for equal K)
///
/// concepts  K_c for each output, >= 0.
/// throws    std::invalid_argument: no output, a negative count
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, Table 3, exact with C = 100, K = 1: 200.
Complexity surf_complexity(const IndexVector& concepts);

/// ICE-Eval reconstructs the embedding for each output, D (2 K_c - 1), and applies its head row,
/// 2 D:
///
///   params = 0,   flops = sum_c D (2 K_c + 1)
///
/// concepts  K_c for each output, >= 0.   width  D >= 1.
/// throws    std::invalid_argument: no output, a negative count, width < 1
///
/// Source: as above, exact with C = 100, K = 1, D = 2048: 614,400.
Complexity ice_complexity(const IndexVector& concepts, Index width);

/// C-SHAP-Eval sends K scores through one shared network K -> H1 -> D with biases, then the head
/// row:
///
///   params = K H1 + H1 + H1 D + D,   flops = 2 C (H1 K + H1 D + D)
///
/// outputs  C >= 1.  concepts  K >= 1.  width  D >= 1.  hidden  H1 >= 1.
/// throws   std::invalid_argument: one of them < 1
///
/// Source: as above, exact with C = 100, K = 1, D = 2048, H1 = 500: 1,027,048 and 205,309,600. (The
/// paper's text speaks of 101 classes and 505 latents, which does not round to its own table.)
Complexity c_shap_complexity(Index outputs, Index concepts, Index width, Index hidden);

/// What a surrogate costs, as metrics.
Metric declare_params(std::string name, const Surrogate& surrogate,
                      Complexity (*cost)(const Subject&));
Metric declare_flops(std::string name, const Surrogate& surrogate,
                     Complexity (*cost)(const Subject&));

}  // namespace conoscope::metrics
