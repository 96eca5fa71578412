// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/dependency_matrix.h"

#include <stdexcept>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/robustness/irs_matrix.h"

namespace conoscope::metrics {

namespace {

constexpr LatentNeeds kLeast{.codes = 1, .factors = 2};

SummaryTable dependencies(const Subject& subject) {
  latent_sample(subject, kLeast);  // or says what is lacking
  const LatentFactors& of = subject.once(latent_factors);
  const IrsMatrix irs = irs_matrix(of.codes, of.binned);
  const CodeInformation& information = subject.once(latent_information);
  const DciFit* forest = nullptr;
  try {
    forest = &subject.once(latent_forest);
  } catch (const std::domain_error&) {  // too few samples for a split
  } catch (const NotApplicable&) {      // a single code
  }
  SummaryTable out{{}, of.caveat};
  for (Index l = 0; l < of.codes.cols(); ++l)
    for (Index i = 0; i < of.factors.cols(); ++i)
      out.add(
          {static_cast<double>(l), static_cast<double>(i),
           irs.defined(l) ? irs.irs(l, i) : kNoNumber,
           information.factor_entropy[i] > 0.0
               ? information.mutual_information(l, i) / information.factor_entropy[i]
               : kNoNumber,
           forest && forest->importance.col(i).sum() > 0.0 ? forest->importance(l, i) : kNoNumber});
  return out;
}

}  // namespace

Summary declare::dependency_matrix() {
  return {.name = "dependency_matrix",
          .question =
              "Which latent depends on which factor, by robustness, by information and by "
              "importance?",
          .source = "Suter et al., ICML 2019, Figs. 6 and 8 to 12",
          .needs = {"latent_view", "factors"},
          .columns = {"latent", "factor", "irs", "information", "importance"},
          .compute = dependencies};
}

}  // namespace conoscope::metrics
