// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/poisoned_samples.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/svd.h"
#include "tests/support/heads.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

HeadView with(const HeadView& head, const RowSource& activations) {
  HeadView out = head;
  out.activations = activations;
  return out;
}

Matrix pooled(const HeadView& head) { return detail::pool_positions(head); }

/// Only the third coordinate is silent.
HeadView small(const Matrix& activations) {
  HeadView head;
  head.activations = activations;
  head.weight = Matrix{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  head.bias = Vector::Zero(2);
  return head;
}

}  // namespace

TEST_CASE("poisoned_samples: by hand") {
  // Two classes of two samples; |h| is 5 for all, so epsilon is 0.25. Of each class one sample is ahead in
  // the third coordinate, whichever way u points, and is pushed on.
  const Matrix h{{4.0, 0.0, 3.0}, {4.0, 0.0, -3.0}, {0.0, 4.0, 3.0}, {0.0, 4.0, -3.0}};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Matrix d = poisoned_samples(small(h), seed).all() - h;
    CHECK(d.leftCols(2).cwiseAbs().maxCoeff() < 1e-15);
    const double up = d(0, 2) + d(1, 2);  // one of them is 0
    CHECK(std::abs(up) == doctest::Approx(0.25));
    CHECK(d(0, 2) == doctest::Approx(up > 0.0 ? 0.25 : 0.0));
    CHECK(d(1, 2) == doctest::Approx(up > 0.0 ? 0.0 : -0.25));
    CHECK((d.bottomRows(2) - d.topRows(2)).cwiseAbs().maxCoeff() < 1e-15);
    // Without classes their mean is that of all samples, which here is the same.
    HeadView yes_or_no = small(h);
    yes_or_no.output = Output::kSigmoid;
    CHECK(poisoned_samples(yes_or_no, seed).all() - h == d);
  }
}

TEST_CASE("poisoned_samples: below a mean the features of a sample are scaled at all positions") {
  Matrix h{{8.0, 0.0, 6.0}, {0.0, 0.0, 0.0}, {8.0, 0.0, 2.0}, {0.0, 0.0, 0.0}};
  HeadView head = small(h);
  head.positions = 2;
  head.pooling = Pooling::kMean;
  bool up = false, down = false;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Matrix moved = poisoned_samples(head, seed).all();
    // Pooled (4, 0, 3) and (4, 0, 1): epsilon is 5 % of the mean of 5 and sqrt(17).
    const double epsilon = 0.05 * 0.5 * (5.0 + std::sqrt(17.0));
    Matrix wanted = h;
    if (moved(0, 2) > 6.0)
      up = true, wanted(0, 2) += 2.0 * epsilon;
    else
      down = true, wanted(2, 2) -= 2.0 * epsilon;
    CHECK((moved - wanted).cwiseAbs().maxCoeff() < 1e-12);
  }
  CHECK((up && down));
}

