// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plugins/explainers/sparse_autoencoders/parts.h"

namespace conoscope::methods {

/// Means over rows of each row's sum. `loss` is what is minimised, the others are its parts before
/// their weights.
struct SparseLosses {
  double loss = 0.0;
  double error = 0.0;     ///< |x - x^|^2
  double aux = 0.0;       ///< the auxiliary loss
  double sparsity = 0.0;  ///< L1, or what stands in for it
  double active = 0.0;    ///< latents above 0
  double gradient_norm = 0.0;
  std::vector<double> prefixes;  ///< |x - x^|^2 of each prefix, of a Matryoshka one
};

/// What a step is told beside its rows.
struct StepState {
  std::vector<char> dead;  ///< K: latents that the auxiliary loss revives; empty: none
  double pressure = 1.0;   ///< what the weight of sparsity is multiplied by
};

/// One kind of sparse autoencoder: codes, loss and gradient of a batch of rows.
template <typename T>
class Objective {
 public:
  virtual ~Objective() = default;

  /// Puts parameters back to where they may be, before a step and outside its gradient.
  virtual void constrain(Parts<T>& /*parts*/) const {}

  /// x: B x D. Fills `gradient`, which has the parts of `at` in their sizes.
  virtual SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at,
                                     const StepState& state, Parts<T>& gradient) = 0;

  /// B x K, of the last call of differentiate().
  virtual RowMajor<T> codes() const = 0;
  /// K: which latents fired in any row of that call; empty: dead ones are not revived.
  virtual std::vector<char> fired() const { return {}; }
};

/// The entries of a batch of codes that are not 0, row by row with ascending columns.
struct Pattern {
  std::vector<Index> begin;  ///< B + 1
  std::vector<std::int32_t> columns;

  Index count() const { return static_cast<Index>(columns.size()); }
  void clear();
  void end_row() { begin.push_back(count()); }

  /// Of all entries that are not 0.
  template <typename T>
  void read(const RowMajor<T>& codes);
};

/// codes * atoms, B x D; `codes` is 0 outside of the pattern. Sums over the entries where they are
/// few, else a product of matrices.
template <typename T>
void product_of_pattern(const Pattern& pattern, const RowMajor<T>& codes, const RowMajor<T>& atoms,
                        RowMajor<T>& out);
/// codes^T * rows, K x D.
template <typename T>
void transposed_product_of_pattern(const Pattern& pattern, const RowMajor<T>& codes,
                                   const RowMajor<T>& rows, RowMajor<T>& out);

/// Sum of squares in double; each row in T, which is exact enough for a row.
template <typename T>
double sum_of_squares(const RowMajor<T>& x);

}  // namespace conoscope::methods
