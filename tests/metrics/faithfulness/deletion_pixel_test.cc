// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_pixel.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// One-channel images of 2 x 4 and a map of 1 x 2 positions: position p's activation is the mean of
/// its 2 x 2 pixels in feature p; class 0 reads feature 0, class 1 feature 1.
struct World {
  HeadView head;
  Explanation explanation;
  ImageView images;
  Annotations annotations;

  static Matrix forward(const MatrixRef& pixels) {
    Matrix out = Matrix::Zero(pixels.rows() * 2, 2);
    for (Index i = 0; i < pixels.rows(); ++i)
      for (Index y = 0; y < 2; ++y)
        for (Index x = 0; x < 4; ++x) out(i * 2 + x / 2, x / 2) += pixels(i, y * 4 + x) / 4.0;
    return out;
  }

  World() {
    images.pixels = (Matrix(2, 8) << 8, 8, 1, 1, 8, 8, 1, 1,  //
                     1, 1, 6, 6, 1, 1, 6, 6)
                        .finished();
    images.height = 2;
    images.width = 4;
    images.channels = 1;
    images.mean = Vector::Zero(1);
    images.forward = forward;
    head.activations = forward(images.pixels.all());
    head.positions = 2;
    head.pooling = Pooling::kMean;
    head.weight = Matrix::Identity(2, 2);
    head.bias = Vector::Zero(2);
    // Each class has both axes as concepts; class 0 finds its own more important, class 1 the
    // other.
    explanation.cavs = (Matrix(4, 2) << 1, 0, 0, 1, 1, 0, 0, 1).finished();
    explanation.importance = (Vector(4) << 2, 1, 2, 1).finished();
    explanation.offset = {0, 2, 4};
    annotations.labels = {0, 1};
  }

  std::map<std::string, Score> scores() const {
    Views subject{
        .head = &head, .explanation = &explanation, .annotations = &annotations, .images = &images};
    return score_group(subject, "deletion_pixel");
  }
};

TEST_CASE("deletion_pixel: by hand") {
  const auto scores = World().scores();
  // Sample 0: right; without its left half (0, 1): wrong; without both (0, 0): class 0, right.
  // Sample 1: right; without its left half still right; without both: class 0, wrong.
  CHECK(scores.at("deletion_pixel_auc").value ==
        doctest::Approx(((0.5 + 0.0 + 0.5) / 2 + (0.5 + 1.0 + 0.0) / 2) / 2));
  // Class 0 is lost at the first step of two, class 1 at the second.
  CHECK(scores.at("deletion_pixel_classes_lost").value == doctest::Approx(0.5 + 0.5));
}

TEST_CASE("deletion_pixel: the order of importance decides, and the fill") {
  World other;
  other.explanation.importance = (Vector(4) << 1, 2, 1, 2).finished();
  CHECK(other.scores().at("deletion_pixel_auc").value ==
        doctest::Approx(((0.5 + 1.0 + 0.5) / 2 + (0.5 + 0.0 + 0.0) / 2) / 2));
  World bright;
  bright.images.mean = Vector::Constant(1, 100.0);  // whatever is painted over wins
  CHECK(bright.scores().at("deletion_pixel_auc").value ==
        doctest::Approx(((0.5 + 1.0 + 0.5) / 2 + (0.5 + 0.0 + 0.0) / 2) / 2));
}

TEST_CASE("deletion_pixel: permuting the samples changes nothing") {
  World turned;
  turned.images.pixels = turned.images.pixels.all().colwise().reverse().eval();
  turned.head.activations = World::forward(turned.images.pixels.all());
  turned.annotations.labels = {1, 0};
  CHECK(turned.scores().at("deletion_pixel_auc").value ==
        World().scores().at("deletion_pixel_auc").value);
}

TEST_CASE("position_grid: the factors nearest to the image's aspect") {
  using Grid = std::pair<Index, Index>;
  CHECK(position_grid(16, 8, 8) == Grid{4, 4});
  CHECK(position_grid(2, 2, 4) == Grid{1, 2});
  CHECK(position_grid(35, 30, 20) == Grid{7, 5});
  CHECK(position_grid(49, 224, 224) == Grid{7, 7});
  CHECK(position_grid(13, 8, 8) == Grid{0, 0});
  CHECK(position_grid(2, 3, 3) == Grid{0, 0});
  CHECK(position_grid(1, 5, 5) == Grid{1, 1});
  CHECK_THROWS_SAYING(position_grid(0, 2, 2), std::invalid_argument, "position_grid",
                      "0 positions");
  CHECK_THROWS_SAYING(position_grid(4, 0, 2), std::invalid_argument, "0 x 2");
}

TEST_CASE("deletion_pixel: what it does not apply to") {
  const auto message = [](const World& world) {
    const auto scores = world.scores();
    CHECK(scores.at("deletion_pixel_classes_lost").message ==
          scores.at("deletion_pixel_auc").message);
    CHECK(scores.at("deletion_pixel_auc").reason == "not_applicable");
    return scores.at("deletion_pixel_auc").message;
  };
  World world;
  world.images.forward = nullptr;
  CHECK(message(world) == "needs a model that runs new inputs (forward)");
  world = World();
  world.annotations.labels.clear();
  CHECK(message(world) == "needs annotated labels");
  world = World();
  world.head.output = Output::kSigmoid;
  CHECK(message(world) == "the outputs are not a softmax's");
  world = World();
  world.head.pooling = Pooling::kFlatten;
  CHECK(message(world) == "a flatten head has other weights for each position");
  world = World();
  world.images.height = 4;
  world.images.width = 2;  // 2 x 1 positions, or the image would be no image
  CHECK(world.scores().at("deletion_pixel_auc").reason.empty());
  world.images.height = 8;
  world.images.width = 1;
  CHECK(message(world) == "2 positions are no map of images of 8 x 1");
  World none;
  none.explanation.cavs = Matrix(0, 2);
  none.explanation.importance = Vector(0);
  none.explanation.offset = {0, 0, 0};
  CHECK(none.scores().at("deletion_pixel_auc").reason == "undefined");
}

TEST_CASE("deletion_pixel: what does not fit together is refused") {
  World world;
  world.images.mean = Vector::Zero(3);
  CHECK_THROWS_SAYING(world.scores(), std::invalid_argument, "deletion_pixel", "a mean of 3");
  world = World();
  world.images.pixels = Matrix::Zero(3, 8);
  CHECK_THROWS_SAYING(world.scores(), std::invalid_argument, "images 3 x 8", "2 samples");
  world = World();
  world.images.forward = [](const MatrixRef&) -> Matrix { return Matrix::Zero(1, 2); };
  CHECK_THROWS_SAYING(world.scores(), std::invalid_argument, "answered 1 x 2 for 1 images");
  world = World();
  world.annotations.labels = {0, 2};
  CHECK_THROWS_SAYING(world.scores(), std::invalid_argument, "label 2");
}

}  // namespace

}  // namespace conoscope::tests
