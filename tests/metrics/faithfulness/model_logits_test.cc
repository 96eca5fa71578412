// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/model_logits.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

HeadView two_positions(Pooling pooling) {
  HeadView head;
  head.activations = Matrix{{1.0, 2.0}, {3.0, 4.0}};  // one sample, two positions
  head.positions = 2;
  head.weight = pooling == Pooling::kFlatten ? Matrix{{1.0, 0.0, 0.0, 10.0}} : Matrix{{1.0, 10.0}};
  head.bias = Vector{{0.5}};
  head.pooling = pooling;
  return head;
}

TEST_CASE("model_logits: by hand under each pooling") {
  CHECK(model_logits(two_positions(Pooling::kMean)) == Matrix{{2.0 + 30.0 + 0.5}});
  CHECK(model_logits(two_positions(Pooling::kFlatten)) == Matrix{{1.0 + 40.0 + 0.5}});
  HeadView one = two_positions(Pooling::kNone);
  one.positions = 1;
  CHECK(model_logits(one) == Matrix{{21.5}, {43.5}});
}

TEST_CASE("model_logits: pooled rows at hand") {
  const HeadView head = random_head(700, 1, 40, 6, Pooling::kNone);
  CHECK(model_logits(head.activations.all(), head.weight, head.bias) == model_logits(head));
}

TEST_CASE("model_logits: throws") {
  const auto broken = [](auto change) {
    HeadView head = random_head(3, 2, 4, 5, Pooling::kMean);
    change(head);
    return head;
  };
  const auto check = [](const HeadView& head, const std::string& text) {
    CHECK_THROWS_SAYING(model_logits(head), std::invalid_argument, "model_logits", text);
  };
  check(broken([](HeadView& h) { h.positions = 0; }), "positions is 0");
  check(broken([](HeadView& h) { h.activations = Matrix(0, 4); }), "0 x 4");
  check(broken([](HeadView& h) { h.activations = Matrix(6, 0); }), "6 x 0");
  check(broken([](HeadView& h) { h.positions = 4; }), "not a multiple of the 4 positions");
  check(broken([](HeadView& h) { h.pooling = Pooling::kNone; }), "pooling is none");
  check(broken([](HeadView& h) { h.pooling = Pooling::kFlatten; }), "expected C x 8");
  check(broken([](HeadView& h) { h.weight.resize(0, 4); }), "0 x 4");
  check(broken([](HeadView& h) { h.bias.resize(4); }), "4 entries for 5 outputs");
  const double nan = std::nan("");
  CHECK_THROWS_SAYING(model_logits(broken([&](HeadView& h) {
                        change_activations(h, [&](Matrix& rows) { rows(5, 3) = nan; });
                      })),
                      std::invalid_argument, "activations is nan", "row 5", "column 3");
  CHECK_THROWS_SAYING(model_logits(broken([&](HeadView& h) {
                        change_activations(h, [](Matrix& rows) {
                          rows(4, 1) = std::numeric_limits<double>::infinity();
                        });
                        h.weight.setZero();
                      })),
                      std::invalid_argument, "activations is inf", "row 4", "column 1");
  CHECK_THROWS_SAYING(model_logits(broken([&](HeadView& h) { h.weight(4, 2) = nan; })),
                      std::invalid_argument, "weight is nan", "row 4", "column 2");
  CHECK_THROWS_SAYING(model_logits(broken([&](HeadView& h) { h.bias(1) = nan; })),
                      std::invalid_argument, "bias is nan at entry 1");
  CHECK_THROWS_SAYING(model_logits(broken([&](HeadView& h) {
                        h.activations = Matrix::Constant(6, 4, 1e200);
                        h.weight.setConstant(1e200);
                      })),
                      std::domain_error, "overflows");
  Matrix rows = Matrix::Ones(3, 4);
  CHECK_THROWS_SAYING(model_logits(rows, Matrix::Ones(2, 5), Vector::Ones(2)),
                      std::invalid_argument, "3 x 4", "2 x 5");
  rows(2, 1) = nan;
  CHECK_THROWS_SAYING(model_logits(rows, Matrix::Ones(2, 4), Vector::Ones(2)),
                      std::invalid_argument, "activations is nan", "row 2", "column 1");
}

}  // namespace

}  // namespace conoscope::tests
