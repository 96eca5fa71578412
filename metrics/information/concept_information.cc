// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/concept_information.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_ross.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void discrete_pairs(const std::vector<IndexVector>& columns, InterconceptInformation& out) {
  for (size_t i = 0; i < columns.size(); ++i) {
    out.self.push_back(entropy_discrete(columns[i]));
    for (size_t j = i + 1; j < columns.size(); ++j)
      out.pair.push_back(mi_discrete(columns[i], columns[j]));
  }
}

void continuous_pairs(const std::vector<SortedValues>& columns, Index neighbours,
                      InterconceptInformation& out) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const KsgScalar one(columns[i], {.neighbours = neighbours});
    const MiEstimate self = one.with_itself();
    out.self.push_back(self.value);
    out.tied = std::max(out.tied, self.tied);
    for (size_t j = i + 1; j < columns.size(); ++j) {
      // A sum of n equal terms rounds: 3e-14 nats would be 3e-4 when divided by 1e-10.
      const bool known = columns[i].constant() || columns[j].constant();
      out.pair.push_back(known ? 0.0 : one.with(columns[j]).value);
    }
  }
}

// Vectors, or noise: every estimate draws its own for both arguments; pairs first, then the self
// terms.
void single_pairs(const MatrixRef& concepts, Index width, const ConceptInformationOptions& options,
                  InterconceptInformation& out) {
  const Index k = concepts.cols() / width;
  const auto argument = [&](Index j) -> Matrix {
    const MatrixRef block = concepts.middleCols(j * width, width);
    return options.noise ? with_noise(block, options.noise) : Matrix(block);
  };
  const auto estimate = [&](Index i, Index j) {
    const Matrix a = argument(i), b = argument(j);
    const MiEstimate found = mi_ksg(a, b, {.neighbours = options.neighbours});
    out.tied = std::max(out.tied, found.tied);
    return found.value;
  };
  if (options.noise)
    for (Index j = 0; j < k; ++j)
      if (const auto block = concepts.middleCols(j * width, width);
          (block.rowwise() - block.row(0)).isZero(0.0))
        throw std::domain_error("mi_interconcept: concept " + std::to_string(j) +
                                " is constant; what noise makes of it is chance");
  for (Index i = 0; i < k; ++i)
    for (Index j = i + 1; j < k; ++j) out.pair.push_back(estimate(i, j));
  for (Index i = 0; i < k; ++i) out.self.push_back(estimate(i, i));
}

}  // namespace

bool is_whole_valued(const MatrixRef& values) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (const double v = values(i, j); v - std::floor(v) > 1e-8 || std::abs(v) > kLargest)
        return false;
  return true;
}

ConceptColumns::ConceptColumns(Matrix values) : values_(std::move(values)) {
  numerics::require_filled("ConceptColumns", "concepts", values_);
  const bool whole = is_whole_valued(values_);
  for (Index j = 0; j < values_.cols(); ++j) {
    const Vector column = values_.col(j);
    if (whole) {
      const auto floor = column.array().floor().cast<Index>();
      labels_.emplace_back(floor.begin(), floor.end());
    } else {
      sorted_.emplace_back(column);
    }
  }
}

InterconceptInformation mi_interconcept(const ConceptColumns& concepts,
                                        const ConceptInformationOptions& options, Index width) {
  constexpr const char* kName = "mi_interconcept";
  const Index columns = concepts.matrix().cols();
  if (width < 1 || columns % width != 0)
    numerics::refuse(kName, "width is " + std::to_string(width) + ", which does not divide the " +
                                std::to_string(columns) + " columns of concepts");
  if (concepts.whole() && width > 1)
    numerics::refuse(kName,
                     "concepts are vectors of whole numbers only; no estimator is for those");
  InterconceptInformation out;
  if (concepts.whole())
    discrete_pairs(concepts.labels(), out);
  else if (options.noise || width > 1)
    single_pairs(concepts.matrix(), width, options, out);
  else
    continuous_pairs(concepts.sorted(), options.neighbours, out);
  size_t at = 0;
  for (size_t i = 0; i < out.self.size(); ++i)
    for (size_t j = i + 1; j < out.self.size(); ++j, ++at)
      out.normalised.push_back(out.pair[at] / (std::sqrt(out.self[i] * out.self[j]) + 1e-10));
  return out;
}

ConceptsTaskInformation mi_concepts_task(const ConceptColumns& concepts,
                                         std::span<const Index> labels,
                                         const ConceptInformationOptions& options) {
  constexpr const char* kName = "mi_concepts_task";
  if (static_cast<Index>(labels.size()) != concepts.matrix().rows())
    numerics::refuse(kName, "concepts has " + std::to_string(concepts.matrix().rows()) +
                                " samples and labels " + std::to_string(labels.size()) +
                                "; they must be as many");
  ConceptsTaskInformation out;
  out.label_entropy = entropy_discrete(labels);
  if (out.label_entropy == 0.0)
    throw std::domain_error(std::string(kName) + ": labels holds one class only, so H(y) = 0");
  for (const IndexVector& column : concepts.labels()) out.mi.push_back(mi_discrete(column, labels));
  for (size_t j = 0; j < concepts.sorted().size(); ++j) {
    const auto estimate = [&](const SortedValues& x) {
      return mi_ross(x, labels, {.neighbours = options.neighbours});
    };
    const Vector column = concepts.matrix().col(static_cast<Index>(j));
    const MiEstimate found = options.noise
                                 ? estimate(SortedValues(Vector(with_noise(column, options.noise))))
                                 : estimate(concepts.sorted()[j]);
    out.mi.push_back(found.value);
    out.tied = std::max(out.tied, found.tied);
  }
  for (const double mi : out.mi) out.normalised.push_back(mi / out.label_entropy);
  return out;
}

}  // namespace conoscope::metrics
