// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/concept_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random.h"

namespace conoscope::metrics::detail {

bool ConceptLabels::binary() const {
  return std::all_of(cardinality.begin(), cardinality.end(), [](Index c) { return c == 2; });
}

ConceptLabels concept_labels(std::string_view function, const MatrixRef& concepts) {
  constexpr double kMostLabels = 1e6;
  if (concepts.rows() < 1 || concepts.cols() < 2)
    numerics::refuse(function,
                     "concepts is " + numerics::shape_of(concepts) +
                         "; purity is between concepts, of which there must be two or more");
  ConceptLabels labels;
  for (Index j = 0; j < concepts.cols(); ++j) {
    IndexVector column(static_cast<std::size_t>(concepts.rows()));
    for (Index i = 0; i < concepts.rows(); ++i) {
      const double value = concepts(i, j);
      if (!(value >= 0.0 && value <= kMostLabels) || value != std::floor(value)) {
        std::ostringstream text;
        text << "concepts is " << value << " at row " << i << ", column " << j
             << "; labels are whole numbers from 0";
        numerics::refuse(function, text.str());
      }
      column[static_cast<std::size_t>(i)] = static_cast<Index>(value);
    }
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    if (*low == *high)
      throw std::domain_error(std::string(function) + ": concept " + std::to_string(j) +
                              " is constant");
    labels.cardinality.push_back(std::max<Index>(2, *high + 1));
    labels.of.push_back(std::move(column));
  }
  return labels;
}

void require_representations(std::string_view function, const MatrixRef& c_hat, Index width,
                             Index samples) {
  if (width < 1 || c_hat.cols() < 1 || c_hat.cols() % width != 0 || c_hat.rows() != samples)
    numerics::refuse(function, "c_hat is " + numerics::shape_of(c_hat) + " with width " +
                                   std::to_string(width) + ", for " + std::to_string(samples) +
                                   " samples of concepts");
  numerics::require_finite(function, "c_hat", c_hat);
}

TrainTest split_80_20(std::string_view function, Index samples, std::uint64_t seed,
                      std::uint64_t stream) {
  if (samples < 2)
    numerics::refuse(function, "concepts has " + std::to_string(samples) +
                                   " samples; at least 2 are needed, to train and to test");
  IndexVector order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random random(seed, stream);
  random.shuffle(order);
  const auto test = order.begin() + (samples + 4) / 5;
  return {{test, order.end()}, {order.begin(), test}};
}

void require_classes(std::string_view function, const ConceptLabels& labels,
                     const IndexVector& rows) {
  for (std::size_t j = 0; j < labels.of.size(); ++j) {
    const auto same = [&](Index i) {
      return labels.of[j][static_cast<std::size_t>(i)] ==
             labels.of[j][static_cast<std::size_t>(rows[0])];
    };
    if (std::all_of(rows.begin(), rows.end(), same))
      throw std::domain_error(std::string(function) + ": the " + std::to_string(rows.size()) +
                              " test samples have a single label of concept " + std::to_string(j));
  }
}

namespace {

bool is_binary(const MatrixRef& concepts) {
  return ((concepts.array() == 0.0) || (concepts.array() == 1.0)).all();
}

}  // namespace

void require_binary(std::string_view function, const MatrixRef& concepts) {
  numerics::require_finite(function, "concepts", concepts);
  if (!is_binary(concepts))
    numerics::refuse(function, "concepts has an entry that is neither 0 nor 1");
}

const Matrix& binary_concepts(const Subject& subject) {
  const Matrix& truth = subject.annotations().concepts;
  if (!is_binary(truth)) throw NotApplicable("the annotated concepts are not binary");
  return truth;
}

}  // namespace conoscope::metrics::detail
