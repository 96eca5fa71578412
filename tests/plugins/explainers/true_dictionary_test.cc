// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plugins/explainers/true_dictionary/faults.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"
#include "tests/support/throws.h"

using namespace conoscope::testing;
using namespace conoscope::methods;
using conoscope::numerics::Seed;

namespace {

constexpr Eigen::Index kRows = 60, kFeatures = 10, kWidth = 6, kOutputs = 3;

/// Feature 1 and 2 below 0, 4 below 3.
const std::vector<std::int64_t> kParent = {-1, 0, 0, -1, 3, -1, -1, -1, -1, -1};

/// As float32, in which datasets have them.
Rows rounded(const Rows& values) { return values.cast<float>().cast<double>(); }

/// A world of ten features whose judged rows are known; the head view has other rows.
struct World {
  Rows directions = rounded(normal_rows(kFeatures, kWidth, 1).rowwise().normalized());
  Rows activations = Rows::Zero(kRows, kFeatures);
  Rows bias = rounded(0.1 * normal_rows(1, kWidth, 2));
  Rows weight = normal_rows(kOutputs, kWidth, 3);

  World() {
    const Rows drawn = normal_rows(kRows, kFeatures, 4);
    for (Eigen::Index i = 0; i < kRows; ++i)
      for (Eigen::Index k = 0; k < kFeatures; ++k) {
        const auto up = kParent[static_cast<std::size_t>(k)];
        if (drawn(i, k) > 0.6 && (up < 0 || activations(i, up) > 0.0))
          activations(i, k) = static_cast<float>(1.0 + drawn(i, k));
      }
  }

  Rows x() const { return (activations * directions).rowwise() + bias.row(0); }

  Bundle head() const {
    Bundle out =
        head_bundle(normal_rows(20, kWidth, 5), 1, weight, {0.1, 0.2, 0.3}, "softmax", "none");
    out.arrays["truth_directions"] = array_of(directions);
    out.arrays["truth_activations"] = array_of(activations);
    out.arrays["truth_bias"] = OwnedArray::of<double>({kWidth}, flat(bias));
    out.arrays["truth_parent"] = OwnedArray::of<std::int64_t>({kFeatures}, kParent);
    return out;
  }

  Bundle fitted(const Arguments& arguments, std::uint64_t seed = 0) const {
    const Outcome out = plugin("true_dictionary").fit_explainer(arguments, head(), {.seed = seed});
    REQUIRE(out.error == "");
    return out.out;
  }
};

Rows scores_of(const Bundle& explanation, const Rows& rows) {
  const Outcome out =
      plugin("true_dictionary")
          .project({}, explanation, 0, array_of(rows), explanation.shape("cavs").front());
  REQUIRE(out.error == "");
  return matrix_of(out.out, "scores");
}

}  // namespace

TEST_CASE("true_dictionary: rebuilds activations and logits, the bias counted") {
  const World world;
  const Bundle truth = world.fitted({});
  CHECK(truth.texts.at("scope") == "class_agnostic");
  CHECK(matrix_of(truth, "cavs").topRows(kFeatures) == world.directions);
  const auto constant = truth.values<std::int64_t>("constant_concepts");
  CHECK(std::vector<std::int64_t>(constant.begin(), constant.end()) ==
        std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});

  const Rows x = world.x(), scores = scores_of(truth, rounded(x));
  CHECK(scores.leftCols(kFeatures) == world.activations);
  CHECK((scores.col(kFeatures).array() - world.bias.norm()).abs().maxCoeff() < 1e-7);
  const Rows logits = x * world.weight.transpose();
  CHECK((scores * matrix_of(truth, "importance").transpose() - logits).cwiseAbs().maxCoeff() <
        1e-6);
  const Outcome back =
      plugin("true_dictionary").reconstruct({}, truth, 0, array_of(scores), kWidth);
  CHECK((matrix_of(back.out, "rows") - x).cwiseAbs().maxCoeff() < 1e-6);

  // A few features are the first ones; their scores are found by the whole row.
  const Bundle four = world.fitted({{"features", 4}});
  CHECK(four.shape("cavs").front() == 5);
  CHECK(scores_of(four, x).leftCols(4) == world.activations.leftCols(4));
  World central;
  central.bias.setZero();
  CHECK(central.fitted({}).shape("cavs").front() == kFeatures);
}

