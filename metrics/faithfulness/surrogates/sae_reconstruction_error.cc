// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/sae_reconstruction_error.h"

#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "sae_reconstruction_error";

/// What a mean over outputs loses of these rows, and all there is.
class Loss {
 public:
  void add(const MatrixRef& rows, const CheckedExplanation& explanation) {
    const Index passes = explanation->class_agnostic ? 1 : explanation->outputs();
    for (Index c = 0; c < passes; ++c) {
      const Matrix scores = explanation.project(c, rows);
      lost_ += (explanation.reconstruct(c, scores, rows.cols()) - rows).squaredNorm();
    }
    passes_ = static_cast<double>(passes);
    all_ += rows.squaredNorm();
  }

  double share() const {
    if (all_ == 0.0) throw std::domain_error(std::string(kName) + ": every row is 0");
    return lost_ / passes_ / all_;
  }

 private:
  double lost_ = 0.0, passes_ = 1.0, all_ = 0.0;
};

double of_pooled(const Subject& subject) {
  const ExplainedHead& of = subject.once(explained_head);
  return sae_reconstruction_error(of.pooled(), of.explanation());
}

}  // namespace

double sae_reconstruction_error(const MatrixRef& rows, const CheckedExplanation& explanation) {
  if (rows.rows() < 1 || rows.cols() < 1 ||
      (explanation->linear() && explanation->cavs.rows() > 0 &&
       explanation->cavs.cols() != rows.cols()))
    numerics::refuse(kName, "rows is " + numerics::shape_of(rows) + ", the CAVs have width " +
                                std::to_string(explanation->cavs.cols()));
  numerics::require_finite(kName, "rows", rows);
  Loss loss;
  loss.add(rows, explanation);
  return loss.share();
}

double sae_reconstruction_error_spatial_mean(const ExplainedHead& of) {
  Loss loss;
  for_each_block(of.head().activations, 1,
                 [&](Index, const Matrix& rows) { loss.add(rows, of.explanation()); });
  return loss.share();
}

std::vector<Metric> declare::sae_reconstruction_error() {
  const auto row = [](const char* name, const char* question, Result (*compute)(const Subject&)) {
    return Metric{.name = name,
                  .group = "sae_eval",
                  .question = question,
                  .direction = Direction::kLower,
                  .source = "as in Kumar and Ahuja, arXiv 2504.10833, App. A",
                  .needs = {"head_view", "explanation"},
                  .compute = compute};
  };
  return {row("sae_reconstruction_error",
              "What part of the embeddings is lost by reducing them to concept scores?",
              [](const Subject& subject) -> Result {
                require_pooled(subject);
                return {subject.once(of_pooled)};
              }),
          row("sae_reconstruction_error_spatial_mean",
              "What part of the activations at all positions is lost by reducing them to concept "
              "scores?",
              [](const Subject& subject) -> Result {
                require_pooled(subject);
                return {subject.head().positions == 1
                            ? subject.once(of_pooled)
                            : sae_reconstruction_error_spatial_mean(subject.once(explained_head))};
              })};
}

}  // namespace conoscope::metrics
