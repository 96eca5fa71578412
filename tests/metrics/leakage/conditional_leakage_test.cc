// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/conditional_leakage.h"

#include <doctest/doctest.h>

#include <limits>

#include "metrics/information/mi_discrete.h"
#include "metrics/information/mi_noise.h"
#include "metrics/leakage/ctl_icl.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// Two bits c and s, all combinations alike; the label is 2 c + s and one concept is annotated.
struct Bits {
  Matrix c = Matrix(64, 1), s = Matrix(64, 1);
  IndexVector labels;
  Bits() {
    for (Index i = 0; i < 64; ++i) {
      c(i, 0) = static_cast<double>(i & 1);
      s(i, 0) = static_cast<double>(i >> 1 & 1);
      labels.push_back(2 * (i & 1) + (i >> 1 & 1));
    }
  }
};

TEST_CASE("ctl_conditional, conditional_leakage: by hand; ctl is blind to what is traded") {
  const Bits bits;
  CHECK(ctl(bits.s, bits.c, bits.labels).value == 0.0);  // it says as much, of something else
  CHECK(ctl_conditional(bits.s, bits.c, bits.labels)[0] == doctest::Approx(0.5));
  CHECK(conditional_leakage(bits.s, bits.c, bits.labels).estimate == doctest::Approx(0.5));
  CHECK(ctl_conditional(bits.c, bits.c, bits.labels)[0] == 0.0);
  Matrix both(64, 2);
  both << bits.c, bits.s;
  CHECK(conditional_leakage(both, bits.c, bits.labels).estimate == doctest::Approx(0.5));
  CHECK(conditional_leakage(bits.s, both, bits.labels).value == 0.0);  // nothing is left to leak
  // Soft, with the bits far apart: the same to within what 3 neighbours of 16 can tell.
  Matrix soft = 0.8 * bits.s.array() + 0.1;
  for (Index i = 0; i < 64; ++i) soft(i, 0) += 0.001 * static_cast<double>(i * 37 % 64);
  CHECK(ctl_conditional(soft, bits.c, bits.labels)[0] == doctest::Approx(0.5).epsilon(0.05));
  CHECK(conditional_leakage(soft, bits.c, bits.labels).estimate ==
        doctest::Approx(ctl_conditional(soft, bits.c, bits.labels)[0]));
}

TEST_CASE(
    "conditional_leakage: what chance gives is taken off, and nothing is said of small strata") {
  // k random bits are the true concepts; the predicted one is the label, or tells nothing of it.
  const auto found = [](Index k, bool leaks) {
    const Draws draw = normal_draws(46);
    const Index n = 1000;
    Matrix predicted(n, 1), truth(n, k);
    IndexVector labels;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < k; ++j) truth(i, j) = draw() > 0.0;
      labels.push_back(draw() > 0.0);
      predicted(i, 0) = leaks ? static_cast<double>(labels.back()) : draw() > 0.0;
    }
    return conditional_leakage(predicted, truth, labels);
  };
  const ConditionalLeakage honest = found(5, false), leaking = found(5, true);
  CHECK(honest.estimate > 0.015);  // by the plug-in's bias alone
  CHECK(std::abs(honest.value) < 0.01);
  CHECK(honest.p > 0.05);
  CHECK(leaking.value == doctest::Approx(0.95).epsilon(0.02));
  CHECK(leaking.p == doctest::Approx(1.0 / 40));
  CHECK(leaking.null.size() == 39);
  for (const bool leaks : {false, true})
    CHECK_THROWS_SAYING(
        found(10, leaks), std::domain_error, "too few samples share their true concepts (3",
        " of 1000 share them with no other): of the 0.3", "chance alone gives up to 0.2");
  for (const bool leaks : {false, true})
    CHECK_THROWS_SAYING(found(30, leaks), std::domain_error,
                        "1000 of 1000 samples share their true concepts with no other");
}