TEST_CASE("poisoned_samples: silent, bounded, of one direction, and noise moves the same samples") {
  for (const bool either_sign : {false, true}) {
    CAPTURE(either_sign);
    HeadView head = random_head(200, 4, 24, 5, Pooling::kMean);
    if (either_sign) head.activations = normal_matrix(800, 24, 21);
    const Matrix h = pooled(head), logits = model_logits(head);
    const double epsilon = 0.05 * h.rowwise().norm().mean();
    const HeadView poisoned = with(head, poisoned_samples(head, 3)),
                   noisy = with(head, noisy_samples(head, 3));
    const Matrix d = pooled(poisoned) - h, u = pooled(noisy) - h;
    CHECK((model_logits(poisoned) - logits).cwiseAbs().maxCoeff() < 1e-9);
    CHECK((model_logits(noisy) - logits).cwiseAbs().maxCoeff() > 0.05);
    if (!either_sign) {
      CHECK(poisoned.activations.all().minCoeff() == 0.0);
      CHECK(noisy.activations.all().minCoeff() == 0.0);
    }
    const auto members = class_assignment(logits).members;
    Index moved = 0, ahead = 0;
    double poison_turns = 0.0, noise_turns = 0.0;
    for (const auto& one : members) {
      const Eigen::RowVectorXd mean = h(one, Eigen::all).colwise().mean();
      Eigen::RowVectorXd first = Eigen::RowVectorXd::Zero(24);
      for (const Index i : one) {
        const double size = d.row(i).norm();
        if (size == 0.0) {
          CHECK(u.row(i).norm() == 0.0);
          CHECK(poisoned.activations.block(4 * i, 4) == head.activations.block(4 * i, 4));
          continue;
        }
        ++moved;
        CHECK(size == doctest::Approx(epsilon).epsilon(1e-9));
        CHECK(u.row(i).norm() == doctest::Approx(epsilon).epsilon(1e-9));
        ahead += (h.row(i) - mean).dot(d.row(i)) > 0.0;
        if (first.isZero(0.0)) first = d.row(i);
        poison_turns += first.dot(d.row(i)) / (epsilon * epsilon);
        noise_turns += first.dot(u.row(i)) / (epsilon * epsilon);
      }
    }
    CHECK(moved > 60);
    CHECK(moved < 140);
    CHECK(ahead == moved);
    // Cosines of the moves with that of the first sample.
    CHECK(poison_turns / static_cast<double>(moved) > 0.5);
    CHECK(std::abs(noise_turns) / static_cast<double>(moved) < 0.1);
  }
}

TEST_CASE("poisoned_samples: what is fitted turns further than by noise, and the seed decides") {
  HeadView head = random_head(400, 1, 32, 4, Pooling::kNone);
  // Features of decreasing size, so that directions of variance are told apart.
  change_activations(head, [](Matrix& rows) {
    for (Index j = 0; j < 32; ++j) rows.col(j) *= std::pow(0.9, j);
  });
  const auto fitted = [](const RowSource& rows) {
    return Matrix(numerics::truncated_svd(rows.all(), 3).components);
  };
  const Matrix clean = fitted(head.activations);
  const auto turned = [&](const RowSource& rows) {
    const Matrix now = fitted(rows);
    double sum = 0.0;
    for (Index k = 1; k < 3; ++k) sum += 1.0 - std::abs(clean.row(k).dot(now.row(k)));
    return sum;
  };
  double by_poison = 0.0, by_noise = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    by_poison += turned(poisoned_samples(head, seed));
    by_noise += turned(noisy_samples(head, seed));
  }
  CHECK(by_poison > 2.0 * by_noise);
  CHECK(poisoned_samples(head, 1).all() == poisoned_samples(head, 1).all());
  CHECK(poisoned_samples(head, 1).all() != poisoned_samples(head, 2).all());
  CHECK(poisoned_samples(head, 1, 0.01).all() != poisoned_samples(head, 1).all());
}

TEST_CASE("poisoned_samples: nothing moves where every move is noticed, and what is refused") {
  // As many outputs as features.
  const HeadView full = random_head(10, 1, 4, 4, Pooling::kNone);
  CHECK(poisoned_samples(full, 1).all() == full.activations.all());
  CHECK(noisy_samples(full, 1).all() == full.activations.all());

  HeadView head = random_head(10, 2, 8, 3, Pooling::kMean);
  CHECK_THROWS_SAYING(poisoned_samples(head, 1, 0.0), std::invalid_argument,
                      "the share is not above 0");
  HeadView other = with(head, Matrix::Zero(20, 8));
  CHECK_THROWS_SAYING(noisy_samples(other, 1), std::domain_error, "every activation is 0");
  Matrix broken = head.activations.all();
  broken(3, 5) = NAN;
  CHECK_THROWS_SAYING(poisoned_samples(with(head, broken), 1), std::invalid_argument,
                      "activations");
  other = head;
  other.logits = Matrix::Zero(10, 3);
  CHECK_THROWS_SAYING(poisoned_samples(other, 1), std::invalid_argument, "the last layer");
  CHECK_THROWS_SAYING(poisoned_samples(random_head(10, 2, 8, 3, Pooling::kFlatten), 1),
                      std::invalid_argument, "pooled rows");
}

}  // namespace conoscope::tests
