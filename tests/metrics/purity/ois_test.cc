// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/ois.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "metrics/purity/helper_networks.h"
#include "tests/metrics/purity/hand_made.h"
#include "tests/support/throws.h"

using namespace conoscope::metrics;
using namespace conoscope::numerics;
using conoscope::tests::HandMade;

TEST_CASE("ois by hand") {
  Matrix purity(2, 2), oracle(2, 2);
  purity << 0.8, 0.9,  //
      0.5, 1.0;
  oracle << 1.0, 0.5,  //
      0.5, 1.0;
  CHECK(ois(purity, oracle) == doctest::Approx(std::sqrt(0.04 + 0.16)));
  CHECK(ois(purity, oracle, false) == doctest::Approx(0.4));
  CHECK(ois(oracle, oracle) == 0.0);
  // An AUC below 1/2 takes it above the papers' bound.
  CHECK(ois(Matrix::Zero(2, 2), Matrix::Ones(2, 2)) == 2.0);
}

TEST_CASE("purity_matrix: pure before impure before nothing at all") {
  const HandMade data(1500, 3);
  const Matrix oracle = oracle_matrix(data.concepts);
  CHECK(oracle.diagonal() == Vector::Ones(3));
  const Matrix pure = purity_matrix(data.pure, 1, data.concepts);
  const Matrix impure = purity_matrix(data.impure, 1, data.concepts);
  CHECK((pure.diagonal().array() > 0.99).all());
  CHECK(ois(pure, oracle, false) < ois(impure, oracle, false));
  Random random(9);
  Matrix noise(1500, 3);
  for (double& x : noise.reshaped()) x = random.uniform();
  const Matrix blind = purity_matrix(noise, 1, data.concepts);
  CHECK((blind.array() - 0.5).abs().maxCoeff() < 0.15);
  CHECK(ois(blind, oracle) > ois(pure, oracle) + 0.2);
}

TEST_CASE("ois: batches of 128 learn 1,000 samples, the code's 512 do not always") {
  // Hard, perfect representations. Measured: means of 0.065 and 0.217; of 60 networks none and 5 are
  // worse than chance at their own concept.
  constexpr Index kSeeds = 20;
  double mean = 0.0, reference = 0.0;
  Index failed = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const HandMade data(1000, 3, seed + 100);
    PurityOptions options;
    options.seed = seed;
    const auto score = [&](Index batch) {
      options.batch = batch;
      const Matrix purity = purity_matrix(data.concepts, 1, data.concepts, options);
      if (batch == PurityOptions().batch) failed += (purity.diagonal().array() < 0.5).count();
      return ois(purity, oracle_matrix(data.concepts, options)) / static_cast<double>(kSeeds);
    };
    mean += score(PurityOptions().batch);
    reference += score(512);
  }
  CHECK(failed == 0);
  CHECK(mean < 0.12);
  CHECK(reference > 1.5 * mean);
}

TEST_CASE("purity_matrix: its draws, and what does not change it") {
  const HandMade data(300, 2);
  PurityOptions options;
  options.seed = 4;
  const Matrix once = purity_matrix(data.impure, 1, data.concepts, options);
  CHECK(purity_matrix(data.impure, 1, data.concepts, options) == once);
  options.seed = 5;
  CHECK(purity_matrix(data.impure, 1, data.concepts, options) != once);
  // More representations than concepts, and one that says nothing.
  Matrix wide(300, 3);
  wide << data.impure, Vector::Constant(300, 0.25);
  const Matrix rectangular = purity_matrix(wide, 1, data.concepts, options);
  CHECK(rectangular.rows() == 3);
  CHECK(rectangular.cols() == 2);
  CHECK(rectangular.row(2).isConstant(0.5));
}

