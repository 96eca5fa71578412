// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_ev.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/truth/learnt_concepts.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void require_same(const char* function, const MatrixRef& rows, const MatrixRef& rebuilt) {
  numerics::require_filled(function, "rows", rows);
  numerics::require_filled(function, "rebuilt", rebuilt);
  if (rows.rows() != rebuilt.rows() || rows.cols() != rebuilt.cols())
    numerics::refuse(function, "rows is " + numerics::shape_of(rows) + ", rebuilt " +
                                   numerics::shape_of(rebuilt));
}

struct Rebuilt {
  double explained = 0.0, shrinkage = 0.0;
};

/// Means over outputs.
Rebuilt rebuilt_of(const Subject& subject) {
  subject.once(learnt_features);
  const ExplainedHead& of = subject.once(explained_head);
  const Explanation& explanation = *of.explanation();
  if (!explanation.reconstruct) throw NotApplicable("the explanation offers no reconstruction");
  const Index passes = explanation.class_agnostic ? 1 : explanation.outputs();
  Rebuilt out;
  for (Index c = 0; c < passes; ++c) {
    const Matrix rebuilt = of.reconstruct(c, of.project(c, of.pooled()));
    out.explained += explained_variance(of.pooled(), rebuilt) / static_cast<double>(passes);
    out.shrinkage += shrinkage(of.pooled(), rebuilt) / static_cast<double>(passes);
  }
  return out;
}

}  // namespace

double explained_variance(const MatrixRef& rows, const MatrixRef& rebuilt) {
  require_same("explained_variance", rows, rebuilt);
  const double lost = (rows - rebuilt).squaredNorm();
  // By equality: the rounding of a mean leaves equal rows a little variance.
  if ((rows.rowwise() - rows.row(0)).isZero(0.0)) return lost == 0.0 ? 1.0 : 0.0;
  return 1.0 - lost / (rows.rowwise() - rows.colwise().mean()).squaredNorm();
}

double shrinkage(const MatrixRef& rows, const MatrixRef& rebuilt) {
  constexpr const char* kName = "shrinkage";
  require_same(kName, rows, rebuilt);
  double sum = 0.0;
  Index counted = 0;
  for (Index i = 0; i < rows.rows(); ++i)
    if (const double length = rows.row(i).norm(); length > 0.0) {
      sum += rebuilt.row(i).norm() / length;
      ++counted;
    }
  if (counted == 0) throw std::domain_error(std::string(kName) + ": every row is 0");
  return sum / static_cast<double>(counted);
}

std::vector<Metric> declare::truth_ev() {
  Metric explained{
      .name = "truth_ev",
      .group = "truth",
      .question = "What share of the variance of the activations does the explanation rebuild?",
      .direction = Direction::kHigher,
      .low = -kUnbounded,
      .high = 1.0,
      .source = "SynthSAEBench, arXiv 2602.14687",
      .needs = {"head_view", "explanation", "truth"},
      .compute = [](const Subject& subject) -> Result {
        return {subject.once(rebuilt_of).explained};
      }};
  Metric length = explained;
  length.name = "truth_shrinkage";
  length.question = "How long are rebuilt activations, as a fraction of those that they stand for?";
  length.direction = Direction::kNone;
  length.low = 0.0;
  length.high = kUnbounded;
  length.compute = [](const Subject& subject) -> Result {
    return {subject.once(rebuilt_of).shrinkage};
  };
  return {explained, length};
}

}  // namespace conoscope::metrics
