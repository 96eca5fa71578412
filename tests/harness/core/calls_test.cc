#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <utility>

#include "harness/core/border/callbacks.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
namespace sdk = conoscope::sdk;

namespace {

const ForwardShape kShape{{2, 3}, 2, 3};

cono_tensor tensor(std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  return sdk::make_tensor(values.data(), CONO_F64, shape);
}

void copy(const cono_tensor& inputs, cono_tensor& activations) {
  const auto out = sdk::Tensor(activations).values<double>();
  sdk::Tensor(inputs).for_each(
      [&](std::int64_t i, double value) { out[static_cast<std::size_t>(i)] = 2.0 * value; });
}

}  // namespace

TEST_CASE("a forward call's shape is that of the dataset's inputs and the model's activations") {
  ArrayBag dataset, model;
  const std::vector<double> numbers(64);
  dataset.add_copy("inputs", numbers.data(), {2, 2, 3});
  model.add_copy("activations", numbers.data(), {2, 4, 5});
  CHECK(ForwardShape::of(dataset, model).input == std::vector<std::int64_t>{2, 3});
  CHECK(ForwardShape::of(dataset, model).positions == 4);
  CHECK(ForwardShape::of(dataset, model).width == 5);
  ArrayBag flat;
  flat.add_copy("activations", numbers.data(), {2, 5});
  CHECK(ForwardShape::of(dataset, flat).positions == 1);
  CHECK_THROWS_AS(ForwardShape::of(model, model), std::runtime_error);
}

TEST_CASE("what goes through a forward call, and what does not") {
  std::vector<double> in{1, 2, 3, 4, 5, 6}, out(6);
  cono_tensor from = tensor(in, {1, 2, 3}), to = tensor(out, {1, 2, 3});
  Forward(copy, kShape)(from, to);
  CHECK(out == std::vector<double>{2, 4, 6, 8, 10, 12});

  cono_tensor wrong = tensor(in, {1, 3, 2});
  CHECK_THROWS_SAYING(Forward(copy, kShape)(wrong, to), std::invalid_argument,
                      "inputs are 1 x 3 x 2, expected m x 2 x 3");
  wrong = tensor(out, {1, 6});
  CHECK_THROWS_SAYING(Forward(copy, kShape)(from, wrong), std::invalid_argument,
                      "activations are 1 x 6, expected 1 x 2 x 3");
  CHECK_THROWS_SAYING(Forward([](const cono_tensor&, cono_tensor&) {}, kShape)(from, to),
                      OutputFault, "left NaN or infinity at number 0");
  in[4] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_SAYING(Forward(copy, kShape)(from, to), OutputFault, "at number 4 of 1 x 2 x 3");
}

TEST_CASE("a forward call takes rows of numbers, too, wherever they lie") {
  conoscope::metrics::Matrix wide(2, 8);
  for (int i = 0; i < 16; ++i) wide.data()[i] = i;
  const conoscope::metrics::Matrix out = Forward(copy, kShape)(wide.leftCols(6));
  REQUIRE(out.rows() == 4);  // two positions of each sample
  REQUIRE(out.cols() == 3);
  for (int i = 0; i < 12; ++i) CHECK(out.data()[i] == 2.0 * (i / 6 * 8 + i % 6));
}

TEST_CASE("a forward call's gradient takes rows of numbers, if there is one") {
  using conoscope::metrics::Matrix;
  CHECK_FALSE(Forward(copy, kShape).answers_gradient());
  const Forward forward(
      copy, kShape, [](const cono_tensor& inputs, const cono_tensor& cotangents, cono_tensor& to) {
        CHECK(sdk::Tensor(inputs).shape_text() == "2 x 2 x 3");
        CHECK(sdk::Tensor(cotangents).shape_text() == "2 x 2 x 3");
        CHECK(sdk::Tensor(to).shape_text() == "2 x 2 x 3");
        copy(cotangents, to);
      });
  REQUIRE(forward.answers_gradient());
  Matrix inputs = Matrix::Ones(2, 6), cotangents(4, 3);
  for (int i = 0; i < 12; ++i) cotangents.data()[i] = i;
  const Matrix out = forward.gradient(inputs, cotangents);
  REQUIRE(out.rows() == 2);
  REQUIRE(out.cols() == 6);
  for (int i = 0; i < 12; ++i) CHECK(out.data()[i] == 2.0 * i);
  const Forward lazy(copy, kShape, [](const cono_tensor&, const cono_tensor&, cono_tensor&) {});
  CHECK_THROWS_SAYING(lazy.gradient(inputs, cotangents), OutputFault,
                      "forward_gradient() left NaN or infinity");
}

