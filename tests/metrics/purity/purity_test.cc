// SPDX-License-Identifier: Apache-2.0
// The group: what it needs, what it gives, what it says where it has no number.

#include <doctest/doctest.h>

#include <stdexcept>

#include "metrics/catalogue.h"
#include "tests/metrics/purity/hand_made.h"
#include "tests/support/capture_binding.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

using namespace conoscope::metrics;
using namespace conoscope::numerics;
using conoscope::tests::HandMade;

namespace {

std::map<std::string, Score> scored(const Matrix& c_hat, const Matrix& concepts,
                                    bool named = true) {
  ConceptView view;
  view.scores = c_hat;
  if (named) view.probabilities = c_hat;
  Annotations annotations;
  annotations.concepts = concepts;
  for (Index i = 0; concepts.size() > 0 && i < concepts.rows(); ++i)
    annotations.labels.push_back(static_cast<Index>(concepts(i, concepts.cols() - 1)));
  Views views{.concepts = &view, .annotations = &annotations, .seed = 3};
  return conoscope::tests::score_group(views, "purity");
}

}  // namespace

TEST_CASE("every row of the catalogue comes back, in range") {
  const HandMade data(3000, 4);
  const auto scores = scored(data.pure, data.concepts);
  const auto rows = catalogue().select("purity");
  CHECK(rows.size() == scores.size());
  for (const auto* row : rows) {
    REQUIRE(scores.contains(std::string(row->name)));
    const Score& score = scores.at(std::string(row->name));
    CHECK(score.reason.empty());
    CHECK(score.value >= row->low);
    CHECK(score.value <= row->high + 1e-12);  // nis_complement of pure ones is all there is
  }
  CHECK(scores.at("ois").parts.size() == 16);
  CHECK(scores.at("nis").parts.size() == 20);
  CHECK(scores.at("nis_full_grid").parts.size() == 21);
  CHECK(scores.at("nis_full_grid").value > scores.at("nis").value);
  CHECK(scores.at("nis_rescaled").value ==
        doctest::Approx(2.0 * scores.at("nis_full_grid").value - 1.0));
  CHECK(scores.at("ois_aligned_optimal").parts == std::vector<double>{0, 1, 2, 3});
  CHECK(scores.at("ois_aligned_optimal").value == scores.at("ois").value);
  CHECK(scores.at("ois_failed_fits").value == 0);
}

TEST_CASE("sanity: perfect, half shuffled, shuffled") {
  const HandMade data(3000, 3);
  Matrix half = data.pure, full = data.pure;
  Random random(1);
  for (Index j = 0; j < 3; ++j) {
    IndexVector order(3000);
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    random.shuffle(order);
    full.col(j) = data.pure.col(j)(order).eval();
    for (Index i = 0; i < 3000; i += 2) half(i, j) = full(i, j);
  }
  const double best = scored(data.pure, data.concepts).at("ois").value;
  const double middle = scored(half, data.concepts).at("ois").value;
  const double worst = scored(full, data.concepts).at("ois").value;
  CHECK(best < middle);
  CHECK(middle < worst);
}

TEST_CASE("representations without names are aligned") {
  const HandMade data(3000, 3);
  Matrix moved(3000, 4);
  moved << data.pure.col(2), Vector::LinSpaced(3000, 0, 1), data.pure.col(0), data.pure.col(1);
  const auto scores = scored(moved, data.concepts);
  CHECK(scores.at("ois").reason == "not_applicable");
  CHECK(scores.at("ois").message == "4 representations of 3 concepts have to be aligned first");
  const auto codes = scored(data.pure, data.concepts, false);  // as many, but in any order
  CHECK(codes.at("ois").message == "representations without names have to be aligned first");
  CHECK(codes.at("ois_off_diagonal").reason == "not_applicable");
  CHECK(codes.at("ois_aligned_optimal").value == scored(data.pure, data.concepts).at("ois").value);
  CHECK(scores.at("ois_aligned_greedy").parts == std::vector<double>{2, 3, 0});
  CHECK(scores.at("ois_aligned_optimal").parts == std::vector<double>{2, 3, 0});
  CHECK(scores.at("ois_aligned_optimal").value < 0.3);
  CHECK(scores.at("nis").reason.empty());
  const auto few = scored(data.pure.leftCols(2), data.concepts);
  CHECK(few.at("ois_aligned_optimal").reason == "not_applicable");
  CHECK(few.at("ois_aligned_optimal").message == "2 representations cannot stand for 3 concepts");
  CHECK(few.at("nis").reason.empty());
}

TEST_CASE("too few steps of training are said") {
  const HandMade data(100, 6);  // 25 steps
  const auto scores = scored(data.pure, data.concepts);
  CHECK(scores.at("ois_failed_fits").value > 0);
  CHECK(scores.at("ois").message.find("worse than chance") != std::string::npos);
  const HandMade enough(3000, 3);
  CHECK(scored(enough.pure, enough.concepts).at("ois").message.empty());
}

TEST_CASE("no number, and why") {
  const HandMade data(100, 2);
  for (const auto& [name, score] : conoscope::tests::score_group(Views(), "purity")) {
    CHECK(score.reason == "not_applicable");
    CHECK(score.message == "needs a concept view");
  }
  for (const char* name : {"ois", "nis", "concept_probe_auc", "label_probe_auc"})
    CHECK(scored(data.pure, Matrix()).at(name).message == "needs annotated concepts");
  CHECK(scored(data.pure, data.concepts.leftCols(1)).at("nis").message ==
        "purity is between concepts, and there is one");
  Matrix constant = data.concepts;
  constant.col(0).setOnes();
  for (const auto& [name, score] : scored(data.pure, constant)) {
    CAPTURE_BINDING(name);
    if (name == "label_probe_auc") continue;  // asks for no concepts
    CHECK(score.reason == "undefined");
    CHECK(score.message.find("concept 0 is constant") != std::string::npos);
  }
  Matrix three = data.concepts;
  three(0, 0) = three(1, 0) = three(2, 0) = 2;
  CHECK(scored(data.pure, three).at("nis").message == "the annotated concepts are not binary");
  CHECK(scored(data.pure, three).at("ois").reason.empty());
  CHECK_THROWS_SAYING(scored(data.pure.topRows(5), data.concepts), std::invalid_argument,
                      "c_hat is 5 x 2");
}
