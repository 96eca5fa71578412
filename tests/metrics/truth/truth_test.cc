// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/truth/learnt_concepts.h"
#include "metrics/truth/truth_ev.h"
#include "metrics/truth/truth_f1.h"
#include "metrics/truth/truth_l0.h"
#include "metrics/truth/truth_mcc.h"
#include "metrics/truth/truth_uniqueness.h"
#include "tests/metrics/truth/small_world.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Sums of a few hundred products.
constexpr double kRounding = 1e-12;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(kRounding); }

Score score_of(const char* name, const Views& views) {
  const Metric* metric = catalogue().metric(name);
  REQUIRE_MESSAGE(metric != nullptr, name);
  return score(*metric, Subject(views));
}

double value_of(const char* name, const Views& views) {
  const Score found = score_of(name, views);
  REQUIRE_MESSAGE(found.reason.empty(), name << ": " << found.message);
  return found.value;
}

/// Three truths along the axes of a space of three.
const Matrix kAxes = Matrix::Identity(3, 3);

}  // namespace

TEST_CASE("truth_mcc: by hand") {
  Matrix atoms(2, 3);
  atoms << 3, 4, 0,  // cosines 0.6, 0.8, 0
      0, -2, 0;      // 0, -1, 0
  const TruthMatching found = truth_matching(atoms, kAxes);
  // Both are closest to the second truth; matched, the first one gives way: 0.6 + 1.
  CHECK(found.closest == IndexVector{1, 1});
  REQUIRE(found.pairs.size() == 2);
  CHECK(found.pairs[0].b == 0);
  CHECK(found.pairs[1].b == 1);
  CHECK(truth_mcc(found) == near(0.8));
  CHECK(truth_mcc_two_sided(found) == near(1.6 / 3));
  CHECK(truth_coverage(found) == near((0.6 + 1.0 + 0.0) / 3));
  CHECK(truth_recovered(found) == near(1.0 / 3));
  CHECK(truth_uniqueness(found) == 0.5);
  // With signs the second atom is like none: 0.8, and 0 for it.
  const TruthMatching of_signs = truth_matching_signed(atoms, kAxes);
  CHECK(truth_mcc(of_signs) == near(0.4));
  CHECK(truth_recovered(of_signs) == near(1.0 / 3));  // 0.8 is enough
  CHECK(truth_uniqueness(of_signs) == 1.0);
}

TEST_CASE("truth_mcc: more latents than truths cost nothing, but for two sides") {
  Matrix atoms(5, 3);
  atoms << kAxes, Matrix::Ones(2, 3);
  const TruthMatching found = truth_matching(atoms, kAxes);
  CHECK(truth_mcc(found) == near(1.0));
  CHECK(truth_mcc_two_sided(found) == near(0.6));
  CHECK(found.pairs.size() == 3);
  CHECK(truth_uniqueness(found) == near(0.6));
}

TEST_CASE("truth_mcc: an atom of 0 is like nothing") {
  const TruthMatching found = truth_matching(Matrix::Zero(1, 3), kAxes);
  CHECK(found.closest == IndexVector{0});
  CHECK(truth_mcc(found) == 0.0);
}

TEST_CASE("truth_mcc: order, length and, without signs, orientation say nothing") {
  const Matrix atoms = testing::normals(6, 8, 1), truth = testing::normals(9, 8, 2);
  const TruthMatching found = truth_matching(atoms, truth);
  Matrix other = -3.0 * atoms.colwise().reverse();
  const TruthMatching again = truth_matching(other, truth.colwise().reverse());
  CHECK(truth_mcc(again) == near(truth_mcc(found)));
  CHECK(truth_coverage(again) == near(truth_coverage(found)));
  CHECK(truth_uniqueness(again) == truth_uniqueness(found));
  const TruthMatching of_signs = truth_matching_signed(atoms, truth);
  other = 3.0 * atoms.colwise().reverse();
  CHECK(truth_mcc(truth_matching_signed(other, truth)) == near(truth_mcc(of_signs)));
  CHECK(truth_mcc(truth_matching_signed(-truth.topRows(6), truth)) < 0.8);
  CHECK(truth_mcc(truth_matching(-truth.topRows(6), truth)) == near(1.0));
}

TEST_CASE("truth_mcc: 256 latents and 1,024 truths take well below a second") {
  const Matrix atoms = testing::normals(256, 128, 1), truth = testing::normals(1024, 128, 2);
  const auto start = std::chrono::steady_clock::now();
  const double value = truth_mcc(truth_matching(atoms, truth));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(value > 0.25);
  CHECK(value < 0.35);
  CHECK(took.count() < 1.0);  // 9 s by the matching of a general graph
}

