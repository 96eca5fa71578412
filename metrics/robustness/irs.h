// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "metrics/robustness/factor_cells.h"
#include "metrics/robustness/mean_do.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// d on the codes of a group of latents; all the same for a single one.
enum class CodeDistance { kL2, kL1, kLinf };

/// How the values of the kept factors are averaged over.
enum class OuterAverage {
  kEmpirical,  ///< by how often they occur: Algorithm 1
  kUniform,    ///< every value alike: appendix A.1 and disentanglement_lib
};

struct IrsOptions {
  InterventionWeights weights = InterventionWeights::kSelfNormalised;
  OuterAverage average = OuterAverage::kEmpirical;
  CodeDistance distance = CodeDistance::kL2;
};

struct Empida {
  double value = 0.0;
  double coverage = 1.0;  ///< the least c(g_S) of all means that were used, see mean_do
};

/// How far can the nuisance factors J move the mean code, if the factors I are held at each of their
/// values?
///
///   PIDA(L | g_I, g_J) = d( E[Z_L | do(g_I)], E[Z_L | do(g_I, g_J)] )
///   MPIDA(L | g_I, J)  = max over g_J observed together with g_I of PIDA(L | g_I, g_J)
///   EMPIDA(L | I, J)   = sum over g_I of p(g_I) MPIDA(L | g_I, J)
///
/// latents   L: latent numbers.   kept, nuisance  I and J: factor numbers, disjoint. kept may be empty:
///           the overall mean. I and J need not be all factors.
/// returns   [0, inf), unit of the codes.
/// throws    std::invalid_argument: L or J empty, numbers out of range or repeated, I and J not
///           disjoint
///
/// The maximum over means of few samples is biased upwards, by about sigma sqrt(2 ln M / n_cell)
/// over M cells.
///
/// Source: Suter et al., ICML 2019, Definition of the post-interventional disagreement.
Empida empida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
              const IndexVector& nuisance, const IrsOptions& options = {});

/// MPIDA of each value of the kept factors, in lexicographic order; PIDA of each of their values and of
/// the nuisance factors' that occur together, in the same order. Arguments as empida.
Vector mpida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
             const IndexVector& nuisance, const IrsOptions& options = {});
Vector pida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
            const IndexVector& nuisance, const IrsOptions& options = {});

struct Irs {
  std::optional<double> value;  ///< none: all latents of the group are constant
  double empida = 0.0;
  double normaliser = 0.0;
  double coverage = 1.0;  ///< as in Empida
};

/// Interventional robustness: do the latents L keep their value when the factors J change, as long
/// as the factors I do not?
///
///   IRS(L | I, J) = 1 - EMPIDA(L | I, J) / EMPIDA(L | {}, {all factors})
///
/// returns  [-1, 1]; 1: J has no effect; 0: as bad as if nothing were held. Negative where a value
///          of I has a skewed group: it is not cut off at 0. A factor with a single value holds
///          nothing as I (0) and disturbs nothing as J (1). With literal weights there is no bound.
/// throws   std::invalid_argument: as empida
///
/// Source: Suter et al., ICML 2019, Sec. 4 and Algorithm 1.
Irs irs(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
        const IndexVector& nuisance, const IrsOptions& options = {});

/// Robustness under domain shift: IRS(L | all factors but S, S), S the factors that tell the
/// domain.
///
/// Tends to 1 where combinations are missing, whatever the code: a sample whose other factors occur
/// with one domain only has nothing to deviate from. See domain_coverage.
///
/// throws   std::invalid_argument: as empida, domain in the place of nuisance
Irs domain_shift_robustness(const FactorCells& cells, const IndexVector& latents,
                            const IndexVector& domain, const IrsOptions& options = {});

/// How much of what domain_shift_robustness compares was seen? For each combination of the other
/// factors the share of the domains that occur with it, averaged over samples.
///
/// returns  (0, 1]; 1: a full grid
/// throws   std::invalid_argument: as domain_shift_robustness
double domain_coverage(const FactorCells& cells, const IndexVector& domain);

}  // namespace conoscope::metrics
