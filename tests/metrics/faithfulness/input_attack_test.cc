// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/input_attack.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "metrics/faithfulness/attack/attack_input_concept.h"
#include "metrics/faithfulness/attack/attack_input_importance.h"
#include "metrics/summaries/summary.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// A network, the head view of its images, and the images.
struct World {
  HeadView head;
  ImageView images;

  Score score_of(const Explanation& explanation, const char* metric, std::uint64_t seed = 0) const {
    Views views{.head = &head, .explanation = &explanation, .images = &images, .seed = seed};
    return score_group(views, metric).at(metric);
  }
};

/// Images of side x side pixels, in order.
void set_images(World& world, const Matrix& pixels, Index side) {
  world.images.pixels = pixels;
  world.images.height = world.images.width = side;
  world.images.channels = 1;
  world.images.mean = Vector::Zero(1);
}

/// h = A x; class 0 has the logit h_0, class 1 the constant -10. Two samples, in [0, 1].
World linear_world(const Matrix& a) {
  World world;
  set_images(world, Matrix{{0.5, 0.5, 0.5, 0.5}, {0.0, 1.0, 0.5, 0.5}}, 2);
  world.images.forward = [a](const MatrixRef& x) -> Matrix { return x * a.transpose(); };
  world.images.forward_gradient = [a](const MatrixRef&, const MatrixRef& u) -> Matrix {
    return u * a;
  };
  world.head.activations = world.images.forward(world.images.pixels.all());
  world.head.weight = Matrix::Zero(2, a.rows());
  world.head.weight(0, 0) = 1.0;
  world.head.bias = Vector{{0.0, -10.0}};
  return world;
}

/// Inputs of 8 x 8 with many zeros, two layers with ReLU of `width`, ten classes.
World network_world(Index samples = 20, Index width = 32, Index positions = 1) {
  World world;
  Matrix pixels = normal_matrix(samples, 64, 1).cwiseMax(0.0);
  set_images(world, pixels, 8);
  const Matrix first = normal_matrix(width, 64, 2) / 6.0;
  const Matrix second = normal_matrix(positions * width, width, 3) / 4.0;
  const auto hidden = [first](const MatrixRef& x) -> Matrix { return x * first.transpose(); };
  // m x (P * D), a sample's positions side by side: the same numbers as (m * P) x D.
  const auto layer = [=](const MatrixRef& x) -> Matrix {
    return hidden(x).cwiseMax(0.0) * second.transpose();
  };
  const auto reshaped = [](const Matrix& rows, Index count, Index cols) -> Matrix {
    return Eigen::Map<const Matrix>(rows.data(), count, cols);
  };
  world.images.forward = [=](const MatrixRef& x) -> Matrix {
    return reshaped(layer(x).cwiseMax(0.0), x.rows() * positions, width);
  };
  world.images.forward_gradient = [=](const MatrixRef& x, const MatrixRef& u) -> Matrix {
    const auto on = [](const Matrix& rows) -> Matrix {
      return (rows.array() > 0.0).cast<double>();
    };
    const Matrix along = reshaped(Matrix(u), x.rows(), positions * width);
    const Matrix below = along.cwiseProduct(on(layer(x))) * second;
    return below.cwiseProduct(on(hidden(x))) * first;
  };
  world.head.activations = world.images.forward(pixels);
  world.head.positions = positions;
  world.head.pooling = positions == 1 ? Pooling::kNone : Pooling::kMean;
  world.head.weight = normal_matrix(10, width, 4) / 6.0;
  world.head.bias = Vector::Zero(10);
  return world;
}

constexpr const char* kByPsi = "by random search: psi is not linear";
constexpr const char* kByModel = "by random search: the model gives no gradient";

}  // namespace

