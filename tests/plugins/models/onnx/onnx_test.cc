// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "tests/plugins/models/onnx/networks.h"
#include "tests/support/head_bundle.h"

using namespace conoscope::testing;

namespace {

/// float32 sums of 18 products and of 36.
constexpr double kRounding = 1e-5;

void check_near(std::span<const float> got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    REQUIRE(std::abs(static_cast<double>(got[i]) - wanted[i]) < kRounding);
}

Outcome fitted(const OnnxWriter& file, const std::string& layer, const Bundle& data,
               const Arguments& more = {}) {
  const OnnxFileOnDisk saved(file.bytes());
  Outcome outcome = plugin("onnx").fit_model(saved.arguments(layer, more), data);
  REQUIRE(outcome.error == "");
  return outcome;
}

/// x (4 columns) -> Gemm to 6 -> Relu -> MatMul and Add to so many outputs.
OnnxWriter table_network(std::int64_t outputs, bool bias, bool bias_first = false) {
  OnnxWriter file;
  file.input("x", {-1, 4})
      .weight("a", {6, 4}, normal_floats(24, 1))
      .weight("a.bias", {6}, normal_floats(6, 2))
      .weight("b", {6, outputs}, normal_floats(static_cast<std::size_t>(6 * outputs), 3))
      .weight("b.bias", {outputs}, normal_floats(static_cast<std::size_t>(outputs), 4))
      .node("Gemm", "hidden", {"x", "a", "a.bias"}, {"h"}, {{"transB", std::int64_t{1}}})
      .node("Relu", "", {"h"}, {"r"})
      .node("MatMul", "top", {"r", "b"}, {bias ? "t" : "y"})
      .output("y", {-1, outputs});
  if (bias_first)
    file.node("Add", "shift", {"b.bias", "t"}, {"y"});
  else if (bias)
    file.node("Add", "shift", {"t", "b.bias"}, {"y"});
  return file;
}

}  // namespace

TEST_CASE("onnx: activations, head and score of a small network, against plain loops") {
  ConvNet net;
  const Bundle data = samples(10);
  const auto wanted = net.activations(data.values<float>("inputs"));
  const auto right_of = [&](const Bundle& head) {
    double right = 0.0;
    for (const auto i : data.values<std::int64_t>("test_index"))
      right += head.values<std::int64_t>("predictions")[static_cast<std::size_t>(i)] ==
               data.values<std::int64_t>("labels")[static_cast<std::size_t>(i)];
    return right / static_cast<double>(data.shape("test_index")[0]);
  };
  for (const bool flatten : {false, true}) {
    CAPTURE(flatten);
    net.flatten = flatten;
    const Outcome model = fitted(net.file(), "relu", data);
    CHECK(model.out.shape("activations") == std::vector<std::int64_t>{10, 9, 4});
    check_near(model.out.values<float>("activations"), wanted);
    CHECK(model.out.texts.at("pooling") == (flatten ? "flatten" : "mean"));
    CHECK(model.out.texts.at("output") == "softmax");
    CHECK(model.progress.back() == 1.0);

    // The file's weights; of a flattened map in its order, channels first.
    const auto weight = model.out.values<float>("head_weight");
    REQUIRE(model.out.shape("head_weight") == std::vector<std::int64_t>{3, net.read()});
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::int64_t f = 0; f < net.read(); ++f) {
        const std::int64_t from = flatten ? f % 4 * 9 + f / 4 : f;
        REQUIRE(weight[static_cast<std::size_t>(c * net.read() + f)] ==
                net.fc[static_cast<std::size_t>(c * net.read() + from)]);
      }
    const auto bias = model.out.values<float>("head_bias");
    CHECK(std::vector<float>(bias.begin(), bias.end()) == net.fc_bias);

    const Rows rows = Eigen::Map<const Rows>(wanted.data(), 90, 4);
    Rows head_weight(3, net.read());
    std::copy(weight.begin(), weight.end(), head_weight.data());
    const Bundle head = head_bundle(rows, 9, head_weight, {bias.begin(), bias.end()}, "softmax",
                                    model.out.texts.at("pooling"));
    CHECK(std::stod(model.out.texts.at("test_accuracy")) ==
          doctest::Approx(right_of(head)).epsilon(1e-5));
    CHECK((fitted(net.file(), "relu", data).out == model.out));
  }
}

