// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/control.h"

#include <doctest/doctest.h>

#include <cmath>

#include "metrics/faithfulness/model_logits.h"
#include "tests/support/throws.h"

using conoscope::core::apply_control;
using conoscope::core::redraw_head;
using conoscope::core::redraw_reading;
using conoscope::metrics::Explanation;
using conoscope::metrics::Index;
using conoscope::metrics::Matrix;
using conoscope::metrics::MatrixRef;
using conoscope::metrics::Vector;
namespace sdk = conoscope::sdk;

namespace {

/// Class-specific, 3 outputs with 2, 0 and m - 2 concepts, and a psi of its own.
Explanation make(Index m = 5, Index width = 4) {
  Explanation out;
  out.cavs = Matrix::Constant(m, width, 2.0);
  out.importance = Vector::Constant(m, -1.0);
  out.offset = {0, 2, 2, m};
  out.project = [](Index, const MatrixRef& rows) -> Matrix { return rows; };
  out.reconstruct = [](Index, const MatrixRef& scores) -> Matrix { return scores; };
  return out;
}

}  // namespace

TEST_CASE("none leaves everything as it is") {
  Explanation e = make();
  apply_control(e, "none", sdk::Seed(1));
  CHECK(e.cavs == make().cavs);
  CHECK(e.importance == make().importance);
  CHECK(e.project != nullptr);
}

TEST_CASE("random_importance draws importances from U[0, 1); concepts and psi stay") {
  constexpr Index m = 20000;
  Explanation e = make(m, 1);
  apply_control(e, "random_importance", sdk::Seed(1));
  CHECK(e.cavs == make(m, 1).cavs);
  CHECK(e.offset == make(m, 1).offset);
  CHECK(e.project != nullptr);
  CHECK(e.reconstruct != nullptr);
  CHECK(e.importance.minCoeff() >= 0.0);
  CHECK(e.importance.maxCoeff() < 1.0);
  // Five standard errors of the mean and of the variance of a uniform.
  CHECK(std::abs(e.importance.mean() - 0.5) < 5.0 / std::sqrt(12.0 * m));
  CHECK(std::abs((e.importance.array() - 0.5).square().mean() - 1.0 / 12.0) <
        5.0 / std::sqrt(180.0 * m));
}

TEST_CASE("random_concepts draws unit vectors in every direction alike; psi becomes linear") {
  constexpr Index m = 20000, width = 3;
  Explanation e = make(m, width);
  apply_control(e, "random_concepts", sdk::Seed(1));
  CHECK(e.linear());
  CHECK(e.reconstruct == nullptr);
  CHECK(e.offset == make(m, width).offset);
  CHECK(e.importance.minCoeff() >= 0.0);
  double worst = 0.0;
  for (Index k = 0; k < m; ++k) worst = std::max(worst, std::abs(e.cavs.row(k).norm() - 1.0));
  CHECK(worst < 1e-12);
  // A coordinate of a uniform direction in 3 dimensions is uniform on [-1, 1] (Archimedes): mean 0,
  // variance 1/3, fourth moment 1/5.
  for (Index d = 0; d < width; ++d) {
    CHECK(std::abs(e.cavs.col(d).mean()) < 5.0 / std::sqrt(3.0 * m));
    CHECK(std::abs(e.cavs.col(d).squaredNorm() / m - 1.0 / 3.0) <
          5.0 * std::sqrt((1.0 / 5.0 - 1.0 / 9.0) / m));
  }
  // Coordinates are not correlated, nor are neighbouring vectors.
  CHECK(std::abs(e.cavs.col(0).dot(e.cavs.col(1)) / m) < 5.0 / std::sqrt(15.0 * m));
  double neighbours = 0.0;
  for (Index k = 1; k < m; ++k) neighbours += e.cavs.row(k).dot(e.cavs.row(k - 1));
  CHECK(std::abs(neighbours / m) < 5.0 / std::sqrt(3.0 * m));
}

TEST_CASE("class-agnostic importances are drawn for every output and concept") {
  Explanation e;
  e.class_agnostic = true;
  e.cavs = Matrix::Ones(4, 3);
  e.importance_by_output = Matrix::Constant(2, 4, -1.0);
  apply_control(e, "random_importance", sdk::Seed(1));
  CHECK(e.importance_by_output.rows() == 2);
  CHECK(e.importance_by_output.minCoeff() >= 0.0);
  CHECK(e.importance_by_output.maxCoeff() < 1.0);
  CHECK(e.importance_by_output.row(0) != e.importance_by_output.row(1));
}