TEST_CASE("ctl_conditional: the chain rule, L_i = u_i + I(c_i; y | c^_i) / H(y)") {
  const Draws draw = normal_draws(11);
  const Index n = 300;
  Matrix predicted(n, 2), truth(n, 2);
  IndexVector labels, column(static_cast<size_t>(n)), concept_of(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 2; ++j) {
      truth(i, j) = draw() > 0.0;
      predicted(i, j) = truth(i, j) + draw() > 0.5;
    }
    labels.push_back(static_cast<Index>(truth.row(i).sum() + draw() > 1.0));
  }
  const std::vector<double> found = ctl_conditional(predicted, truth, labels);
  for (Index j = 0; j < 2; ++j) {
    for (Index i = 0; i < n; ++i) {
      column[static_cast<size_t>(i)] = static_cast<Index>(predicted(i, j));
      concept_of[static_cast<size_t>(i)] = static_cast<Index>(truth(i, j));
    }
    const double u = mi_discrete(column, labels) - mi_discrete(concept_of, labels);
    const double lost = mi_discrete_given(concept_of, labels, column).value;
    CHECK(found[static_cast<size_t>(j)] * entropy_discrete(labels) ==
          doctest::Approx(u + lost).epsilon(1e-12));
  }
}

TEST_CASE("conditional leakage: through the declarations; samples that stand alone are counted") {
  Bits bits;
  ConceptView view;
  view.scores = 0.8 * bits.s.array() + 0.1;
  for (Index i = 0; i < 64; ++i) view.scores(i, 0) += 0.001 * static_cast<double>(i * 37 % 64);
  view.probabilities = view.scores;
  Annotations annotations;
  annotations.concepts = bits.c;
  annotations.labels = bits.labels;
  Views views{.concepts = &view, .annotations = &annotations};
  CHECK(score_group(views, "leakage").at("ctl_conditional").parts.size() == 1);
  CHECK(score_group(views, "leakage").at("conditional_leakage").message.empty());
  annotations.labels[5] = 9;
  const Score one = score_group(views, "leakage").at("conditional_leakage");
  CHECK(one.value > 0.3);
  CHECK(one.message == "1 sample left out: no other sample has the same concepts and label");
  CHECK(one.parts.size() == 39);
  view.scores.setConstant(0.25);  // saturated: noise, which says nothing, takes the ties' place
  view.probabilities = view.scores;
  CHECK(score_group(views, "leakage").at("ctl_conditional").value < 0.2);
}

TEST_CASE("conditional leakage: what is refused, and what does not exist") {
  const Bits bits;
  CHECK_THROWS_SAYING(ctl_conditional(bits.s, bits.c.topRows(9), bits.labels),
                      std::invalid_argument, "predicted has 64 samples", "truth 9");
  CHECK_THROWS_SAYING(conditional_leakage(bits.s, bits.c, IndexVector{0, 1}), std::invalid_argument,
                      "labels 2");
  Matrix two(64, 2);
  two << bits.c, bits.s;
  CHECK_THROWS_SAYING(ctl_conditional(two, bits.c, bits.labels), std::invalid_argument,
                      "predicted has 2 concepts and truth 1");
  CHECK_THROWS_SAYING(conditional_leakage(bits.s, Matrix(0.5 * bits.c), bits.labels),
                      std::invalid_argument, "truth is not made of whole");
  CHECK_THROWS_SAYING(ctl_conditional(bits.s, bits.c, IndexVector(64, 1)), std::domain_error,
                      "one class only");
  CHECK_THROWS_SAYING(conditional_leakage(bits.s, bits.c, bits.labels, {.permutations = 0}),
                      std::invalid_argument, "permutations = 0");
  two(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(conditional_leakage(two, bits.c, bits.labels), std::invalid_argument,
                      "predicted is nan at row 3");
}

}  // namespace

}  // namespace conoscope::tests