TEST_CASE("onnx: a layer by its node, by its output, and a head by name") {
  const ConvNet net;
  Bundle data = samples(6);
  const Outcome model = fitted(net.file(), "relu", data);
  CHECK((fitted(net.file(), "rectified", data).out == model.out));
  CHECK((fitted(net.file(-1, ""), "rectified", data).out == model.out));  // a node without name
  CHECK((fitted(net.file(), "relu", data, {{"head", "fc"}}).out == model.out));
  CHECK((fitted(net.file(), "relu", data, {{"head", "logits"}}).out == model.out));

  const Outcome pooled = fitted(net.file(), "pool", data);
  CHECK(pooled.out.texts.at("pooling") == "none");
  CHECK(pooled.out.shape("activations") == std::vector<std::int64_t>{6, 1, 4});

  data.arrays.erase("labels");  // not asked for when the output's meaning is given
  const Outcome given = fitted(net.file(), "relu", data, {{"output", "sigmoid"}});
  CHECK(given.out.texts.at("output") == "sigmoid");
  CHECK_FALSE(given.out.texts.contains("test_accuracy"));
  CHECK((given.out.arrays == model.out.arrays));
}

TEST_CASE("onnx: a number of samples that the file fixes, and any batch size") {
  const ConvNet net;
  const Bundle data = samples(10);
  const auto wanted = net.activations(data.values<float>("inputs"));
  for (const std::int64_t fixed : {-1, 1, 4, 64})
    for (const std::int64_t batch : {1, 3, 64}) {
      CAPTURE(fixed);
      CAPTURE(batch);
      const Outcome model = fitted(net.file(fixed), "relu", data, {{"batch_size", batch}});
      check_near(model.out.values<float>("activations"), wanted);
    }
}

TEST_CASE("onnx: forward gives the activations again, for explainers that alter images") {
  const ConvNet net;
  const OnnxFileOnDisk saved(net.file().bytes());
  const Arguments arguments = saved.arguments("relu", {{"batch_size", 4}});
  const Bundle data = samples(10);
  const Outcome model = plugin("onnx").fit_model(arguments, data);
  REQUIRE(model.error == "");
  const OwnedArray& inputs = data.arrays.at("inputs");
  const Outcome again = plugin("onnx").forward(arguments, model.out, inputs, {10, 9, 4});
  REQUIRE(again.error == "");
  const auto fitted_ones = model.out.values<float>("activations");
  const auto got = again.out.values<double>("activations");
  for (std::size_t i = 0; i < got.size(); ++i)
    REQUIRE(got[i] == static_cast<double>(fitted_ones[i]));
  CHECK(plugin("onnx").forward(arguments, model.out, inputs, {10, 1, 4}).error ==
        "activations: room for 40 numbers, but there are 360");
}

TEST_CASE("onnx: a head of MatMul and Add, of one output and of many, and without bias") {
  Bundle data = samples(8, {4});
  for (const std::int64_t outputs : {1, 3})
    for (const int kind : {0, 1, 2}) {
      CAPTURE(outputs);
      CAPTURE(kind);
      const Outcome model = fitted(table_network(outputs, kind > 0, kind == 2), "r", data,
                                   {{"output", "regression"}});
      CHECK(model.out.texts.at("pooling") == "none");
      CHECK(model.out.shape("activations") == std::vector<std::int64_t>{8, 1, 6});
      const auto weight = model.out.values<float>("head_weight");
      const auto bias = model.out.values<float>("head_bias");
      REQUIRE(model.out.shape("head_weight") == std::vector<std::int64_t>{outputs, 6});
      const auto in_file = normal_floats(static_cast<std::size_t>(6 * outputs), 3);
      const auto bias_in_file = normal_floats(static_cast<std::size_t>(outputs), 4);
      for (std::size_t c = 0; c < static_cast<std::size_t>(outputs); ++c) {
        CHECK(bias[c] == (kind > 0 ? bias_in_file[c] : 0.0f));
        for (std::size_t f = 0; f < 6; ++f)
          CHECK(weight[c * 6 + f] == in_file[f * static_cast<std::size_t>(outputs) + c]);
      }
    }
}