TEST_CASE("attack_input_concept: by hand") {
  // The concept reads pixels 2 and 3, the head pixels 0 and 1: no logit minds. |alpha| 2, A^T v = (3, 1):
  // the largest change is epsilon * 2 * 4, and noise makes it 2 * (|3 + 1| + |3 - 1|) / 2 times epsilon.
  const World world = linear_world(Matrix{{1, 1, 0, 0}, {0, 0, 3, 1}});
  Explanation e;
  e.cavs = Matrix{{0.0, 1.0}, {1.0, 0.0}};
  e.importance = Vector{{-2.0, 1.0}};
  e.offset = {0, 1, 2};
  const ExplainedHead of(world.head, e);
  InputAttackOptions options;
  options.noise = 20000;
  const Result found = attack_input_concept(of, world.images, 1, options);
  CHECK(found.value == doctest::Approx(4.0 / 3.0).epsilon(0.01));
  CHECK(found.caveat.empty());
  REQUIRE(found.parts.size() == 2);
  CHECK(found.parts[0] == doctest::Approx(found.parts[1]).epsilon(1e-12));

  // Two concepts, 2 (3, 1) and (1, -1): of the corners of the box, the one moves them by |(8, 0)| epsilon,
  // the other by |(4, 2)|, and noise is as often at one as at the other.
  Explanation two;
  two.cavs = Matrix{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}};
  two.importance = Vector{{2.0, 1.0, 1.0}};
  two.offset = {0, 2, 3};
  const World wider = linear_world(Matrix{{1, 1, 0, 0}, {0, 0, 3, 1}, {0, 0, 1, -1}});
  const Result both =
      attack_input_concept(ExplainedHead(wider.head, two), wider.images, 1, options);
  CHECK(both.value == doctest::Approx(8.0 / (0.5 * (8.0 + std::sqrt(20.0)))).epsilon(0.01));
}

TEST_CASE("attacked_samples: contributions, images and what becomes of them") {
  World world = linear_world(Matrix{{1, 1, 0, 0}, {0, 0, 3, 1}});
  Explanation e;
  e.cavs = Matrix{{0.0, 1.0}, {1.0, 0.0}};
  e.importance = Vector{{-2.0, 1.0}};
  e.offset = {0, 1, 2};
  const Score found = world.score_of(e, "attacked_samples");
  REQUIRE(found.reason.empty());
  const auto& columns = find_summary("attacked_samples")->columns;
  REQUIRE(found.parts.size() == 2 * columns.size());
  const auto at = [&](std::size_t row, const std::string& name) {
    const auto place = std::find(columns.begin(), columns.end(), name);
    REQUIRE(place != columns.end());
    return found.parts[row * columns.size() + static_cast<std::size_t>(place - columns.begin())];
  };
  // The first sample, 0.5 everywhere: h = (1, 2), the contribution -4; pixels 2 and 3 move by 0.02.
  CHECK(at(0, "output") == 0.0);
  CHECK(at(0, "epsilon") == doctest::Approx(0.02));
  CHECK(at(0, "concept_0") == 0.0);
  CHECK(at(0, "before_0") == doctest::Approx(-4.0));
  CHECK(std::abs(at(0, "after_0") + 4.0) == doctest::Approx(2.0 * 4.0 * 0.02));
  CHECK(at(0, "change") == doctest::Approx(2.0 * 4.0 * 0.02));
  CHECK(at(0, "surrogate_logit") == doctest::Approx(-4.0));
  CHECK(at(0, "moved_surrogate_logit") == at(0, "after_0"));
  CHECK(at(0, "logit") == doctest::Approx(1.0));
  CHECK(std::isnan(at(0, "concept_1")));
  CHECK(at(0, "rest_before") == 0.0);
  // Of 2 x 2 pixels each is a quarter of 32 x 32. Row 31, column 31 is pixel 3: 0.52 or 0.48 of white,
  // and all the change that there may be.
  const double grey = 65536.0 + 256.0 + 1.0;
  const auto second = [](double two) { return std::fmod(two, 16777216.0); };
  const bool up = std::abs(at(0, "after_0")) > 4.0;
  CHECK(second(at(0, "moved_pixel_511")) == std::round(255.0 * (up ? 0.52 : 0.48)) * grey);
  CHECK(second(at(0, "difference_pixel_511")) == (up ? 255.0 : 0.0) * grey);

  world.images.channels = 2;
  world.images.height = 2;
  world.images.width = 1;
  world.images.mean = Vector::Zero(2);
  CHECK(world.score_of(e, "attacked_samples").message == "images of 2 channels");
}

