#pragma once

#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

namespace conoscope::explainers {

/// For each output, the rows that concept discovery looks at: the samples that the model itself
/// predicts to be of that class (never their label); with sigmoid outputs those it says yes to;
/// with regression all.
inline std::vector<std::vector<Eigen::Index>> members_by_output(const sdk::HeadView& head) {
  const std::int64_t outputs = head.outputs(), samples = head.samples();
  std::vector<std::vector<Eigen::Index>> members(static_cast<std::size_t>(outputs));
  if (head.output() == "softmax") {
    const auto predictions = head.predictions().values<const std::int64_t>();
    for (std::size_t i = 0; i < predictions.size(); ++i)
      members[static_cast<std::size_t>(predictions[i])].push_back(static_cast<Eigen::Index>(i));
    return members;
  }
  const auto logits = head.logits().values<const double>();
  for (std::int64_t i = 0; i < samples; ++i)
    for (std::int64_t c = 0; c < outputs; ++c)
      if (head.output() == "regression" || logits[static_cast<std::size_t>(i * outputs + c)] > 0.0)
        members[static_cast<std::size_t>(c)].push_back(i);
  return members;
}

/// All positions of the given samples as rows, (members * P) x D; with pool, their mean over
/// positions, members x D.
inline sdk::Matrix rows_of_members(const sdk::Matrix& positions, Eigen::Index per_sample,
                                   const std::vector<Eigen::Index>& members, bool pool) {
  const auto count = static_cast<Eigen::Index>(members.size());
  sdk::Matrix out(pool ? count : count * per_sample, positions.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto block =
        positions.middleRows(members[static_cast<std::size_t>(i)] * per_sample, per_sample);
    if (pool)
      out.row(i) = block.colwise().mean();
    else
      out.middleRows(i * per_sample, per_sample) = block;
  }
  return out;
}

/// Class-specific concepts with importances alpha = <w_c, v>: the derivative of the logit in the
/// direction of the concept, for a head that averages positions.
///
/// concepts_of(c, rows)  K_c x D concepts of output c from its rows; an output that nothing is
///                       predicted as gets none
/// throws  NotApplicable: a flattened head, whose weights differ by position
template <typename ConceptsOf>
void explain_each_output(const sdk::HeadView& head, const sdk::Context& context,
                         sdk::ExplanationOut& out, const std::string& method, bool pool,
                         ConceptsOf&& concepts_of) {
  if (head.pooling() == "flatten")
    throw sdk::NotApplicable(method + ": a flattened head has one weight vector per position");
  const sdk::Matrix positions = sdk::to_matrix(head.activations(), 2);
  const sdk::Matrix weight = sdk::to_matrix(head.weight());
  const auto members = members_by_output(head);
  std::vector<sdk::Matrix> concepts;
  std::vector<std::int64_t> counts;
  for (Eigen::Index c = 0; c < weight.rows(); ++c) {
    context.check_cancelled();
    const auto& mine = members[static_cast<std::size_t>(c)];
    concepts.push_back(
        mine.empty() ? sdk::Matrix(0, weight.cols())
                     : concepts_of(c, rows_of_members(positions, head.positions(), mine, pool)));
    counts.push_back(concepts.back().rows());
    context.progress(static_cast<double>(c + 1) / static_cast<double>(weight.rows()));
  }
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  if (total == 0) throw std::domain_error(method + ": the model predicts no class at all");
  auto explanation = out.class_specific(counts, weight.cols());
  auto cavs = sdk::as_matrix(explanation.cavs, total, weight.cols());
  Eigen::Index row = 0;
  for (Eigen::Index c = 0; c < weight.rows(); ++c)
    for (const auto& v : concepts[static_cast<std::size_t>(c)].rowwise()) {
      cavs.row(row) = v;
      explanation.importance[static_cast<std::size_t>(row++)] = weight.row(c).dot(v);
    }
}

/// Fewer rows than concepts is an error, in the method's name.
inline void need_rows(const std::string& method, Eigen::Index output, Eigen::Index rows,
                      std::int64_t k) {
  if (rows < k)
    throw std::invalid_argument(method + ": output " + std::to_string(output) + " has " +
                                std::to_string(rows) +
                                " rows, fewer than k = " + std::to_string(k) + " concepts");
}

}  // namespace conoscope::explainers
