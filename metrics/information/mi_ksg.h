// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/information/sorted_values.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct KsgOptions {
  Index neighbours = 3;  ///< k, the papers' value
};

/// An estimate of mutual information, in nats.
struct MiEstimate {
  double value = 0.0;  ///< max(0, raw)
  double raw = 0.0;    ///< may be below 0 where there is little to find
  Index tied = 0;      ///< samples with k exact duplicates: each of them lowers the estimate
};

/// How much does one continuous quantity say about another? KSG's first algorithm.
///
///   r_i = max-norm distance of (x_i, y_i) to its k-th nearest other sample
///   n_x(i) = #{j != i: |x_j - x_i| < r_i}, or of exact duplicates where r_i = 0; n_y alike
///   I   = psi(n) + psi(k) - mean_i psi(n_x(i) + 1) - mean_i psi(n_y(i) + 1)
///
/// x, y     n x d_x and n x d_y, finite; one joint radius serves both, and nothing is
///          standardised: the estimate depends on the units of x and y relative to each other.
/// returns  nats; 0 ... psi(n) - psi(k), which I(x; x) reaches where no values tie.
/// throws   std::invalid_argument: n < k + 1, k < 1, lengths that differ, no columns, an entry not
///          finite
///
/// Scalars take sorting only, O(n (sqrt(n) + log n)) at worst; vectors every distance once, in
/// 15-bit integers, and in double wherever those could be on the wrong side.
///
/// Source: Kraskov, Stoegbauer and Grassberger, Phys. Rev. E 69, 2004, Eq. 8; ties as in
/// scikit-learn. The code of Parisini et al. takes n * d_x for n, which raises the estimate by
/// about ln d_x; here n is the number of samples.
MiEstimate mi_ksg(const MatrixRef& x, const MatrixRef& y, const KsgOptions& options = {});

/// Of two scalars whose order is known.
MiEstimate mi_ksg(const SortedValues& x, const SortedValues& y, const KsgOptions& options = {});

/// I(x; x), the "entropy" by which the reference normalises; without ties psi(n) - psi(k).
MiEstimate mi_ksg_self(const SortedValues& x, const KsgOptions& options = {});

/// One scalar against many others: what belongs to it alone is prepared once.
class KsgScalar {
 public:
  /// x   kept by reference.
  /// throws  as mi_ksg
  explicit KsgScalar(const SortedValues& x, const KsgOptions& options = {});

  MiEstimate with(const SortedValues& y) const { return with(y, y.order()); }
  /// Where y's values belong to other samples: order[p] is the sample of the p-th smallest.
  MiEstimate with(const SortedValues& y, std::span<const std::int32_t> order) const;
  MiEstimate with_itself() const;

 private:
  const SortedValues& x_;
  Index k_;
  std::vector<double> psi_;
  // Samples in runs of about equal length by ascending x; equal values share a run.
  std::vector<std::int32_t> run_of_;     // by sample
  std::vector<std::int32_t> run_begin_;  // places, one more than runs
};

}  // namespace conoscope::metrics