TEST_CASE("truth_matching: what is refused") {
  CHECK_THROWS_SAYING(truth_matching(Matrix(0, 3), kAxes), std::invalid_argument, "atoms");
  CHECK_THROWS_SAYING(truth_matching(kAxes, Matrix(0, 3)), std::invalid_argument, "directions");
  CHECK_THROWS_SAYING(truth_matching(Matrix::Ones(2, 4), kAxes), std::invalid_argument,
                      "atoms is 2 x 4, directions 3 x 3");
  Matrix broken = kAxes;
  broken(1, 2) = kNan;
  CHECK_THROWS_SAYING(truth_matching(broken, kAxes), std::invalid_argument, "atoms", "nan");
}

TEST_CASE("truth_f1: by hand") {
  Matrix codes(4, 3);
  codes << 1, 0, 2,  //
      1, 0, 2,       //
      0, 0, 2,       //
      0, 0, -1;
  MatrixF activations(4, 2);
  activations << 1, 0,  //
      0, 0,             //
      3, 0,             //
      0, 0;
  const std::vector<Firing> found = truth_firing(codes, activations, {0, 0, 1});
  REQUIRE(found.size() == 3);
  CHECK(found[0].precision() == 0.5);
  CHECK(found[0].recall() == 0.5);
  CHECK(found[0].f1() == 0.5);
  CHECK(found[1].precision() == 0.0);  // it never fires
  CHECK(found[1].recall() == 0.0);
  CHECK(found[1].f1() == 0.0);
  CHECK(found[2].latent == 3);      // a code below 0 is no firing
  CHECK(found[2].recall() == 0.0);  // its feature never does
  CHECK(found[2].f1() == 0.0);
  CHECK(truth_firing(7.0 * codes, activations, {0, 0, 1})[0].f1() == 0.5);
}

TEST_CASE("truth_f1: what is refused") {
  const Matrix codes = Matrix::Ones(2, 2);
  const MatrixF truth = MatrixF::Ones(2, 3);
  CHECK_THROWS_SAYING(truth_firing(Matrix(0, 2), truth, {0, 1}), std::invalid_argument, "codes");
  CHECK_THROWS_SAYING(truth_firing(codes, MatrixF(2, 0), {0, 1}), std::invalid_argument,
                      "activations");
  CHECK_THROWS_SAYING(truth_firing(codes, MatrixF::Ones(3, 3), {0, 1}), std::invalid_argument,
                      "codes is 2 x 2, activations 3 x 3");
  CHECK_THROWS_SAYING(truth_firing(codes, truth, {0}), std::invalid_argument, "for 1 latents");
  CHECK_THROWS_SAYING(truth_firing(codes, truth, {0, 3}), std::invalid_argument, "3");
  Matrix broken = codes;
  broken(0, 1) = kNan;
  CHECK_THROWS_SAYING(truth_firing(broken, truth, {0, 1}), std::invalid_argument, "codes", "nan");
}

TEST_CASE("truth_ev: by hand") {
  Matrix rows(2, 2), rebuilt(2, 2);
  rows << 1, 0, 3, 4;
  rebuilt << 1, 0, 3, 2;
  // Lost 4; about the mean (2, 2): 1 + 4 + 1 + 4.
  CHECK(explained_variance(rows, rebuilt) == near(0.6));
  CHECK(explained_variance(rows, rows) == 1.0);
  CHECK(explained_variance(rows, Matrix(rows.colwise().mean().replicate(2, 1))) == near(0.0));
  CHECK(explained_variance(rows.array() + 1e8, rebuilt.array() + 1e8) ==
        doctest::Approx(0.6).epsilon(1e-7));
  CHECK(shrinkage(rows, 0.5 * rows) == near(0.5));
  CHECK(shrinkage(rows, rebuilt) == near((1.0 + std::sqrt(13.0) / 5.0) / 2));
}

TEST_CASE("truth_ev: rows without variance, rows of 0") {
  const Matrix same = Matrix::Constant(3, 2, 0.1);
  CHECK(explained_variance(same, same) == 1.0);
  CHECK(explained_variance(same, 2.0 * same) == 0.0);
  Matrix rows = Matrix::Zero(2, 2);
  CHECK_THROWS_SAYING(shrinkage(rows, same.topRows(2)), std::domain_error, "every row is 0");
  rows(1, 0) = 2.0;
  CHECK(shrinkage(rows, 2.0 * rows) == 2.0);  // of the row that is not 0
}

