// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs_sample.h"

#include <iomanip>
#include <locale>
#include <sstream>

#include "metrics/metric.h"

namespace conoscope::metrics {

const LatentFactors& irs_factors(const Subject& subject) {
  const LatentFactors& found = subject.once(latent_factors);
  if (found.factors.cols() < 2)
    throw NotApplicable("needs at least two factors that vary, there are " +
                        std::to_string(found.factors.cols()));
  return found;
}

FactorCells irs_cells(const Subject& subject) {
  const LatentFactors& from = irs_factors(subject);
  return factor_cells(from.codes, from.binned);
}

std::string coverage_caveat(const Subject& subject, double coverage, const char* name) {
  constexpr double kUsualCoverage = 0.9;
  if (coverage >= kUsualCoverage) return "";
  const FactorCells& cells = subject.once(irs_cells);
  double combinations = 1.0;
  for (const auto& values : cells.values) combinations *= static_cast<double>(values.size());
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << cells.samples << " samples have " << cells.cells() << " of " << std::setprecision(15)
       << combinations << " combinations of the factors, " << name << " is " << std::setprecision(2)
       << coverage
       << ": what was not seen cannot disagree, so the score is of these samples more than of the "
          "code";
  return text.str();
}

}  // namespace conoscope::metrics