TEST_CASE("the seed decides; importances do not depend on whether concepts are drawn too") {
  Explanation a = make(), b = make(), c = make(), d = make();
  apply_control(a, "random_concepts", sdk::Seed(5));
  apply_control(b, "random_concepts", sdk::Seed(5));
  apply_control(c, "random_concepts", sdk::Seed(6));
  apply_control(d, "random_importance", sdk::Seed(5));
  CHECK(a.cavs == b.cavs);
  CHECK(a.importance == b.importance);
  CHECK(a.cavs != c.cavs);
  CHECK(a.importance != c.importance);
  CHECK(a.importance == d.importance);
}

TEST_CASE("an unknown control is refused") {
  Explanation e = make();
  CHECK_THROWS_SAYING(apply_control(e, "random", sdk::Seed(0)), std::invalid_argument,
                      "control_named: no control random");
  CHECK(e.importance == make().importance);
}

TEST_CASE("controls that explain something else leave their explanation as it is") {
  for (const char* control : {"random_model", "poisoned", "noisy", "frozen_decoder", "random_l0"}) {
    Explanation e = make();
    apply_control(e, control, sdk::Seed(1));
    CHECK(e.cavs == make().cavs);
    CHECK(e.importance == make().importance);
    CHECK(e.project != nullptr);
  }
}

TEST_CASE("redraw_head: other weights, and logits of the same mean and spread") {
  for (const auto pooling :
       {conoscope::metrics::Pooling::kMean, conoscope::metrics::Pooling::kFlatten}) {
    sdk::Random random{sdk::Seed(3)};
    const auto normal = [&random](Index rows, Index cols) {
      Matrix out(rows, cols);
      for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
      return out;
    };
    conoscope::metrics::HeadView head;
    head.positions = 2;
    head.pooling = pooling;
    head.activations = Matrix(normal(80, 5).cwiseAbs());
    head.weight = normal(3, pooling == conoscope::metrics::Pooling::kMean ? 5 : 10);
    head.weight.row(1) *= 20.0;
    head.weight.row(2).setZero();
    head.bias = normal(3, 1);
    conoscope::metrics::HeadView drawn = head, again = head, other = head;
    redraw_head(drawn, sdk::Seed(1));
    redraw_head(again, sdk::Seed(1));
    redraw_head(other, sdk::Seed(2));
    CHECK(drawn.weight == again.weight);
    CHECK(drawn.weight != other.weight);
    CHECK(drawn.weight.row(2).isZero(0.0));  // a constant logit stays constant
    CHECK(drawn.bias(2) == doctest::Approx(head.bias(2)));
    const Matrix before = conoscope::metrics::model_logits(head),
                 after = conoscope::metrics::model_logits(drawn);
    for (Index c = 0; c < 3; ++c) {
      const auto spread = [c](const Matrix& of) {
        return (of.col(c).array() - of.col(c).mean()).matrix().norm();
      };
      CHECK(after.col(c).mean() == doctest::Approx(before.col(c).mean()));
      CHECK(spread(after) == doctest::Approx(spread(before)));
    }
    CHECK(!after.isApprox(before, 0.1));
  }
}