TEST_CASE("true_dictionary: rows in any order; of others it knows nothing") {
  const World world;
  const Bundle truth = world.fitted({});
  const Rows x = world.x();
  CHECK(scores_of(truth, x.colwise().reverse()).leftCols(kFeatures) ==
        Rows(world.activations.colwise().reverse()));
  Rows moved = x.topRows(2);
  moved(1, 3) += 0.01;
  const Outcome out = plugin("true_dictionary").project({}, truth, 0, array_of(moved), 11);
  check_fault(out, CONO_NOT_APPLICABLE,
              "true_dictionary: row 1 is none of the test split's, of which alone the truth is "
              "known");

  const KnownRows known(x);
  CHECK(known.find(x.row(7).transpose()) == 7);
  CHECK(known.find(moved.row(1).transpose()) == -1);
  CHECK_THROWS_SAYING(known.find(x.row(0).head(2).transpose()), std::invalid_argument,
                      "a row of 2 entries, expected 6");
  CHECK_THROWS_SAYING(KnownRows(Matrix(0, 3)), std::invalid_argument, "rows");
}

TEST_CASE("true_dictionary: an angle turns every direction by it") {
  const World world;
  const Bundle turned_ones = world.fitted({{"fault", "angle"}, {"amount", 30.0}});
  const Rows cavs = matrix_of(turned_ones, "cavs").topRows(kFeatures);
  CHECK((cavs.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-6);
  for (Eigen::Index k = 0; k < kFeatures; ++k)
    CHECK(cavs.row(k).dot(world.directions.row(k)) ==
          doctest::Approx(std::cos(std::numbers::pi / 6.0)).epsilon(1e-6));
  CHECK(scores_of(turned_ones, world.x()).leftCols(kFeatures) == world.activations);
  CHECK(matrix_of(turned_ones, "importance")
            .leftCols(kFeatures)
            .isApprox(world.weight * cavs.transpose(), 1e-12));

  CHECK_THROWS_SAYING(turned(world.directions, world.directions.topRows(2), 1.0),
                      std::invalid_argument, "ways 2 x 6");
  CHECK_THROWS_SAYING(turned(Matrix::Identity(2, 2), Matrix::Identity(2, 2), 1.0),
                      std::domain_error, "way 0 is parallel to its direction");
  CHECK_THROWS_SAYING(turned(Matrix::Ones(1, 1), Matrix::Ones(1, 1), 1.0), std::invalid_argument,
                      "columns of directions = 1");
  CHECK_THROWS_SAYING(turned(world.directions, world.directions, NAN), std::invalid_argument,
                      "phi is nan");
}

TEST_CASE("true_dictionary: what is dropped fires as often, along a direction of its own") {
  const World world;
  const Bundle half = world.fitted({{"fault", "dropped"}, {"amount", 0.5}});
  const Rows cavs = matrix_of(half, "cavs"), scores = scores_of(half, world.x());
  int changed = 0;
  for (Eigen::Index k = 0; k < kFeatures; ++k) {
    const auto count = [](const auto& column) { return (column.array() > 0.0).count(); };
    if (cavs.row(k) == world.directions.row(k)) {
      CHECK(scores.col(k) == world.activations.col(k));
      continue;
    }
    ++changed;
    const Eigen::VectorXd along = (world.activations * world.directions) * cavs.row(k).transpose();
    CHECK(count(scores.col(k)) == std::min(count(world.activations.col(k)), count(along)));
    double least = INFINITY, most_silent = -INFINITY;
    for (Eigen::Index i = 0; i < kRows; ++i)
      if (scores(i, k) > 0.0) {
        CHECK(scores(i, k) == doctest::Approx(along[i]).epsilon(1e-6));
        least = std::min(least, along[i]);
      } else {
        most_silent = std::max(most_silent, along[i]);
      }
    CHECK(least >= most_silent);
  }
  CHECK(changed == 5);
  CHECK(world.fitted({{"fault", "dropped"}, {"amount", 0.5}}, 1).arrays.at("cavs") !=
        half.arrays.at("cavs"));

  KnownDictionary dictionary{world.activations, world.directions};
  CHECK_THROWS_SAYING(drop(dictionary, world.x().topRows(3), {0}, Seed(1)), std::invalid_argument,
                      "rows are 3 x 6");
  CHECK_THROWS_SAYING(drop(dictionary, world.x(), {10}, Seed(1)), std::invalid_argument,
                      "latent 10, but there are 10");
}

TEST_CASE("true_dictionary: an absorbed parent is silent where its child speaks for both") {
  KnownDictionary dictionary{Matrix::Zero(4, 2), Matrix::Identity(2, 2)};
  dictionary.codes << 4.0, 0.0, 2.0, 1.0, 4.0, 3.0, 0.0, 0.0;
  absorb(dictionary, {{0, 1}});
  // rho = (2 + 4) / (1 + 3) = 1.5, |d_c + 1.5 d_p| = sqrt(3.25)
  const double norm = std::sqrt(3.25);
  Matrix codes(4, 2), atoms(2, 2);
  codes << 4.0, 0.0, 0.0, norm, 0.0, 3.0 * norm, 0.0, 0.0;
  atoms << 1.0, 0.0, 1.5 / norm, 1.0 / norm;
  CHECK(dictionary.codes.isApprox(codes, 1e-12));
  CHECK(dictionary.atoms.isApprox(atoms, 1e-12));
  CHECK_THROWS_SAYING(absorb(dictionary, {{0, 0}}), std::invalid_argument, "absorbs itself");
  CHECK_THROWS_SAYING(absorb(dictionary, {{0, 1}, {0, 1}}), std::invalid_argument,
                      "latent 1 absorbs two parents");
  CHECK_THROWS_SAYING(absorb(dictionary, {{0, 2}}), std::invalid_argument, "latent 2");

  // All three families of the world, and none where the features kept have none.
  const World world;
  const Rows scores = scores_of(world.fitted({{"fault", "absorbed"}, {"amount", 1.0}}), world.x());
  for (Eigen::Index k = 0; k < kFeatures; ++k)
    if (const auto up = kParent[static_cast<std::size_t>(k)]; up >= 0) {
      CHECK((scores.col(k).array() > 0.0).count() > 0);
      CHECK((scores.col(k).array() > 0.0 && scores.col(up).array() > 0.0).count() == 0);
    }
  check_fault(
      plugin("true_dictionary")
          .fit_explainer({{"fault", "absorbed"}, {"features", 1}, {"amount", 1.0}}, world.head()),
      CONO_NOT_APPLICABLE, "true_dictionary: fault = absorbed, but no feature has a parent");
}

TEST_CASE("true_dictionary: exchanged atoms are those of the truth, each another's") {
  const World world;
  const Bundle all = world.fitted({{"fault", "permuted"}, {"amount", 1.0}});
  const Rows cavs = matrix_of(all, "cavs");
  for (Eigen::Index k = 0; k < kFeatures; ++k) {
    CHECK(cavs.row(k) != world.directions.row(k));
    int found = 0;
    for (Eigen::Index j = 0; j < kFeatures; ++j) found += cavs.row(j) == world.directions.row(k);
    CHECK(found == 1);
  }
  CHECK(scores_of(all, world.x()).leftCols(kFeatures) == world.activations);
  KnownDictionary dictionary{world.activations, world.directions};
  CHECK_THROWS_SAYING(exchange_atoms(dictionary, {0, -1}), std::invalid_argument, "latent -1");
  CHECK(draw_share(10, 0.25, Seed(1)).size() == 3);
  CHECK_THROWS_SAYING(draw_share(10, 1.5, Seed(1)), std::invalid_argument, "share = 1.5");
  CHECK_THROWS_SAYING(draw_share(-1, 0.5, Seed(1)), std::invalid_argument, "n = -1");
}

TEST_CASE("true_dictionary: what does not fit is refused") {
  const World world;
  const auto fit = [&world](const Arguments& arguments) {
    return plugin("true_dictionary").fit_explainer(arguments, world.head());
  };
  check_refused(fit({{"features", 11}}), "features = 11, but only 10 are known");
  check_refused(fit({{"amount", 0.5}}), "amount = 0.500000 with fault = none");
  check_refused(fit({{"fault", "dropped"}, {"amount", 2.0}}), "expected at most 1");
  Bundle wide = world.head();
  wide.arrays["truth_directions"] = array_of(normal_rows(kFeatures, 7, 1));
  const Outcome refused = plugin("true_dictionary").fit_explainer({}, wide);
  CHECK(refused.status == CONO_NOT_APPLICABLE);
  CHECK(refused.error.find("directions of 7 numbers") != std::string::npos);
}