TEST_CASE("truth_ev: what is refused") {
  const Matrix two = Matrix::Ones(2, 2);
  Matrix broken = two;
  broken(1, 1) = kNan;
  for (const auto measure : {explained_variance, shrinkage}) {
    CHECK_THROWS_SAYING(measure(Matrix(0, 2), two), std::invalid_argument, "rows");
    CHECK_THROWS_SAYING(measure(two, Matrix::Ones(2, 3)), std::invalid_argument,
                        "rows is 2 x 2, rebuilt 2 x 3");
    CHECK_THROWS_SAYING(measure(two, broken), std::invalid_argument, "rebuilt", "nan");
  }
}

TEST_CASE("truth_l0: by hand") {
  Matrix codes(4, 3);
  codes << 1, 0, 0,  //
      0, 0, 1,       //
      0, -1, 1,      //
      0, 0, 1;
  CHECK(firing_rates(codes) == Vector{{0.25, 0.0, 0.75}});
  CHECK_THROWS_SAYING(firing_rates(Matrix(0, 3)), std::invalid_argument, "codes");
  codes(0, 0) = kNan;
  CHECK_THROWS_SAYING(firing_rates(codes), std::invalid_argument, "codes", "nan");
}

TEST_CASE("truth: of a subject, the truth itself, whatever its order and scale") {
  const Truth truth = small_world();
  const Dictionary made = true_dictionary(truth);
  const JudgedDictionary judged(truth, made);
  for (const std::string name :
       {"truth_mcc", "truth_mcc_signed", "truth_mcc_two_sided", "truth_coverage", "truth_recovered",
        "truth_recovered_signed", "truth_uniqueness", "truth_f1", "truth_precision", "truth_recall",
        "truth_ev", "truth_shrinkage"})
    CHECK_MESSAGE(value_of(name.c_str(), judged.views()) == near(1.0), name);
  for (const std::string name : {"truth_dead", "absorption_full", "absorption_excess"})
    CHECK_MESSAGE(value_of(name.c_str(), judged.views()) == 0.0, name);
  // Directions that are not orthogonal write a little of each other.
  CHECK(value_of("absorption", judged.views()) < 0.03);
  CHECK(value_of("truth_l0", judged.views()) ==
        near((made.codes.array() > 0.0).cast<double>().rowwise().sum().mean()));

  Dictionary other{made.atoms.colwise().reverse(), 7.0 * made.codes.rowwise().reverse()};
  const JudgedDictionary again(truth, other);
  for (const std::string name : {"truth_mcc", "truth_uniqueness", "truth_f1"})
    CHECK_MESSAGE(value_of(name.c_str(), again.views()) == near(1.0), name);
  CHECK(value_of("truth_dead", again.views()) == 0.0);
}

TEST_CASE("truth: order of latents says nothing of a faulty dictionary") {
  const Truth truth = small_world();
  const Dictionary made = dropped(turned(absorbed(truth, 0.5), 20), 0.25);
  const Dictionary other{made.atoms.colwise().reverse(), made.codes.rowwise().reverse()};
  const JudgedDictionary judged(truth, made), again(truth, other);
  for (const Metric* metric : catalogue().select("truth"))
    CHECK_MESSAGE(value_of(metric->name.c_str(), judged.views()) ==
                      near(value_of(metric->name.c_str(), again.views())),
                  metric->name);
}

TEST_CASE("truth: a constant concept is no latent, but rebuilds") {
  const Truth truth = small_world();
  const JudgedDictionary with(truth, true_dictionary(truth)),
      without(truth, true_dictionary(truth), false);
  for (const std::string name : {"truth_mcc_two_sided", "truth_uniqueness", "truth_f1", "truth_l0"})
    CHECK_MESSAGE(value_of(name.c_str(), with.views()) == value_of(name.c_str(), without.views()),
                  name);
  CHECK(value_of("truth_ev", without.views()) < 0.99);
  const Score mcc = score_of("truth_mcc", with.views());
  REQUIRE(static_cast<Index>(mcc.parts.size()) == truth.directions.rows() + 1);
  CHECK(mcc.parts.front() == near(1.0));
  CHECK(std::isnan(mcc.parts.back()));
  CHECK(static_cast<Index>(score_of("truth_coverage", with.views()).parts.size()) ==
        truth.directions.rows());
}

