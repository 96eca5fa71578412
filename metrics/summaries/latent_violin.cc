// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/latent_violin.h"

#include "metrics/factors/latent_factors.h"
#include "metrics/robustness/interventional_effects.h"
#include "metrics/robustness/irs_matrix.h"
#include "metrics/summaries/interventional_effect.h"
#include "metrics/summaries/shown_items.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostValues = 16, kPoints = 24;

SummaryTable outlines(const Subject& subject) {
  const LatentFactors& of = subject.once(latent_factors);
  if (of.factors.cols() < 2) throw NotApplicable("needs at least two factors that vary");
  const IrsMatrix irs = irs_matrix(of.codes, of.binned);
  SummaryTable out{{}, of.caveat};
  for (const Index l : moving_latents(irs.normaliser))
    for (Index j = 0; j < of.binned.cols(); ++j) {
      const auto found = violins(of.codes.col(l), of.binned.col(j), kPoints);
      for (const Index v : evenly(static_cast<Index>(found.size()), kMostValues)) {
        const Violin& violin = found[static_cast<std::size_t>(v)];
        const Index last = violin.position.size() - 1;
        out.add({static_cast<double>(l), static_cast<double>(j), violin.value, violin.position[0],
                 violin.position[last]});
        for (Index p = 0; p < kPoints; ++p)
          out.cells.push_back(violin.density.size() == kPoints ? violin.density[p] : kNoNumber);
      }
    }
  return out;
}

}  // namespace

Summary declare::latent_violin() {
  Summary out{.name = "latent_violin",
              .question = "How is a latent distributed at each value of each factor?",
              .source = "Suter et al., ICML 2019, Fig. 7; bandwidth: Scott's rule",
              .needs = {"latent_view", "factors"},
              .columns = {"latent", "factor", "value", "low", "high"},
              .compute = outlines};
  for (Index p = 0; p < kPoints; ++p) out.columns.push_back("density_" + std::to_string(p));
  return out;
}

}  // namespace conoscope::metrics
