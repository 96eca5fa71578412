// SPDX-License-Identifier: Apache-2.0
#include "metrics/factors/latent_factors.h"

#include "metrics/factors/codes_and_factors.h"
#include "metrics/factors/equal_width_bins.h"
#include "metrics/left_out.h"

namespace conoscope::metrics {

LatentFactors latent_factors(const Subject& subject) {
  constexpr Index kBins = 20;
  const Matrix& all = subject.annotations().factors;
  const CodesAndFactors checked(subject.latent().codes, all);
  LatentFactors out;
  out.codes = subject.latent().codes;
  IndexVector varying;
  for (Index k = 0; k < all.cols(); ++k)
    ((all.col(k).array() != all(0, k)).any() ? varying : out.constant).push_back(k);
  out.factors = out.binned = all(Eigen::all, varying);
  Index brought = 0;
  for (Index k = 0; k < out.factors.cols(); ++k) {
    if ((out.factors.col(k).array() == out.factors.col(k).array().floor()).all()) continue;
    out.binned.col(k) = equal_width_bins(Matrix(out.factors.col(k)), kBins).cast<double>();
    ++brought;
  }
  const Index dropped = all.cols() - out.factors.cols();
  if (dropped > 0) out.caveat = left_out(dropped, "factor", "a single value");
  if (brought > 0)
    out.caveat += (dropped > 0 ? "; " : "") + std::to_string(brought) +
                  (brought == 1 ? " factor" : " factors") + " in 20 bins";
  return out;
}

}  // namespace conoscope::metrics
