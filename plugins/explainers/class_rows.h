// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"
#include "numerics/row_source.h"
#include "numerics/types.h"

namespace conoscope::explainers {

/// The most that a parameter may be which a method's function takes as an int.
inline constexpr double kMostInt = std::numeric_limits<int>::max();

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

/// All positions of the given samples of n x P x D as rows, (members * P) x D. T: float or double.
template <typename T>
numerics::RowMajor<T> rows_of_members(const sdk::Tensor& activations,
                                      const std::vector<Eigen::Index>& members) {
  const Eigen::Index positions = activations.shape(1), width = activations.shape(2);
  numerics::RowMajor<T> out(static_cast<Eigen::Index>(members.size()) * positions, width);
  const auto numbers = static_cast<std::size_t>(positions * width);
  for (std::size_t i = 0; i < members.size(); ++i)
    activations.row_block(members[i], 1).copy_to(std::span<T>(out.data() + i * numbers, numbers));
  return out;
}

/// The mean over positions of each of the given samples of n x P x D, members x D.
inline sdk::Matrix pooled_rows_of_members(const sdk::Tensor& activations,
                                          const std::vector<Eigen::Index>& members) {
  sdk::Matrix out(static_cast<Eigen::Index>(members.size()), activations.shape(2));
  sdk::Matrix one(activations.shape(1), activations.shape(2));
  for (std::size_t i = 0; i < members.size(); ++i) {
    activations.row_block(members[i], 1)
        .copy_to(std::span<double>(one.data(), static_cast<std::size_t>(one.size())));
    out.row(static_cast<Eigen::Index>(i)) = one.colwise().mean();
  }
  return out;
}

/// All positions of n x P x D as rows, (n * P) x D, read from where they lie.
inline numerics::RowSource position_rows(const sdk::Tensor& activations) {
  const Eigen::Index width = activations.shape(2);
  return {activations.shape(0) * activations.shape(1), width,
          [activations, width](Eigen::Index first, Eigen::Index count, double* out) {
            activations.copy_rows_to(2, first, count,
                                     std::span(out, static_cast<std::size_t>(count * width)));
          }};
}

/// The concepts of one output.
struct OutputConcepts {
  sdk::Matrix cavs;            ///< K_c x D
  Eigen::VectorXd importance;  ///< K_c
};

/// In what numbers a method takes the rows of an output.
enum class Numbers {
  kDouble,
  /// Positions in float where the activations are float16 or float32, which is all they hold: half
  /// the memory. For methods that take both and sum in double.
  kOwn,
};

/// Class-specific concepts with importances of the method's own.
///
/// pool  whether a row is the mean over positions of a sample, or one of its positions
/// concepts_of(c, members, rows)  the OutputConcepts of output c from its members (indices of
///                       samples) and their rows; an output that nothing is predicted as gets none
/// throws  std::domain_error: nothing is predicted as any output
template <Numbers kNumbers = Numbers::kDouble, typename ConceptsOf>
void explain_members(const sdk::HeadView& head, const sdk::Context& context,
                     sdk::ExplanationOut& out, const std::string& method, bool pool,
                     ConceptsOf&& concepts_of) {
  const sdk::Tensor activations = head.activations();
  const auto from_rows = [&](Eigen::Index c, const std::vector<Eigen::Index>& members) {
    if (pool) return concepts_of(c, members, pooled_rows_of_members(activations, members));
    if constexpr (kNumbers == Numbers::kOwn)
      if (activations.dtype() != CONO_F64)
        return concepts_of(c, members, rows_of_members<float>(activations, members));
    return concepts_of(c, members, rows_of_members<double>(activations, members));
  };
  const auto members = members_by_output(head);
  std::vector<OutputConcepts> concepts;
  std::vector<std::int64_t> counts;
  for (std::size_t c = 0; c < members.size(); ++c) {
    context.check_cancelled();
    if (members[c].empty())
      concepts.push_back({sdk::Matrix(0, head.width()), Eigen::VectorXd(0)});
    else
      concepts.push_back(from_rows(static_cast<Eigen::Index>(c), members[c]));
    counts.push_back(concepts.back().cavs.rows());
    context.progress(static_cast<double>(c + 1) / static_cast<double>(members.size()));
  }
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  if (total == 0) throw std::domain_error(method + ": the model predicts no class at all");
  auto explanation = out.class_specific(counts, head.width());
  auto cavs = sdk::as_matrix(explanation.cavs, total, head.width());
  Eigen::Index row = 0;
  for (const OutputConcepts& mine : concepts)
    for (Eigen::Index k = 0; k < mine.cavs.rows(); ++k) {
      cavs.row(row) = mine.cavs.row(k);
      explanation.importance[static_cast<std::size_t>(row++)] = mine.importance[k];
    }
}

/// throws  NotApplicable: a flattened head, whose weights differ by position
inline void refuse_flattened(const sdk::HeadView& head, const std::string& method) {
  if (head.pooling() == "flatten")
    throw sdk::NotApplicable(method + ": a flattened head has one weight vector per position");
}

/// Class-specific concepts with importances alpha = <w_c, v>: the derivative of the logit in the
/// direction of the concept, for a head that averages positions.
///
/// concepts_of(c, rows)  K_c x D concepts of output c from its rows; an output that nothing is
///                       predicted as gets none
/// throws  NotApplicable: a flattened head
template <Numbers kNumbers = Numbers::kDouble, typename ConceptsOf>
void explain_each_output(const sdk::HeadView& head, const sdk::Context& context,
                         sdk::ExplanationOut& out, const std::string& method, bool pool,
                         ConceptsOf&& concepts_of) {
  refuse_flattened(head, method);
  const sdk::Matrix weight = sdk::to_matrix(head.weight());
  explain_members<kNumbers>(head, context, out, method, pool,
                            [&](Eigen::Index c, const auto&, const auto& rows) {
                              OutputConcepts mine;
                              mine.cavs = concepts_of(c, rows);
                              mine.importance = mine.cavs * weight.row(c).transpose();
                              return mine;
                            });
}

/// Fewer rows than concepts is an error, in the method's name.
inline void need_rows(const std::string& method, Eigen::Index output, Eigen::Index rows,
                      std::int64_t k) {
  if (rows < k)
    throw std::invalid_argument(method + ": output " + std::to_string(output) + " has " +
                                std::to_string(rows) +
                                " rows, fewer than k = " + std::to_string(k) + " concepts");
}

/// More directions than features is an error, in the method's name.
inline void need_features(const std::string& method, Eigen::Index features, std::int64_t k) {
  if (k > features)
    throw std::invalid_argument(method + ": k = " + std::to_string(k) + " is more than the " +
                                std::to_string(features) + " features");
}

}  // namespace conoscope::explainers