TEST_CASE("joint networks, representations of several features, concepts of several labels") {
  const HandMade data(1500, 3);
  PurityOptions joint;
  joint.joint = true;
  joint.epochs = 200;
  joint.batch = 128;
  const Matrix pure = purity_matrix(data.pure, 1, data.concepts, joint);
  CHECK((pure.diagonal().array() > 0.99).all());
  CHECK(pure(0, 1) < 0.6);
  CHECK((oracle_matrix(data.concepts, joint).diagonal().array() > 0.99).all());

  // The concept is the sign that two features of one representation agree on: neither alone.
  Matrix features(1500, 4), concepts(1500, 2);
  Random random(2);
  for (Index i = 0; i < 1500; ++i) {
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
    concepts(i, 0) = a * b > 0 ? 1 : 0;
    concepts(i, 1) = random.uniform() < 0.5 ? 1 : 0;
    features.row(i) << a, b, concepts(i, 1), random.uniform();
  }
  PurityOptions longer;
  longer.epochs = 200;
  longer.batch = 128;
  const Matrix vectors = purity_matrix(features, 2, concepts, longer);
  CHECK(vectors.rows() == 2);
  CHECK(vectors(0, 0) > 0.95);
  CHECK(vectors(1, 1) > 0.99);
  CHECK(vectors(0, 1) < 0.6);

  // Four labels, read off a scalar.
  Matrix labels(1500, 2), scalar(1500, 2);
  for (Index i = 0; i < 1500; ++i) {
    labels(i, 0) = static_cast<double>(random.below(4));
    labels(i, 1) = static_cast<double>(random.below(2));
    scalar.row(i) = labels.row(i) * 0.5;
  }
  const Matrix four = purity_matrix(scalar, 1, labels, longer);
  CHECK(four(0, 0) > 0.95);
  CHECK(four(1, 0) < 0.6);
  CHECK(four(1, 1) > 0.99);
  CHECK(oracle_matrix(labels, longer)(0, 0) == 1.0);
}

namespace {

/// The training in double, sample by sample, straight from the description; one network.
Matrix plain_training(const Matrix& c_hat, Index width, const Matrix& targets,
                      const detail::TrainTest& rows, const detail::HelperTask& task,
                      const detail::HelperOptions& options) {
  Random random(1, 2);
  const Index hidden = options.hidden, outputs = task.outputs;
  Matrix w1(hidden, width), w2(outputs, hidden);
  Vector b1 = Vector::Zero(hidden), b2 = Vector::Zero(outputs);
  const double limit1 = std::sqrt(6.0 / static_cast<double>(width + hidden));
  const double limit2 = std::sqrt(6.0 / static_cast<double>(hidden + outputs));
  for (double& w : w1.reshaped<Eigen::RowMajor>()) w = random.uniform(-limit1, limit1);
  for (double& w : w2.reshaped<Eigen::RowMajor>()) w = random.uniform(-limit2, limit2);
  const auto hidden_of = [&](Index row) -> Vector {
    return w1 * c_hat.row(row).segment(task.input * width, width).transpose() + b1;
  };
  const auto logits_of = [&](Index row) -> Vector { return w2 * hidden_of(row).cwiseMax(0) + b2; };

  const Index size = w1.size() + b1.size() + w2.size() + b2.size();
  Vector m = Vector::Zero(size), v = Vector::Zero(size);
  IndexVector order = rows.train;
  int step = 0;
  for (Index epoch = 0; epoch < options.epochs; ++epoch) {
    random.shuffle(order);
    for (size_t first = 0; first < order.size(); first += static_cast<size_t>(options.batch)) {
      const size_t end = std::min(order.size(), first + static_cast<size_t>(options.batch));
      Matrix to_w1 = Matrix::Zero(hidden, width), to_w2 = Matrix::Zero(outputs, hidden);
      Vector to_b1 = Vector::Zero(hidden), to_b2 = Vector::Zero(outputs);
      for (size_t i = first; i < end; ++i) {
        const Index row = order[i];
        const Vector a = hidden_of(row), z = logits_of(row);
        Vector p = 1 / (1 + (-z.array()).exp());
        if (task.softmax) p = z.array().exp() / z.array().exp().sum();
        const double count =
            static_cast<double>(end - first) * (task.softmax ? 1.0 : static_cast<double>(outputs));
        const Vector error =
            (p - targets.row(row).segment(task.target, outputs).transpose()) / count;
        const Vector back = (a.array() > 0).select(w2.transpose() * error, 0.0);
        to_w2 += error * a.cwiseMax(0).transpose();
        to_b2 += error;
        to_w1 += back * c_hat.row(row).segment(task.input * width, width);
        to_b1 += back;
      }
      Vector g(size), x(size);
      g << to_w1.reshaped(), to_b1, to_w2.reshaped(), to_b2;
      x << w1.reshaped(), b1, w2.reshaped(), b2;
      ++step;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g.cwiseAbs2();
      const double rate =
          options.learning_rate * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step));
      x -= (rate * m.array() / (v.array().sqrt() + 1e-7)).matrix();
      w1.reshaped() = x.head(w1.size());
      b1 = x.segment(w1.size(), hidden);
      w2.reshaped() = x.segment(w1.size() + hidden, w2.size());
      b2 = x.tail(outputs);
    }
  }
  Matrix out(static_cast<Index>(rows.test.size()), outputs);
  for (size_t i = 0; i < rows.test.size(); ++i)
    out.row(static_cast<Index>(i)) = logits_of(rows.test[i]).transpose();
  return out;
}

}  // namespace