TEST_CASE("onnx: a head's weights from a Constant node, and turned over") {
  const auto weights = normal_floats(12, 3), shift = normal_floats(3, 4);
  const auto network = [] {
    OnnxWriter file;
    file.input("x", {-1, 4}).node("Relu", "relu", {"x"}, {"r"});
    return file;
  };
  OnnxWriter constant = network();
  constant.constant("b", {4, 3}, weights)
      .constant("b.bias", {3}, shift)
      .node("MatMul", "top", {"r", "b"}, {"t"})
      .node("Add", "shift", {"t", "b.bias"}, {"y"})
      .output("y", {-1, 3});
  std::vector<float> over(12);
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t c = 0; c < 3; ++c) over[c * 4 + f] = weights[f * 3 + c];
  OnnxWriter turned = network();
  turned.weight("kept", {3, 4}, over)
      .weight("b.bias", {3}, shift)
      .node("Transpose", "turn", {"kept"}, {"b"}, {{"perm", OnnxWriter::Sizes{1, 0}}})
      .node("MatMul", "top", {"r", "b"}, {"t"})
      .node("Add", "shift", {"t", "b.bias"}, {"y"})
      .output("y", {-1, 3});
  OnnxWriter gemm = network();
  gemm.constant("b", {3, 4}, over)
      .constant("b.bias", {3}, shift)
      .node("Gemm", "top", {"r", "b", "b.bias"}, {"y"}, {{"transB", std::int64_t{1}}})
      .output("y", {-1, 3});
  for (const OnnxWriter* file : {&constant, &turned, &gemm}) {
    const Outcome model = fitted(*file, "relu", samples(6, {4}), {{"output", "regression"}});
    const auto weight = model.out.values<float>("head_weight");
    const auto bias = model.out.values<float>("head_bias");
    CHECK(std::vector<float>(weight.begin(), weight.end()) == over);
    CHECK(std::vector<float>(bias.begin(), bias.end()) == shift);
  }
}

TEST_CASE("onnx: inputs are scaled, resized, repeated and standardised") {
  ConvNet net;
  const Bundle data = samples(5, {3, 3, 1});
  // Twice as large: every pixel of 3 x 3 lies between its neighbours at 1/4 and 3/4.
  std::vector<float> wanted;
  const auto given = data.values<float>("inputs");
  for (std::size_t i = 0; i < 5; ++i)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 6; ++x) {
        const auto weight = [](int to, int from) {
          const double place = std::clamp((to + 0.5) / 2 - 0.5, 0.0, 2.0);
          return std::max(0.0, 1.0 - std::abs(place - from));
        };
        double value = 0.0;
        for (int v = 0; v < 3; ++v)
          for (int u = 0; u < 3; ++u)
            value += weight(y, v) * weight(x, u) *
                     static_cast<double>(given[i * 9 + static_cast<std::size_t>(v * 3 + u)]);
        wanted.push_back(static_cast<float>((0.5 * value - 0.1) / 2.0));
        wanted.push_back(static_cast<float>((0.5 * value + 0.3) / 4.0));
      }
  const Outcome model = fitted(net.file(), "relu", data,
                               {{"scale", 0.5},
                                {"size", 6},
                                {"channels", 2},
                                {"mean", std::vector<double>{0.1, -0.3}},
                                {"std", std::vector<double>{2, 4}}});
  check_near(model.out.values<float>("activations"), net.activations(wanted));
}

TEST_CASE("onnx: targets of attributes and of a regression are scored") {
  Bundle data = samples(9, {4});
  data.arrays.erase("labels");
  const OnnxWriter file = table_network(3, true);
  const auto outputs = [&] {  // what the head says, by the file's own weights
    const Outcome model = fitted(file, "r", data, {{"output", "regression"}});
    const auto a = model.out.values<float>("activations");
    const auto w = normal_floats(18, 3), b = normal_floats(3, 4);
    std::vector<float> out;
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        float sum = b[c];
        for (std::size_t f = 0; f < 6; ++f) sum += a[i * 6 + f] * w[f * 3 + c];
        out.push_back(sum);
      }
    return out;
  }();
  data.texts["task"] = "regression";
  data.arrays["targets"] = OwnedArray::of<float>({9, 3}, outputs);
  const Outcome exact = fitted(file, "r", data);
  CHECK(exact.out.texts.at("output") == "regression");
  CHECK(std::stod(exact.out.texts.at("test_r2")) == doctest::Approx(1.0));

  std::vector<float> signs;
  for (const float value : outputs) signs.push_back(value > 0 ? 1.0f : 0.0f);
  signs[0] = 1 - signs[0];  // of sample 0, a test sample: one of nine is wrong
  data.texts["task"] = "attributes";
  data.arrays["targets"] = OwnedArray::of<float>({9, 3}, signs);
  const Outcome attributes = fitted(file, "r", data);
  CHECK(attributes.out.texts.at("output") == "sigmoid");
  CHECK(std::stod(attributes.out.texts.at("test_accuracy")) ==
        doctest::Approx(8.0 / 9.0).epsilon(1e-5));
}
