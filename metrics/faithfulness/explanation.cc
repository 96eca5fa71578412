#include "metrics/faithfulness/explanation.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics::detail {

Index explained_outputs(const Explanation& explanation) {
  if (explanation.class_agnostic) return explanation.importance_by_output.rows();
  return explanation.offset.empty() ? 0 : static_cast<Index>(explanation.offset.size()) - 1;
}

IndexVector concepts_per_output(const Explanation& explanation) {
  const auto outputs = static_cast<size_t>(explained_outputs(explanation));
  IndexVector counts(outputs, explanation.importance_by_output.cols());
  if (!explanation.class_agnostic)
    for (size_t c = 0; c < outputs; ++c)
      counts[c] = explanation.offset[c + 1] - explanation.offset[c];
  return counts;
}

void require_explanation(std::string_view metric, const Explanation& explanation) {
  const auto text = [](Index value) { return std::to_string(value); };
  const Index outputs = explained_outputs(explanation);
  if (outputs < 1) numerics::refuse(metric, "the explanation explains no output");
  Index count = explanation.importance_by_output.cols();
  if (!explanation.class_agnostic) {
    if (explanation.offset.front() != 0)
      numerics::refuse(metric, "explanation.offset starts at " + text(explanation.offset.front()));
    for (size_t c = 0; c + 1 < explanation.offset.size(); ++c)
      if (explanation.offset[c + 1] < explanation.offset[c])
        numerics::refuse(metric, "explanation.offset descends from " + text(explanation.offset[c]) +
                                     " to " + text(explanation.offset[c + 1]) + " at output " +
                                     text(static_cast<Index>(c)));
    count = explanation.offset.back();
    if (explanation.importance.size() != count)
      numerics::refuse(metric, "explanation.importance has " + text(explanation.importance.size()) +
                                   " entries, offsets say " + text(count));
  }
  // A projection may keep its parameters to itself; a linear explanation is its CAVs.
  if (explanation.linear() && explanation.cavs.rows() != count)
    numerics::refuse(metric, "explanation.cavs has " + text(explanation.cavs.rows()) +
                                 " rows, importances say " + text(count));
  numerics::require_finite(metric, "explanation.cavs", explanation.cavs);
  if (explanation.class_agnostic)
    numerics::require_finite(metric, "explanation.importance_by_output",
                             explanation.importance_by_output);
  else
    numerics::require_finite_vector(metric, "explanation.importance", explanation.importance);
}

Matrix fold(const Explanation& explanation) {
  if (explanation.class_agnostic) return explanation.importance_by_output * explanation.cavs;

  const Index outputs = explained_outputs(explanation);
  Matrix weight = Matrix::Zero(outputs, explanation.cavs.cols());
  for (Index c = 0; c < outputs; ++c)
    for (Index k = explanation.offset[static_cast<size_t>(c)];
         k < explanation.offset[static_cast<size_t>(c) + 1]; ++k)
      weight.row(c) += explanation.importance(k) * explanation.cavs.row(k);
  return weight;
}

}  // namespace conoscope::metrics::detail
