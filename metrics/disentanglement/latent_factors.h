#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics::detail {

/// A subject's codes and the factors that vary, as the groups of this family and of robustness
/// score them.
struct LatentFactors {
  Matrix codes;         ///< n x K'
  Matrix factors;       ///< n x K: as annotated
  Matrix binned;        ///< n x K: factors that are not integers in 20 equal-width bins
  Index dropped = 0;    ///< factors with a single value, left out
  Index brought = 0;    ///< factors that were brought into bins
  std::string message;  ///< both in words; empty if there is nothing to say
};

/// Why the subject has none; empty: it has.
std::string lacks_latent_factors(const Views& subject);

/// throws  std::invalid_argument: numbers of rows that differ, an entry not finite
LatentFactors latent_factors(std::string_view metric, const Views& subject);

/// At most train + test rows in an order drawn from the seed, 2/3 of them for training.
struct RowSplit {
  IndexVector train, test;
};
RowSplit split_rows(Index samples, std::uint64_t seed, Index most = 15000);

}  // namespace conoscope::metrics::detail