TEST_CASE("an explainer gets a status, the host keeps the reason") {
  std::vector<double> in(6, 1.0), out(6);
  cono_tensor from = tensor(in, {1, 2, 3}), to = tensor(out, {1, 2, 3});
  const auto forward = [](Forward::Function function) {
    return std::make_unique<ModelCallback>(Forward(std::move(function), kShape),
                                           conoscope::metrics::HeadCalls(), HeadShape());
  };
  const auto call = [&](const ModelCallback& model, const cono_tensor& inputs) {
    return model.raw()->forward(model.raw()->self, &inputs, &to);
  };
  const auto good = forward(copy);
  CHECK((good->raw()->head == nullptr));
  CHECK((good->raw()->vjp == nullptr));
  CHECK(call(*good, from) == CONO_OK);
  CHECK(good->fault().empty());
  CHECK(call(*good, tensor(in, {6})) == CONO_INVALID_ARGUMENT);
  CHECK(good->fault() == "forward: inputs are 6, expected m x 2 x 3");

  const auto refused = forward(
      [](const cono_tensor&, cono_tensor&) { throw CallFault(CONO_UNDEFINED, "too dark"); });
  CHECK(call(*refused, from) == CONO_UNDEFINED);
  CHECK(refused->fault() == "the model says: too dark");
  const auto large = forward([](const cono_tensor&, cono_tensor&) { throw std::bad_alloc(); });
  CHECK(call(*large, from) == CONO_OUT_OF_MEMORY);
  const auto lazy = forward([](const cono_tensor&, cono_tensor&) {});
  CHECK(call(*lazy, from) == CONO_INTERNAL);
  const auto odd = forward([](const cono_tensor&, cono_tensor&) { throw 5; });
  CHECK(call(*odd, from) == CONO_INTERNAL);
}

TEST_CASE("an explainer calls a linear head, and its derivative") {
  const std::vector<double> weight{1, 2, 3, -1, 0, 1}, bias{0.5, -0.5}, shown(12);
  ArrayBag view;
  view.add_copy("activations", shown.data(), {2, 2, 3});
  view.add_copy("head_weight", weight.data(), {2, 3});
  view.add_copy("head_bias", bias.data(), {2});
  view.set_text("pooling", "mean");
  const ModelCallback model(std::nullopt, linear_head(view), HeadShape::of(view));
  const cono_model_call& raw = *model.raw();
  CHECK((raw.forward == nullptr));

  std::vector<double> in{1, 0, 0, 0, 1, 0}, answer(2), u{1, 2}, gradient(6);
  cono_tensor rows = tensor(in, {1, 2, 3}), outputs = tensor(answer, {1, 2}),
              along = tensor(u, {1, 2}), gradients = tensor(gradient, {1, 2, 3});
  CHECK(raw.head(raw.self, &rows, &outputs) == CONO_OK);
  CHECK(answer == std::vector<double>{2.0, -1.0});  // of the mean, (0.5, 0.5, 0)
  CHECK(raw.vjp(raw.self, &rows, &along, &gradients) == CONO_OK);
  CHECK(gradient == std::vector<double>{-0.5, 1, 2.5, -0.5, 1, 2.5});

  const cono_tensor flat = tensor(in, {2, 3});
  CHECK(raw.head(raw.self, &flat, &outputs) == CONO_INVALID_ARGUMENT);
  CHECK(model.fault() == "head: activations are 2 x 3, expected m x 2 x 3");
  const cono_tensor two = tensor(u, {2, 1});
  CHECK(raw.vjp(raw.self, &rows, &two, &gradients) == CONO_INVALID_ARGUMENT);
  CHECK(model.fault() == "vjp: cotangents are 2 x 1, expected 1 x 2");
  CHECK(raw.head(raw.self, &rows, &gradients) == CONO_INVALID_ARGUMENT);
  CHECK(model.fault() == "room for 6 numbers, expected 2");
}

TEST_CASE("a metric gets a status, the host keeps the reason") {
  conoscope::metrics::Explanation explanation;
  explanation.cavs = conoscope::metrics::Matrix::Identity(3, 2);
  explanation.offset = {0, 1, 3};
  conoscope::metrics::Views subject;
  subject.explanation = &explanation;
  std::vector<double> rows{1, 2, 3, 4}, scores(4);
  const cono_tensor in = tensor(rows, {2, 2});
  cono_tensor out = tensor(scores, {2, 2});
  const auto project = [&](SubjectCallbacks& calls, std::int64_t output) {
    return calls.raw()->project(calls.raw()->self, output, &in, &out);
  };
  SubjectCallbacks linear(subject);
  CHECK((linear.raw()->reconstruct == nullptr));
  CHECK(project(linear, 1) == CONO_OK);
  CHECK(scores == std::vector<double>{2, 0, 4, 0});  // the second unit vector and a zero row
  CHECK(project(linear, 0) == CONO_INVALID_ARGUMENT);
  CHECK(linear.fault() == "room for 4 numbers, expected 2");
  CHECK(project(linear, 2) == CONO_INVALID_ARGUMENT);
  CHECK(linear.fault() == "output 2 of 2");

  explanation.project = [](conoscope::metrics::Index, const auto&) -> conoscope::metrics::Matrix {
    throw CallFault(CONO_CANCELLED, "stopped");
  };
  SubjectCallbacks refused(subject);
  CHECK(project(refused, 1) == CONO_CANCELLED);
  CHECK(refused.fault() == "stopped");
}