TEST_CASE("attack_input_concept: bounded by what the logits may do, in closed form") {
  // The concept is (h_0 + h_1) and h_0 the logit: its part in pixels 0 and 1 may use as much of the
  // logit's room as noise does, epsilon (|1 + 1| + |1 - 1|) / 2, and no more.
  const World world = linear_world(Matrix{{1, 1, 0, 0}, {0, 0, 3, 1}});
  Explanation e;
  e.cavs = Matrix{{1.0, 1.0}, {1.0, 0.0}};
  e.importance = Vector{{1.0, 1.0}};
  e.offset = {0, 1, 2};
  const ExplainedHead of(world.head, e);
  InputAttackOptions options;
  options.noise = 20000;
  options.steps = 400;
  const AttackedSamples found =
      attack_inputs(of, world.images,
                    {1, contribution_distance,
                     [](const Vector& z, const Vector& moved, double noise) -> Vector {
                       return (moved - z).normalized() / noise;
                     }},
                    1, options);
  const double epsilon = 0.02;
  CHECK(found.by_attack(0) <= epsilon * 5.0 * (1.0 + 0.02));
  CHECK(found.by_attack(0) > epsilon * 5.0 * 0.97);
  // |1 +- 1 +- 3 +- 1| over all signs.
  CHECK(found.by_noise(0) == doctest::Approx(epsilon * 3.0).epsilon(0.01));
}

TEST_CASE("input attacks: the gradient finds more than random search, and that more than noise") {
  for (const Index positions : {1, 4}) {
    CAPTURE(positions);
    World world = network_world(20, 32, positions);
    const Explanation e = normal_explanation(10, 4, 32);
    const Score climbed = world.score_of(e, "attack_input_concept");
    const Score turned = world.score_of(e, "attack_input_importance");
    CHECK(climbed.message.empty());
    world.images.forward_gradient = nullptr;
    const Score searched = world.score_of(e, "attack_input_concept");
    const Score tried = world.score_of(e, "attack_input_importance");
    CHECK(searched.message == kByModel);
    CHECK(climbed.value > 1.5 * searched.value);
    CHECK(searched.value > 1.1);
    CHECK(turned.value > tried.value);
    CHECK(tried.value > 0.0);
    // Sixty steps of the gradient find nearly all that six hundred do.
    world = network_world(20, 32, positions);
    InputAttackOptions options;
    options.steps = 600;
    const double more =
        attack_input_concept(ExplainedHead(world.head, e), world.images, 0, options).value;
    CHECK(more >= climbed.value * 0.99);
    CHECK(more <= climbed.value * 1.1);
  }
}

TEST_CASE("input attacks: what psi says is searched at random where it is a call") {
  const World world = network_world();
  const Score found =
      world.score_of(rectified(normal_explanation(10, 4, 32)), "attack_input_concept");
  CHECK(found.message == kByPsi);
  CHECK(found.value > 1.0);
}

TEST_CASE("input attacks: an explanation that says the logits is at 1, others above") {
  const World world = network_world();
  const Explanation perfect = perfect_explanation(world.head);
  const Score none = world.score_of(perfect, "attack_input_concept");
  CHECK(none.value <= 1.0);
  CHECK(none.value > 0.8);  // a margin may leave less room than noise takes
  const Explanation half = half_random_explanation(world.head, sdk::Seed(1));
  CHECK(world.score_of(half, "attack_input_concept").value <= 1.0);
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t draw = 0; draw < 5; ++draw)
    least = std::min(
        least,
        world.score_of(random_explanation(world.head, sdk::Seed(draw)), "attack_input_concept")
            .value);
  CHECK(least > 1.5);
}

TEST_CASE("input attacks: the answer stays, and the inputs stay within their range") {
  World world = network_world();
  const Matrix before = world.images.pixels.all();
  const Explanation e = normal_explanation(10, 4, 32);
  const double epsilon = 0.02 * (before.maxCoeff() - before.minCoeff());
  const auto forward = world.images.forward;
  Index runs = 0;
  world.images.forward = [&](const MatrixRef& pixels) -> Matrix {
    CHECK((pixels - before).cwiseAbs().maxCoeff() <= epsilon * (1.0 + 1e-12));
    CHECK(pixels.minCoeff() >= before.minCoeff());
    CHECK(pixels.maxCoeff() <= before.maxCoeff());
    ++runs;
    return forward(pixels);
  };
  CHECK(world.score_of(e, "attack_input_concept").value > 1.0);
  CHECK(runs == 1 + 1 + 16 + 2 * 60);

  // A sample on the border between its two best classes has no room, whatever the concepts.
  World tied = linear_world(Matrix{{1, 1, 0, 0}, {0, 0, 3, 1}});
  tied.head.weight = Matrix{{1.0, 0.0}, {1.0, 0.0}};
  tied.head.bias = Vector::Zero(2);
  Explanation two;
  two.cavs = Matrix{{1.0, 0.0}, {1.0, 0.0}};
  two.importance = Vector{{1.0, 1.0}};
  two.offset = {0, 1, 2};
  CHECK(tied.score_of(two, "attack_input_concept").value < 1e-12);
}

