#include "metrics/disentanglement/latent_factors.h"

#include <algorithm>
#include <numeric>

#include "metrics/disentanglement/equal_width_bins.h"
#include "metrics/disentanglement/sample_pair.h"
#include "numerics/random.h"

namespace conoscope::metrics::detail {

namespace {

constexpr Index kBins = 20;

std::string times(Index count, const char* what) {
  return std::to_string(count) + (count == 1 ? " factor " : " factors ") + what;
}

}  // namespace

std::string lacks_latent_factors(const Views& subject) {
  if (!subject.latent) return "needs a latent view";
  if (!subject.annotations || subject.annotations->factors.size() == 0)
    return "needs annotations.factors";
  return "";
}

LatentFactors latent_factors(std::string_view metric, const Views& subject) {
  const Matrix& all = subject.annotations->factors;
  require_codes_and_factors(metric, subject.latent->codes, all);
  LatentFactors out;
  out.codes = subject.latent->codes;
  IndexVector varying;
  for (Index k = 0; k < all.cols(); ++k)
    if ((all.col(k).array() != all(0, k)).any()) varying.push_back(k);
  out.dropped = all.cols() - static_cast<Index>(varying.size());
  out.factors = all(Eigen::all, varying);
  out.binned = out.factors;
  for (Index k = 0; k < out.factors.cols(); ++k) {
    if ((out.factors.col(k).array() == out.factors.col(k).array().floor()).all()) continue;
    out.binned.col(k) = equal_width_bins(Matrix(out.factors.col(k)), kBins).cast<double>();
    ++out.brought;
  }
  if (out.dropped > 0) out.message = times(out.dropped, "with a single value left out");
  if (out.brought > 0)
    out.message += (out.message.empty() ? "" : "; ") + times(out.brought, "in 20 bins");
  return out;
}

RowSplit split_rows(Index samples, std::uint64_t seed, Index most) {
  IndexVector order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random random(seed, 37);
  random.shuffle(order);
  const Index used = std::min(samples, most), test = used / 3;
  return {{order.begin() + test, order.begin() + used}, {order.begin(), order.begin() + test}};
}

}  // namespace conoscope::metrics::detail