namespace {

std::vector<Matrix> test_logits(const Matrix& c_hat, Index width, const Matrix& targets,
                                const detail::TrainTest& rows,
                                const std::vector<detail::HelperTask>& tasks,
                                const detail::HelperOptions& options) {
  std::vector<Matrix> out;
  detail::train_helper_networks(c_hat, width, targets, rows, tasks, options, 1, 2,
                                [&out](size_t task, const MatrixRef& logits) {
                                  REQUIRE(task == out.size());
                                  out.emplace_back(logits);
                                });
  return out;
}

}  // namespace

// float32 in eight lanes against double, one sample after the other. Ten epochs of batches of 61
// (the last one shorter): differences of rounding grow to about 1e-5.
TEST_CASE("the batched training is the plain one") {
  const HandMade data(301, 4);
  const auto rows = detail::split_80_20("test", 301, 1, 0);
  const detail::HelperOptions options{32, 10, 61, 1e-2};
  for (const detail::HelperTask& task :
       {detail::HelperTask{1, 2, 1, false}, {1, 0, 3, false}, {1, 0, 4, true}, {0, 3, 1, false}})
    for (const Index width : {1, 2}) {
      const auto fast = test_logits(data.impure, width, data.concepts, rows, {task}, options);
      REQUIRE(fast.size() == 1);
      const Matrix plain = plain_training(data.impure, width, data.concepts, rows, task, options);
      REQUIRE(fast[0].rows() == 61);
      REQUIRE(fast[0].cols() == task.outputs);
      CHECK((fast[0] - plain).cwiseAbs().maxCoeff() < 5e-5);
      CHECK(plain.cwiseAbs().maxCoeff() > 0.01);
    }
}

TEST_CASE("training several networks at once changes none of the first one's numbers") {
  const HandMade data(200, 2);
  const auto rows = detail::split_80_20("test", 200, 1, 0);
  // No epoch draws nothing after the weights, of which the first network's come first.
  const detail::HelperOptions untrained{8, 0, 64, 1e-3};
  const auto one = test_logits(data.pure, 1, data.concepts, rows, {{0, 0, 1, false}}, untrained);
  const auto two = test_logits(data.pure, 1, data.concepts, rows,
                               {{0, 0, 1, false}, {1, 0, 2, false}}, untrained);
  REQUIRE(two.size() == 2);
  CHECK(one[0] == two[0]);
  CHECK(two[1].cols() == 2);
}

