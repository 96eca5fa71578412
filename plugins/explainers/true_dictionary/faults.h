// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "numerics/random.h"
#include "numerics/types.h"

namespace conoscope::methods {

using numerics::Index;
using numerics::IndexVector;
using numerics::Matrix;
using numerics::MatrixRef;
using numerics::Vector;
using numerics::VectorRef;

/// Atoms and what each has of every row: x = codes atoms + b.
struct KnownDictionary {
  Matrix codes;  ///< rows x K, >= 0
  Matrix atoms;  ///< K x D, unit rows
};

// What is wrong with a dictionary, in known measure: a ladder for metrics to climb down. Each takes what
// is right, and leaves what is not named as it is.

/// Every atom turned by the same angle, each its own way:  w = cos(phi) d + sin(phi) u, u the unit vector
/// of what of a given direction is orthogonal to d.
///
/// directions  d, K x D, unit rows, D >= 2;  ways  K x D
/// throws      std::invalid_argument: shapes differ, D < 2, or phi not finite
///             std::domain_error: a way is parallel to its direction
Matrix turned(const MatrixRef& directions, const MatrixRef& ways, double phi);

/// Latents that are lost: their atoms become random unit vectors u, which fire in as many rows as the
/// lost one, those that reach furthest along u, at most in those with <x - b, u> > 0:
/// f = <x - b, u> there.
///
/// rows    x - b, rows x D
/// which   latents; each must be one
/// throws  std::invalid_argument: shapes do not fit, or no such latent
void drop(KnownDictionary& dictionary, const MatrixRef& rows, const IndexVector& which,
          numerics::Seed seed);

/// Textbook absorption, of (parent, child) pairs: where the child is active the parent's latent is
/// silent, and the child's atom has taken up the parent's direction,
///
///   w_c = (d_c + rho d_p) / |d_c + rho d_p|,   rho = sum a_p / sum a_c over the rows where a_c > 0
///
/// with codes f_c = a_c |d_c + rho d_p|, so that f_c w_c = a_c (d_c + rho d_p). Activations and
/// directions are those before any pair. A child that is never active absorbs nothing.
///
/// throws  std::invalid_argument: a pair is not two latents, or a child is in two pairs
///
/// Source: the pattern of Chanin et al., A is for Absorption, arXiv:2409.14507.
void absorb(KnownDictionary& dictionary, const std::vector<std::pair<Index, Index>>& pairs);

/// Latent which[j] gets the atom of which[j + 1], the last that of the first: codes and atoms are those
/// of the truth, but not each other's.
///
/// throws  std::invalid_argument: no such latent
void exchange_atoms(KnownDictionary& dictionary, const IndexVector& which);

/// round(share * n) of 0 ... n-1, drawn without replacement, in the order drawn.
///
/// throws  std::invalid_argument: share outside [0, 1], or n < 0
IndexVector draw_share(Index n, double share, numerics::Seed seed);

/// Rows that are found again by their values, for functions that are told rows and not their numbers.
class KnownRows {
 public:
  /// rows  m x D, m >= 1, finite
  explicit KnownRows(Matrix rows);

  /// The nearest of the rows, or -1 if that is further away than 1e-5 of the largest entry of all, in
  /// some entry: rows that have been rounded to float32 are found.
  ///
  /// throws  std::invalid_argument: a row of another width
  Index find(const VectorRef& row) const;

 private:
  Matrix rows_;
  std::vector<std::pair<double, Index>>
      by_first_;  ///< entry 0 of each row, and its number; ascending
  double tolerance_ = 0.0;
};

}  // namespace conoscope::methods
