// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_matching.h"

#include <algorithm>
#include <string>
#include <utility>

#include "metrics/truth/learnt_concepts.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "truth_matching";
constexpr double kLeastLength = 1e-8;

Matrix unit_rows(const MatrixRef& rows) {
  Matrix out = rows;
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) /= std::max(out.row(i).stableNorm(), kLeastLength);
  return out;
}

Matrix cosines(const MatrixRef& atoms, const MatrixRef& directions) {
  numerics::require_filled(kName, "atoms", atoms);
  numerics::require_filled(kName, "directions", directions);
  if (atoms.cols() != directions.cols())
    numerics::refuse(kName, "atoms is " + numerics::shape_of(atoms) + ", directions " +
                                numerics::shape_of(directions));
  const Matrix product = unit_rows(atoms) * unit_rows(directions).transpose();
  return product.cwiseMin(1.0).cwiseMax(-1.0);
}

TruthMatching matched(Matrix similarity) {
  TruthMatching out{.similarity = std::move(similarity), .closest = {}, .pairs = {}};
  for (const auto of_latent : out.similarity.rowwise())
    out.closest.push_back(std::max_element(of_latent.begin(), of_latent.end()) - of_latent.begin());
  out.pairs = match_concepts(out.similarity);
  return out;
}

}  // namespace

TruthMatching truth_matching(const MatrixRef& atoms, const MatrixRef& directions) {
  return matched(cosines(atoms, directions).cwiseAbs());
}

TruthMatching truth_matching_signed(const MatrixRef& atoms, const MatrixRef& directions) {
  return matched(cosines(atoms, directions));
}

TruthMatching matching_of(const Subject& subject) {
  return truth_matching(subject.once(learnt_features).atoms, subject.truth().directions);
}

TruthMatching signed_matching_of(const Subject& subject) {
  return truth_matching_signed(subject.once(learnt_features).atoms, subject.truth().directions);
}

}  // namespace conoscope::metrics