TEST_CASE("input attacks: units of inputs and importances, and the order of concepts and samples") {
  const World world = network_world();
  const Explanation e = normal_explanation(10, 3, 32);
  Explanation other = e;
  other.importance *= 5.0;
  for (Index c = 0; c < 10; ++c) {
    other.cavs.row(3 * c).swap(other.cavs.row(3 * c + 2));
    std::swap(other.importance(3 * c), other.importance(3 * c + 2));
  }
  World scaled = network_world();
  scaled.images.pixels = Matrix(8.0 * world.images.pixels.all());
  scaled.images.forward = [forward = world.images.forward](const MatrixRef& x) {
    return forward(x / 8.0);
  };
  scaled.images.forward_gradient = [gradient = world.images.forward_gradient](
                                       const MatrixRef& x, const MatrixRef& u) -> Matrix {
    return gradient(x / 8.0, u) / 8.0;
  };
  for (const char* metric : {"attack_input_concept", "attack_input_importance"}) {
    const double value = world.score_of(e, metric).value;
    CHECK(value == doctest::Approx(world.score_of(other, metric).value).epsilon(1e-6));
    CHECK(value == doctest::Approx(scaled.score_of(e, metric).value).epsilon(1e-6));
    CHECK(value == world.score_of(e, metric).value);
    CHECK(value != world.score_of(e, metric, 1).value);
  }
}

TEST_CASE("input attacks: where there is no number") {
  const World world = network_world();
  const Explanation perfect = perfect_explanation(world.head), e = normal_explanation(10, 3, 32);
  CHECK(world.score_of(perfect, "attack_input_importance").message ==
        "no predicted class has at least 2 concepts");
  World other = world;
  other.head.output = Output::kSigmoid;
  CHECK(other.score_of(e, "attack_input_concept").message == "the outputs are not a softmax's");
  other = world;
  other.head.logits = Matrix::Zero(20, 10);
  CHECK(other.score_of(e, "attack_input_importance").reason == "not_applicable");
  other = world;
  other.images.forward = nullptr;
  CHECK(other.score_of(e, "attack_input_concept").message ==
        "needs a model that runs new inputs (forward)");
  other = world;
  other.images.pixels = Matrix::Constant(20, 64, 2.0);
  CHECK(other.score_of(e, "attack_input_concept").message == "every input is 2.000000");
  Explanation mute = e;
  mute.importance.setZero();
  CHECK(world.score_of(mute, "attack_input_concept").message == "noise changes no contribution");

  const ExplainedHead of(world.head, e);
  const auto attack = [&](const ImageView& images, const InputAttackOptions& options = {}) {
    return attack_input_concept(of, images, 1, options);
  };
  InputAttackOptions options;
  options.share = 0.0;
  CHECK_THROWS_SAYING(attack(world.images, options), std::invalid_argument,
                      "the share is not above 0");
  ImageView wrong = world.images;
  wrong.height = 7;
  CHECK_THROWS_SAYING(attack(wrong), std::invalid_argument, "images 20 x 64 of 7 x 8 x 1",
                      "do not fit a head of 20 samples");
  wrong = world.images;
  Matrix pixels = wrong.pixels.all();
  pixels(3, 5) = std::numeric_limits<double>::quiet_NaN();
  wrong.pixels = pixels;
  CHECK_THROWS_SAYING(attack(wrong), std::invalid_argument, "inputs", "nan");
  wrong = world.images;
  wrong.forward = [](const MatrixRef& x) -> Matrix { return Matrix::Zero(x.rows(), 31); };
  CHECK_THROWS_SAYING(attack(wrong), std::invalid_argument, "the model answered 20 x 31 for 20");
  wrong = world.images;
  wrong.forward_gradient = [](const MatrixRef& x, const MatrixRef&) -> Matrix {
    return Matrix::Zero(x.rows(), 5);
  };
  CHECK_THROWS_SAYING(attack(wrong), std::invalid_argument,
                      "the model's gradient is 20 x 5, expected 20 x 64");
}

}  // namespace conoscope::tests
