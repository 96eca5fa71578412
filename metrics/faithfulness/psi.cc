#include "metrics/faithfulness/psi.h"

#include <string>

#include "metrics/faithfulness/explanation.h"
#include "numerics/checks.h"

namespace conoscope::metrics::detail {

namespace {

std::string size_text(Index rows, Index cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

void require_answer(std::string_view metric, const std::string& what, const Matrix& answer,
                    Index rows, Index cols) {
  if (answer.rows() != rows || answer.cols() != cols)
    numerics::refuse(metric, what + " returned " + size_text(answer.rows(), answer.cols()) +
                                 "; expected " + size_text(rows, cols));
  numerics::require_finite(metric, what, answer);
}

}  // namespace

MatrixRef cavs_of(std::string_view metric, const Explanation& explanation, Index output) {
  const Index count = explanation.class_agnostic ? explanation.importance_by_output.cols()
                                                 : explanation.importance.size();
  if (explanation.cavs.rows() != count)
    numerics::refuse(metric, "the explanation has " + std::to_string(explanation.cavs.rows()) +
                                 " CAVs for its " + std::to_string(count) + " concepts");
  return explanation.cavs.middleRows(explanation.first_row(output), explanation.concepts(output));
}

Vector importance_of(const Explanation& explanation, Index output) {
  if (explanation.class_agnostic) return explanation.importance_by_output.row(output).transpose();
  return explanation.importance.segment(explanation.first_row(output),
                                        explanation.concepts(output));
}

Matrix project(std::string_view metric, const Explanation& explanation, Index output,
               const MatrixRef& rows) {
  const Index count = explanation.concepts(output);
  if (count == 0) return Matrix(rows.rows(), 0);
  Matrix scores;
  if (explanation.linear())
    scores.noalias() = rows * cavs_of(metric, explanation, output).transpose();
  else
    scores = explanation.project(output, rows);
  require_answer(metric, "psi of output " + std::to_string(output), scores, rows.rows(), count);
  return scores;
}

Matrix reconstruct(std::string_view metric, const Explanation& explanation, Index output,
                   const MatrixRef& scores, Index width) {
  if (scores.cols() == 0) return Matrix::Zero(scores.rows(), width);
  Matrix rows;
  if (explanation.reconstruct)
    rows = explanation.reconstruct(output, scores);
  else
    rows.noalias() = scores * cavs_of(metric, explanation, output);
  require_answer(metric, "the reconstruction of output " + std::to_string(output), rows,
                 scores.rows(), width);
  return rows;
}

void require_match(std::string_view metric, const HeadView& head, const Explanation& explanation) {
  if (explained_outputs(explanation) != head.outputs())
    numerics::refuse(metric, "the explanation has " +
                                 std::to_string(explained_outputs(explanation)) +
                                 " outputs, the head " + std::to_string(head.outputs()));
  if (explanation.linear() && explanation.cavs.rows() > 0 &&
      explanation.cavs.cols() != head.width())
    numerics::refuse(metric, "the CAVs have " + std::to_string(explanation.cavs.cols()) +
                                 " features, the activations " + std::to_string(head.width()));
}

}  // namespace conoscope::metrics::detail
