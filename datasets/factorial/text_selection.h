// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conoscope/sdk/random.h"
#include "datasets/factorial/table.h"

namespace conoscope::datasets {

/// The concept by whose value the paper's text draws all sets: [factor < below].
struct DecidingConcept {
  std::size_t factor;
  int below;
};

/// The rows, ascending, of dSprites(gamma) and 3dshapes(gamma) as the paper's text defines them,
/// which neither repository's code does:
///
/// - step i = 0 ... gamma - 1: where factor i has the value a, factor i + 1, of T values, has one of
///   floor(T / 2) drawn for that a, without replacement, from the values numbered 1 to floor(3T / 4)
///   where the deciding concept is 1, and from those numbered floor(T / 4) to T where it is 0;
/// - of the factors after number gamma every other value is kept, beginning with the first.
///
/// The text decides by one concept (c1 of dSprites, c5 of 3dshapes) at every step and halves every
/// factor, where the code decides by the factor before and keeps a quarter of dSprites's
/// orientations. 3dshapes(0) has the text's 16,000 images; dSprites(0) has 46,080, not its "around
/// 32,000".
///
/// sets_seed  the sets of a step do not depend on those after it
/// throws     std::invalid_argument: gamma is not from 0 to the number of factors - 1
///
/// Source: Espinosa Zarlenga et al., Towards Robust Metrics for Concept Representation Evaluation,
/// AAAI 2023, appendix A.6.
std::vector<std::int64_t> select_rows_by_text(const FactorTable& table, std::int64_t gamma,
                                              const DecidingConcept& decides, sdk::Seed sets_seed);

}  // namespace conoscope::datasets
