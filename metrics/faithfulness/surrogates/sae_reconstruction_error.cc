#include "metrics/faithfulness/surrogates/sae_reconstruction_error.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double sae_reconstruction_error(const MatrixRef& rows, const CheckedExplanation& explanation) {
  constexpr const char* kName = "sae_reconstruction_error";
  if (rows.rows() < 1 || rows.cols() < 1 ||
      (explanation->linear() && explanation->cavs.rows() > 0 &&
       explanation->cavs.cols() != rows.cols()))
    numerics::refuse(kName, "rows is " + numerics::shape_of(rows) + ", the CAVs have width " +
                                std::to_string(explanation->cavs.cols()));
  numerics::require_finite(kName, "rows", rows);
  const double all = rows.squaredNorm();
  if (all == 0.0) throw std::domain_error("sae_reconstruction_error: every row is 0");
  const Index passes = explanation->class_agnostic ? 1 : explanation->outputs();
  double lost = 0.0;
  for (Index c = 0; c < passes; ++c) {
    const Matrix scores = explanation.project(c, rows);
    lost += (explanation.reconstruct(c, scores, rows.cols()) - rows).squaredNorm();
  }
  return lost / static_cast<double>(passes) / all;
}

std::vector<Metric> declare::sae_reconstruction_error() {
  return {{.name = "sae_reconstruction_error",
           .group = "sae_eval",
           .question = "What part of the embeddings is lost by reducing them to concept scores?",
           .direction = Direction::kLower,
           .source = "as in Kumar and Ahuja, arXiv 2504.10833, App. A",
           .needs = {"head_view", "explanation"},
           .compute = [](const Subject& subject) -> Result {
             require_pooled(subject);
             const ExplainedHead& of = subject.once(explained_head);
             return {metrics::sae_reconstruction_error(of.pooled(), of.explanation())};
           }}};
}

}  // namespace conoscope::metrics