TEST_CASE("ois: what is refused") {
  const HandMade data(50, 2);
  const auto bad = [&](const Matrix& c_hat, Index width, const Matrix& concepts, const char* what) {
    CHECK_THROWS_SAYING(purity_matrix(c_hat, width, concepts), std::invalid_argument,
                        "purity_matrix", what);
  };
  bad(data.pure.topRows(49), 1, data.concepts, "c_hat is 49 x 2");
  bad(data.pure, 3, data.concepts, "with width 3");
  bad(data.pure, 1, data.concepts.leftCols(1), "concepts is 50 x 1");
  Matrix broken = data.pure;
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  bad(broken, 1, data.concepts, "c_hat is nan at row 3, column 1");
  Matrix half = data.concepts;
  half(2, 0) = 0.5;
  bad(data.pure, 1, half, "concepts is 0.5 at row 2, column 0");
  half(2, 0) = std::numeric_limits<double>::quiet_NaN();
  bad(data.pure, 1, half, "concepts is nan");
  Matrix single(1, 2);
  single << 0, 1;
  CHECK_THROWS_SAYING(purity_matrix(single, 1, single), std::domain_error, "concept 0 is constant");

  Matrix constant = data.concepts;
  constant.col(1).setOnes();
  CHECK_THROWS_SAYING(purity_matrix(data.pure, 1, constant), std::domain_error,
                      "concept 1 is constant");
  CHECK_THROWS_SAYING(oracle_matrix(constant), std::domain_error, "concept 1 is constant");
  // The one sample of a class is among the test samples for some seeds only.
  Matrix rare = data.concepts;
  rare.col(1).setZero();
  rare(7, 1) = 1;
  PurityOptions options;
  int undefined = 0;
  for (options.seed = 0; options.seed < 10; ++options.seed) try {
      purity_matrix(data.pure, 1, rare, options);
    } catch (const std::domain_error& error) {
      CHECK(std::string(error.what()).find("single label of concept 1") != std::string::npos);
      ++undefined;
    }
  CHECK(undefined > 2);

  Matrix three = data.concepts;
  three(0, 0) = 2;
  options = {};
  options.joint = true;
  CHECK_THROWS_SAYING(purity_matrix(data.pure, 1, three, options), std::invalid_argument,
                      "binary concepts");
  options = {};
  options.epochs = 0;
  CHECK_THROWS_SAYING(purity_matrix(data.pure, 1, data.concepts, options), std::invalid_argument,
                      "epochs is 0");
  CHECK_THROWS_SAYING(oracle_matrix(data.concepts, options), std::invalid_argument, "epochs is 0");

  const Matrix fine = Matrix::Constant(2, 2, 0.5);
  CHECK_THROWS_SAYING(ois(fine, Matrix::Ones(3, 3)), std::invalid_argument, "oracle 3 x 3");
  CHECK_THROWS_SAYING(ois(Matrix(2, 3), fine), std::invalid_argument, "purity is 2 x 3");
  CHECK_THROWS_SAYING(ois(Matrix::Constant(2, 2, 1.5), fine), std::invalid_argument,
                      "purity has an entry");
  CHECK_THROWS_SAYING(ois(fine, broken.topRows(2) * std::nan("")), std::invalid_argument,
                      "oracle has an entry");
}

TEST_CASE("helper networks: the same bits wherever their arrays lie in memory") {
  const HandMade data(640, 2);
  conoscope::metrics::detail::TrainTest rows;
  for (Index i = 0; i < 640; ++i) (i % 5 == 0 ? rows.test : rows.train).push_back(i);
  // The room that was freed is taken, and what comes next is moved by an odd number of 16 bytes.
  std::vector<std::unique_ptr<char[]>> held;
  Matrix first;
  for (int repeat = 0; repeat < 12; ++repeat) {
    for (const std::size_t taken : {832, 832, 416, 40})
      held.push_back(std::make_unique<char[]>(taken));
    conoscope::metrics::detail::train_helper_networks(data.impure, 1, data.concepts, rows,
                                                      {{0, 1, 1, false}}, {32, 4, 101, 1e-2}, 7, 1,
                                                      [&](std::size_t, const MatrixRef& logits) {
                                                        if (repeat == 0) first = logits;
                                                        CHECK(Matrix(logits) == first);
                                                      });
  }
}
