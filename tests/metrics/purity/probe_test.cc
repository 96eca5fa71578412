// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/probe.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/metrics/purity/hand_made.h"

using namespace conoscope::metrics;
using conoscope::tests::HandMade;

namespace {

IndexVector parity_of(const Matrix& concepts) {
  IndexVector labels;
  for (Index i = 0; i < concepts.rows(); ++i)
    labels.push_back(static_cast<Index>(concepts.row(i).sum()) % 2);
  return labels;
}

}  // namespace

TEST_CASE("concept_probe_auc: all of what is there, nothing of what is not") {
  const HandMade made(1000, 3);
  const Vector known = concept_probe_auc(made.pure, made.concepts);
  REQUIRE(known.size() == 3);
  for (const double auc : known) CHECK(auc > 0.999);
  // A constant tells nothing: every row gets one answer.
  const Vector nothing = concept_probe_auc(Matrix::Constant(1000, 2, 0.5), made.concepts);
  for (const double auc : nothing) CHECK(auc == 0.5);
  // A concept that no column of the representation holds, beside two that are there.
  const Vector part = concept_probe_auc(made.pure.leftCols(2), made.concepts);
  CHECK(part(0) > 0.999);
  CHECK(part(2) < 0.65);
  // Which of the columns holds a concept does not matter.
  const Vector turned = concept_probe_auc(made.pure.rowwise().reverse(), made.concepts);
  for (const double auc : turned) CHECK(auc > 0.999);
}

TEST_CASE("label_probe_auc: a label that only all concepts together give") {
  const HandMade made(1000, 3);
  const IndexVector parity = parity_of(made.concepts);
  CHECK(label_probe_auc(made.concepts, parity) > 0.99);
  CHECK(label_probe_auc(made.concepts.leftCols(2), parity) < 0.65);
  IndexVector counts;  // four classes
  for (Index i = 0; i < made.concepts.rows(); ++i)
    counts.push_back(static_cast<Index>(made.concepts.row(i).sum()));
  CHECK(label_probe_auc(made.pure, counts) > 0.99);
  CHECK(label_probe_auc(Matrix::Constant(1000, 1, 1.0), counts) == 0.5);
}

TEST_CASE("probes: what they refuse") {
  const HandMade made(50, 2);
  CHECK_THROWS_AS(concept_probe_auc(made.pure, made.concepts * 2.0), std::invalid_argument);
  CHECK_THROWS_AS(concept_probe_auc(made.pure.topRows(40), made.concepts), std::invalid_argument);
  CHECK_THROWS_AS(concept_probe_auc(made.pure, Matrix(50, 0)), std::invalid_argument);
  CHECK_THROWS_AS(concept_probe_auc(made.pure, Matrix::Ones(50, 2)), std::domain_error);
  IndexVector labels(50, 1);
  CHECK_THROWS_AS(label_probe_auc(made.pure, labels), std::domain_error);
  labels[3] = -1;
  CHECK_THROWS_AS(label_probe_auc(made.pure, labels), std::invalid_argument);
  labels.pop_back();
  CHECK_THROWS_AS(label_probe_auc(made.pure, labels), std::invalid_argument);
}