TEST_CASE("redraw_reading: the mean reading of a drawn network, in the units of the real logits") {
  sdk::Random random{sdk::Seed(5)};
  const auto normal = [&random](Index rows, Index cols) {
    Matrix out(rows, cols);
    for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
    return out;
  };
  conoscope::metrics::HeadView head;
  head.positions = 2;
  head.pooling = conoscope::metrics::Pooling::kMean;
  const Matrix h = normal(60, 4);  // 30 samples
  head.activations = h;
  head.weight = normal(3, 4);
  head.bias = normal(3, 1);
  head.logits = normal(30, 3);
  const Matrix wanted = head.logits;
  // The network drawn: y_c = a_c sum_p (b_c . h_p)^2, whose gradient is 2 a_c (b_c . h_p) b_c; output 2
  // answers a constant.
  const Matrix b = normal(3, 4);
  const Vector a = (Vector(3) << 0.5, -2.0, 0.0).finished();
  conoscope::metrics::HeadCalls above;
  above.outputs = [&](const MatrixRef& rows) {
    const Matrix reads = rows * b.transpose();
    Matrix out(rows.rows() / 2, 3);
    for (Index i = 0; i < out.rows(); ++i)
      for (Index c = 0; c < 3; ++c)
        out(i, c) = a(c) * reads.col(c).segment(2 * i, 2).squaredNorm() + 7.0;
    return out;
  };
  above.vjp = [&](const MatrixRef& rows, const MatrixRef& cotangents) {
    Matrix out = Matrix::Zero(rows.rows(), 4);
    for (Index r = 0; r < rows.rows(); ++r)
      for (Index c = 0; c < 3; ++c)
        out.row(r) += cotangents(r / 2, c) * 2.0 * a(c) * rows.row(r).dot(b.row(c)) * b.row(c);
    return out;
  };
  const conoscope::metrics::HeadCalls shown = redraw_reading(head, above);
  CHECK(shown.outputs(h).isApprox(head.logits, 1e-12));
  for (Index c = 0; c < 3; ++c) {
    const Matrix unit = Vector::Unit(3, c).transpose().replicate(30, 1);
    CHECK(shown.vjp(h, unit).colwise().sum().isApprox(30.0 * head.weight.row(c), 1e-12));
  }
  const Matrix answers = above.outputs(h);
  for (Index c = 0; c < 3; ++c) {
    CAPTURE(c);
    const auto spread = [c](const Matrix& of) {
      return (of.col(c).array() - of.col(c).mean()).matrix().norm();
    };
    CHECK(head.logits.col(c).mean() == doctest::Approx(wanted.col(c).mean()));
    const double scale = c == 2 ? 0.0 : spread(wanted) / spread(answers);
    CHECK(spread(head.logits) == doctest::Approx(c == 2 ? 0.0 : spread(wanted)));
    // W_c = s mean_i sum_p 2 a_c (b_c . h_ip) b_c: of the mean over all positions, twice that many.
    const Eigen::RowVectorXd mean = h.colwise().mean();
    const Eigen::RowVectorXd reading = scale * 2.0 * 2.0 * a(c) * mean.dot(b.row(c)) * b.row(c);
    CHECK(head.weight.row(c).isApprox(reading, 1e-10));
    CHECK(head.weight.row(c).dot(mean) + head.bias(c) ==
          doctest::Approx(head.logits.col(c).mean()));
    // Nothing but units: the order of samples is the drawn network's.
    CHECK((head.logits.col(c) - scale * answers.col(c))
              .array()
              .isApproxToConstant(head.logits(0, c) - scale * answers(0, c), 1e-9));
  }
}

TEST_CASE("permuted_decoder: every concept but the constant one gets another's direction") {
  Explanation e;
  e.class_agnostic = true;
  e.cavs = Matrix{{1, 0}, {0, 1}, {0.6, 0.8}, {0.8, 0.6}};
  e.importance_by_output = Matrix{{1, 2, 3, 4}};
  e.constant = {0, 0, 0, 1};
  const Matrix cavs = e.cavs;
  e.project = [](Index, const MatrixRef& rows) -> Matrix { return rows; };
  e.reconstruct = [cavs](Index, const MatrixRef& scores) -> Matrix { return scores * cavs; };
  apply_control(e, "permuted_decoder", sdk::Seed(1));
  CHECK(e.cavs.row(3) == cavs.row(3));
  for (Index k = 0; k < 3; ++k) {
    CHECK(e.cavs.row(k) != cavs.row(k));
    // The importance is that of the direction.
    const auto from = static_cast<Index>(e.importance_by_output(0, k)) - 1;
    CHECK(e.cavs.row(k) == cavs.row(from));
  }
  CHECK(e.importance_by_output.sum() == 10.0);
  const Matrix codes{{5, 0, 7, 2}, {1, 3, 0, 2}};
  CHECK(e.project(0, codes) == codes);
  CHECK(e.reconstruct(0, codes).isApprox(codes * e.cavs, 1e-15));
}

TEST_CASE("permuted_decoder: within the concepts of each output") {
  Explanation e = make(5, 1);
  e.cavs = Matrix{{1}, {2}, {3}, {4}, {5}};
  e.importance = Vector{{1, 2, 3, 4, 5}};
  e.reconstruct = [](Index output, const MatrixRef& scores) -> Matrix {
    return output == 0 ? scores * Matrix{{1}, {2}} : scores * Matrix{{3}, {4}, {5}};
  };
  apply_control(e, "permuted_decoder", sdk::Seed(1));
  CHECK(e.cavs.topRows(2) == Matrix{{2}, {1}});
  CHECK(e.importance == e.cavs.col(0));
  for (Index k = 2; k < 5; ++k) CHECK(e.cavs(k, 0) != static_cast<double>(k + 1));
  const Matrix codes{{1, 10, 100}};
  CHECK(e.reconstruct(2, codes) == codes * e.cavs.bottomRows(3));
}
