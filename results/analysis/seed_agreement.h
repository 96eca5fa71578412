// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/types.h"

namespace conoscope::results {

/// Do several seeds rank the same things alike?
struct SeedAgreement {
  std::int64_t winners =
      0;  ///< how many things are the best of at least one seed; of equals, the first
  /// Mean over pairs of seeds of Spearman's rho; none: with one seed, or fewer than three things, or where a
  /// seed scores all alike.
  std::optional<double> rho;
};

/// scores   things x seeds, the larger the better; at least one of each
/// throws   std::invalid_argument: empty, or an entry not finite
///
/// Source: arXiv 2605.18229.
SeedAgreement seed_agreement(const numerics::MatrixRef& scores);

}  // namespace conoscope::results
