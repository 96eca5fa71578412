// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/code_information.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "metrics/disentanglement/latent_sample.h"
#include "metrics/factors/equal_width_bins.h"
#include "metrics/factors/factor_levels.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

double entropy(const std::vector<double>& counts, double n) {
  double sum = 0.0;
  for (const double count : counts)
    if (count > 0.0) sum -= count / n * std::log(count / n);
  return sum;
}

}  // namespace

CodeInformation code_information(const CodesAndFactors& sample,
                                 const CodeInformationOptions& options) {
  constexpr const char* kName = "code_information";
  const auto& [codes, factors] = sample;
  if (options.factor_bins < 0)
    numerics::refuse(
        kName, "factor_bins is " + std::to_string(options.factor_bins) + "; needs to be >= 0");
  const IndexMatrix bins = equal_width_bins(codes, options.code_bins);
  const FactorLevels levels =
      options.factor_bins > 0
          ? factor_levels(kName, equal_width_bins(factors, options.factor_bins).cast<double>())
          : factor_levels(kName, factors);
  const auto n = static_cast<double>(codes.rows());
  CodeInformation out{Matrix::Zero(codes.cols(), factors.cols()), Vector::Zero(factors.cols())};
  for (Index k = 0; k < factors.cols(); ++k) {
    const auto& level = levels.levels[static_cast<std::size_t>(k)];
    const std::size_t values = levels.values[static_cast<std::size_t>(k)].size();
    std::vector<double> of_value(values);
    for (const std::int32_t v : level) of_value[static_cast<std::size_t>(v)] += 1.0;
    out.factor_entropy[k] = entropy(of_value, n);
    for (Index j = 0; j < codes.cols(); ++j) {
      std::vector<double> joint(values * static_cast<std::size_t>(options.code_bins));
      std::vector<double> of_bin(static_cast<std::size_t>(options.code_bins));
      for (Index i = 0; i < codes.rows(); ++i) {
        const auto b = static_cast<std::size_t>(bins(i, j));
        of_bin[b] += 1.0;
        joint[b * values + static_cast<std::size_t>(level[static_cast<std::size_t>(i)])] += 1.0;
      }
      double sum = 0.0;
      for (std::size_t b = 0; b < of_bin.size(); ++b)
        for (std::size_t v = 0; v < values; ++v)
          if (const double both = joint[b * values + v]; both > 0.0)
            sum += both / n * std::log(both * n / (of_bin[b] * of_value[v]));
      out.mutual_information(j, k) = std::max(sum, 0.0);
    }
  }
  return out;
}

CodeInformation latent_information(const Subject& subject) {
  return code_information(latent_sample(subject, {}).binned);
}

}  // namespace conoscope::metrics
