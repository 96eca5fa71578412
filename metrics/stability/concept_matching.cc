// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/concept_matching.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "metrics/alignment/concept_alignment.h"
#include "metrics/faithfulness/checked_explanation.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "stability";

/// The dimensions of an output's concepts; without any, each CAV is one.
IndexVector dimensions_of(const CellExplanation& found, Index output, Index cavs) {
  if (found.dimensions.empty()) return IndexVector(static_cast<std::size_t>(cavs), 1);
  IndexVector out;
  if (output < static_cast<Index>(found.dimensions.size()))
    out = found.dimensions[static_cast<std::size_t>(output)];
  if (std::any_of(out.begin(), out.end(), [](Index p) { return p < 0; }) ||
      std::accumulate(out.begin(), out.end(), Index{0}) != cavs)
    numerics::refuse(kName, "the dimensions of the concepts of output " + std::to_string(output) +
                                " do not add up to its " + std::to_string(cavs) + " CAVs");
  return out;
}

/// Orthonormal rows that span those given; none where all of these are 0.
Matrix orthonormal(const MatrixRef& rows) {
  if (rows.isZero(0.0)) return Matrix(0, rows.cols());
  if (rows.rows() == 1) return rows / rows.stableNorm();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
  const Index rank = qr.rank();
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), rank);
  return q.transpose();
}

bool same(const MatrixRef& a, const MatrixRef& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

/// importance  K_c x columns
ConceptSubspaces concepts_in(const MatrixRef& cavs, const MatrixRef& importance,
                             const IndexVector& dimensions) {
  ConceptSubspaces out;
  out.importance.resize(static_cast<Index>(dimensions.size()), importance.cols());
  Index row = 0;
  for (const Index p : dimensions) {
    Matrix basis = p > 0 ? orthonormal(cavs.middleRows(row, p)) : Matrix(0, cavs.cols());
    if (basis.rows() > 0) {
      out.importance.row(out.count()) = importance.middleRows(row, p).colwise().norm();
      out.bases.push_back(std::move(basis));
      out.first.push_back(row);
    }
    row += p;
  }
  out.importance.conservativeResize(out.count(), Eigen::NoChange);
  return out;
}

}  // namespace

void require_comparable(const CellExplanation& a, const CellExplanation& b) {
  if (!same(a.weight, b.weight) || !same(a.bias, b.bias))
    throw NotApplicable(
        "the model differs from seed to seed, and directions of two latent spaces cannot be "
        "compared");
  if (a.explanation.class_agnostic != b.explanation.class_agnostic ||
      a.explanation.outputs() != b.explanation.outputs())
    numerics::refuse(kName, "two explanations of different shape");
}

std::vector<ConceptSubspaces> concepts_of(const CellExplanation& found) {
  const CheckedExplanation explanation(found.explanation);
  if (!explanation.shows_cavs()) numerics::refuse(kName, "the explanation does not show its CAVs");
  std::vector<ConceptSubspaces> out;
  if (explanation->class_agnostic) {
    const Matrix importance = explanation->importance_by_output.transpose();
    out.push_back(concepts_in(explanation->cavs, importance,
                              dimensions_of(found, 0, explanation->cavs.rows())));
    return out;
  }
  for (Index c = 0; c < explanation->outputs(); ++c) {
    const Matrix importance = explanation.importance(c);
    out.push_back(concepts_in(explanation.cavs(c), importance,
                              dimensions_of(found, c, explanation->concepts(c))));
  }
  return out;
}

Matrix concept_similarity(const ConceptSubspaces& a, const ConceptSubspaces& b) {
  Matrix out(a.count(), b.count());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) {
      const Matrix &p = a.bases[static_cast<std::size_t>(i)],
                   &q = b.bases[static_cast<std::size_t>(j)];
      if (p.cols() != q.cols())
        numerics::refuse(kName, "CAVs of " + std::to_string(p.cols()) + " and of " +
                                    std::to_string(q.cols()) + " entries");
      const double larger = static_cast<double>(std::max(p.rows(), q.rows()));
      out(i, j) = std::min(1.0, (p * q.transpose()).norm() / std::sqrt(larger));
    }
  return out;
}

std::vector<Match> match_concepts(const Matrix& similarity) {
  std::vector<Match> out;
  if (similarity.size() == 0) return out;
  const bool wide = similarity.cols() > similarity.rows();
  const Matrix tall = wide ? Matrix(similarity.transpose()) : similarity;
  const IndexVector row_of = optimal_alignment(tall);
  for (Index j = 0; j < tall.cols(); ++j) {
    const Index i = row_of[static_cast<std::size_t>(j)];
    out.push_back({wide ? j : i, wide ? i : j, tall(i, j)});
  }
  return out;
}

}  // namespace conoscope::metrics
