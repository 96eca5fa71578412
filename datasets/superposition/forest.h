// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::datasets::superposition {

using numerics::Index;
using numerics::IndexVector;
using numerics::Vector;
using numerics::VectorRef;

/// Which feature needs which other one to fire. Features outside the trees have neither.
struct Forest {
  IndexVector parent;  ///< -1: a root, or outside the trees
  IndexVector level;   ///< 0: a root; -1: outside the trees
};

/// `roots` trees in which every feature has `branching` children, down to level `depth`. Features are
/// numbered breadth first over all trees, and those left over at the end are outside; where there are
/// too few features, the trees end with the last one.
///
/// n       features, >= 1
/// throws  std::invalid_argument: n or branching < 1; roots or depth < 0
///
/// Source: SynthSAEBench, arXiv 2602.14687, its hierarchy; the order of features is its code's.
Forest grow_forest(Index n, Index roots, Index branching, Index depth);

/// How often shall feature i = 1 ... n be active?
///
///   p_i = least + (most - least) (r_i - r_n) / (r_1 - r_n),   r_i = i^-exponent
///
/// n          >= 1
/// most       p_1;  least  p_n;  0 <= least <= most <= 1
/// returns    n rates, falling; all of them `most` where exponent is 0 or n is 1
/// throws     std::invalid_argument: any of these outside its range, or exponent < 0
///
/// Source: SynthSAEBench, arXiv 2602.14687, firing probabilities.
Vector zipf_rates(Index n, double exponent, double most, double least);

/// Rates to draw features with, so that they come near their targets once trees have silenced some.
struct DrawingRates {
  Vector rate;
  Index cut = 0;  ///< how many would have been above 1
};

/// A child only stays active where its parent is, and, with `exclusive`, where it wins against those
/// siblings that fired, too:
///
///   q_i = min(1, p_i / p_parent (1 + sum over other siblings j of p_j / p_parent))
///
/// without `exclusive` the bracket is 1. Roots and features outside trees keep q = p. The targets of
/// parents count, not their drawing rates. This is approximate: children who exclude each other may ask
/// for more than their parent has, and realised rates stay below their targets then.
///
/// p        targets in (0, 1], one for each feature
/// parent   of each feature, -1: none
/// throws   std::invalid_argument: sizes differ, a target is outside (0, 1], or a parent is no feature
///
/// Source: SynthSAEBench, arXiv 2602.14687, probability correction.
DrawingRates compensate(const VectorRef& p, const IndexVector& parent, bool exclusive);

/// Every feature's children, in the order of their numbers.
/// throws  std::invalid_argument: a parent is no feature
std::vector<IndexVector> children_of(const IndexVector& parent);

}  // namespace conoscope::datasets::superposition