TEST_CASE("truth: class-specific concepts of all outputs are one dictionary") {
  const Truth truth = small_world({.roots = 2, .children = 2, .free = 0});
  JudgedDictionary judged(truth, true_dictionary(truth), false);
  Explanation& explanation = judged.explanation;
  explanation.class_agnostic = false;
  explanation.importance = Vector::Ones(6);
  explanation.offset = {0, 2, 6};
  const Matrix codes = truth.activations.cast<double>();
  explanation.project = [codes](Index c, const MatrixRef&) -> Matrix {
    return c == 0 ? codes.leftCols(2) : codes.rightCols(4);
  };
  explanation.reconstruct = [](Index, const MatrixRef& scores) -> Matrix {
    return Matrix::Zero(scores.rows(), 64);
  };
  CHECK(value_of("truth_mcc", judged.views()) == near(1.0));
  CHECK(value_of("truth_f1", judged.views()) == 1.0);
  CHECK(value_of("truth_ev", judged.views()) < 0.0);
}

TEST_CASE("truth: what is not applicable") {
  const Truth truth = small_world();
  const Dictionary made = true_dictionary(truth);
  const auto says = [](const char* name, const Views& views, const char* message) {
    const Score found = score_of(name, views);
    CHECK(found.reason == "not_applicable");
    CHECK_MESSAGE(found.message.find(message) != std::string::npos, found.message);
  };
  JudgedDictionary no_way_back(truth, made);
  no_way_back.explanation.reconstruct = nullptr;
  says("truth_ev", no_way_back.views(), "no reconstruction");
  CHECK(value_of("truth_mcc", no_way_back.views()) == near(1.0));

  JudgedDictionary hidden(truth, made);
  hidden.explanation.cavs.resize(0, 0);
  hidden.explanation.constant.clear();
  says("truth_mcc", hidden.views(), "shows no CAVs");

  JudgedDictionary all_constant(truth, made);
  all_constant.explanation.constant.assign(all_constant.explanation.constant.size(), 1);
  says("truth_mcc", all_constant.views(), "every concept");

  JudgedDictionary elsewhere(truth, made);  // a layer of the same width, which is another space
  elsewhere.head.activations = Matrix(elsewhere.head.activations.all().rowwise().reverse());
  says("truth_mcc", elsewhere.views(), "not the world");

  JudgedDictionary wider(truth, made);
  wider.head.activations = testing::normals(2000, 65, 1);
  wider.head.weight = Matrix::Ones(2, 65);
  says("truth_f1", wider.views(), "65 dimensions");

  Truth flat = truth;
  flat.parent.assign(flat.parent.size(), -1);
  const JudgedDictionary no_trees(flat, made);
  flat.parent.clear();
  const JudgedDictionary not_told(flat, made);
  for (const std::string name : {"absorption", "absorption_excess"}) {
    says(name.c_str(), no_trees.views(), "no feature of this world has children");
    says(name.c_str(), not_told.views(), "no feature of this world has children");
  }
}

TEST_CASE("truth: what contradicts itself is refused") {
  const auto refuses = [](const auto& spoil, const std::string& message) {
    Truth truth = small_world({.roots = 2, .children = 2, .free = 0, .rows = 50});
    const JudgedDictionary judged(truth, true_dictionary(truth));
    spoil(truth);
    Views views = judged.views();
    views.truth = &truth;
    CHECK_THROWS_SAYING(score(*catalogue().metric("truth_mcc"), Subject(views)),
                        std::invalid_argument, message);
  };
  refuses([](Truth& t) { t.directions.row(1) *= 2.0; }, "direction 1 has length 2");
  refuses([](Truth& t) { t.directions.resize(0, 64); }, "directions");
  refuses([](Truth& t) { t.activations.conservativeResize(49, Eigen::NoChange); },
          "activations is 49 x 6, for 50 rows");
  refuses([](Truth& t) { t.activations(3, 2) = -1.0F; }, "activations");
  refuses([](Truth& t) { t.parent.pop_back(); }, "5 parents of 6 features");
  refuses([](Truth& t) { t.parent[2] = 6; }, "the parent of feature 2 is 6");
  refuses([](Truth& t) { t.parent[2] = 2; }, "the parent of feature 2 is 2");
  const Truth truth = small_world();
  JudgedDictionary judged(truth, true_dictionary(truth));
  judged.explanation.constant.pop_back();
  CHECK_THROWS_SAYING(score(*catalogue().metric("truth_mcc"), Subject(judged.views())),
                      std::invalid_argument, "constant has 64 entries for 65 CAVs");
}

}  // namespace conoscope::tests
