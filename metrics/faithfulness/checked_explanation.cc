// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/checked_explanation.h"

#include <string>

#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "explanation";

std::string text(Index value) { return std::to_string(value); }

std::string size_text(Index rows, Index cols) { return text(rows) + " x " + text(cols); }

void require_offsets(const Explanation& explanation) {
  const IndexVector& offset = explanation.offset;
  if (offset.front() != 0) numerics::refuse(kName, "offset starts at " + text(offset.front()));
  for (size_t c = 0; c + 1 < offset.size(); ++c)
    if (offset[c + 1] < offset[c])
      numerics::refuse(kName, "offset descends from " + text(offset[c]) + " to " +
                                  text(offset[c + 1]) + " at output " +
                                  text(static_cast<Index>(c)));
  if (explanation.importance.size() != offset.back())
    numerics::refuse(kName, "importance has " + text(explanation.importance.size()) +
                                " entries, offsets say " + text(offset.back()));
}

void require_answer(const std::string& what, const Matrix& answer, Index rows, Index cols) {
  if (answer.rows() != rows || answer.cols() != cols)
    numerics::refuse(kName, what + " returned " + size_text(answer.rows(), answer.cols()) +
                                "; expected " + size_text(rows, cols));
  numerics::require_finite(kName, what, answer);
}

}  // namespace

CheckedExplanation::CheckedExplanation(const Explanation& explanation)
    : explanation_(&explanation) {
  if (explanation.outputs() < 1) numerics::refuse(kName, "it explains no output");
  if (!explanation.class_agnostic) require_offsets(explanation);
  // A projection may keep its parameters to itself; a linear explanation is its CAVs.
  if (explanation.linear() && !shows_cavs())
    numerics::refuse(kName, "cavs has " + text(explanation.cavs.rows()) +
                                " rows, importances say " + text(all_concepts()));
  numerics::require_finite(kName, "cavs", explanation.cavs);
  if (explanation.class_agnostic)
    numerics::require_finite(kName, "importance_by_output", explanation.importance_by_output);
  else
    numerics::require_finite_vector(kName, "importance", explanation.importance);
}

IndexVector CheckedExplanation::concepts() const {
  IndexVector counts;
  for (Index c = 0; c < explanation_->outputs(); ++c) counts.push_back(explanation_->concepts(c));
  return counts;
}

Index CheckedExplanation::all_concepts() const {
  return explanation_->class_agnostic ? explanation_->importance_by_output.cols()
                                      : explanation_->offset.back();
}

MatrixRef CheckedExplanation::cavs(Index output) const {
  if (!shows_cavs())
    numerics::refuse(kName, "there are " + text(explanation_->cavs.rows()) + " CAVs for its " +
                                text(all_concepts()) + " concepts");
  return explanation_->cavs.middleRows(explanation_->first_row(output),
                                       explanation_->concepts(output));
}

Vector CheckedExplanation::importance(Index output) const {
  if (explanation_->class_agnostic)
    return explanation_->importance_by_output.row(output).transpose();
  return explanation_->importance.segment(explanation_->first_row(output),
                                          explanation_->concepts(output));
}

Matrix CheckedExplanation::project(Index output, const MatrixRef& rows) const {
  const Index count = explanation_->concepts(output);
  if (count == 0) return Matrix(rows.rows(), 0);
  Matrix scores;
  if (!explanation_->linear())
    scores = explanation_->project(output, rows);
  else if (rows.cols() == explanation_->cavs.cols())
    scores = explanation_->linear_scores(output, rows);
  else
    numerics::refuse(kName, "the CAVs have " + text(explanation_->cavs.cols()) +
                                " features, the activations " + text(rows.cols()));
  require_answer("psi of output " + text(output), scores, rows.rows(), count);
  return scores;
}

Matrix CheckedExplanation::reconstruct(Index output, const MatrixRef& scores, Index width) const {
  if (scores.cols() == 0) return Matrix::Zero(scores.rows(), width);
  Matrix rows;
  if (explanation_->reconstruct)
    rows = explanation_->reconstruct(output, scores);
  else
    rows = numerics::product_by_whole_blocks<double>(scores, cavs(output).transpose());
  require_answer("the reconstruction of output " + text(output), rows, scores.rows(), width);
  return rows;
}

}  // namespace conoscope::metrics
