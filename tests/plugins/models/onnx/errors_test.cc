// SPDX-License-Identifier: Apache-2.0
// Files, layers, heads and inputs that onnx refuses.

#include <doctest/doctest.h>

#include <limits>

#include "plugins/models/onnx/onnx_file.h"
#include "tests/plugins/models/onnx/networks.h"

using namespace conoscope::testing;

namespace {

/// Without the file's name, which each begins with.
std::string error_of(const std::string& bytes, const std::string& layer = "relu",
                     const Arguments& more = {}, const Bundle& data = samples(6)) {
  const OnnxFileOnDisk saved(bytes);
  const Outcome outcome = plugin("onnx").fit_model(saved.arguments(layer, more), data);
  CHECK(outcome.status == CONO_INVALID_ARGUMENT);
  REQUIRE_MESSAGE(outcome.error.starts_with(saved.path), outcome.error);
  return outcome.error.substr(saved.path.size());
}

void begins(const std::string& whole, const std::string& part) {
  CHECK_MESSAGE(whole.starts_with(part), whole);
}

}  // namespace

TEST_CASE("onnx: files that it cannot read") {
  const Scratch scratch;
  const std::string none = scratch.path("none.onnx");
  CHECK(plugin("onnx").fit_model({{"file", none}, {"layer", "relu"}}, samples(3)).error ==
        none + ": no such file");
  CHECK(error_of("") == ": not an ONNX file, or damaged: it has no graph");
  begins(error_of("this is not a network"), ": not an ONNX file, or damaged: ");

  const std::string whole = ConvNet().file().bytes();
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    CAPTURE(length);
    begins(error_of(whole.substr(0, length)), ": not an ONNX file, or damaged: ");
  }
  // Any byte may be wrong: it is refused, or it is another network.
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int mask : {0x01, 0x2a, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      try {
        for (const auto& [name, weight] : conoscope::models::read_onnx(damaged).weights)
          conoscope::models::numbers_of(weight);
      } catch (const std::invalid_argument&) {
      }
    }
}

TEST_CASE("onnx: networks that OpenCV does not have, or would get wrong") {
  OnnxWriter odd = ConvNet().trunk();
  odd.node("Frobnicate", "odd", {"features"}, {"y"}).output("y", {-1, 4});
  const std::string told = error_of(odd.bytes());
  begins(told, ": not a network that OpenCV 4.");
  CHECK_MESSAGE(told.find("\"Frobnicate\"") != std::string::npos, told);
  CHECK_MESSAGE(told.find('\n') == std::string::npos, told);
  CHECK_MESSAGE(told.find(".cpp") == std::string::npos, told);

  OnnxWriter elsewhere = ConvNet().trunk();
  elsewhere.external_weight("fc.weight", {3, 4})
      .node("MatMul", "fc", {"features", "fc.weight"}, {"y"})
      .output("y", {-1, 3});
  CHECK(error_of(elsewhere.bytes()) ==
        ": weight 'fc.weight' lies in another file (external data); save the network with its "
        "weights in one file");

  const auto gemm = [](const std::vector<OnnxWriter::Attribute>& attributes) {
    OnnxWriter file = ConvNet().trunk();
    file.weight("w", {4, 4}, normal_floats(16, 3))
        .weight("b", {4}, normal_floats(4, 4))
        .node("Gemm", "fc", {"features", "w", "b"}, {"y"}, attributes)
        .output("y", {-1, 4});
    return file.bytes();
  };
  const OnnxWriter::Attribute turned{"transB", std::int64_t{1}};
  CHECK(
      error_of(gemm({})) ==
      ": Gemm 'fc' does not say transB, and OpenCV would take it for 1; write transB = 0 into it");
  const auto neglected = [](const std::string& name) {
    return ": Gemm 'fc' has an attribute that OpenCV neglects, " + name +
           "; put it into the weights";
  };
  CHECK(error_of(gemm({turned, {"alpha", 2.0f}})) == neglected("alpha"));
  CHECK(error_of(gemm({turned, {"beta", 0.5f}})) == neglected("beta"));
  CHECK(error_of(gemm({turned, {"transA", std::int64_t{1}}})) == neglected("transA"));
  const OnnxFileOnDisk plain(gemm({{"transB", std::int64_t{0}}, {"alpha", 1.0f}}));
  const Outcome fine = plugin("onnx").fit_model(plain.arguments("relu"), samples(6));
  CHECK(fine.error == "");
  CHECK(fine.out.values<float>("head_weight")[1] == normal_floats(16, 3)[4]);  // turned
}

TEST_CASE("onnx: layers and heads that are not there") {
  const std::string whole = ConvNet().file().bytes();
  CHECK(error_of(whole, "layer4") == ": no layer 'layer4'; its nodes: conv, relu, pool, flat, fc");
  CHECK(error_of(whole, "fc") == ": no linear node after layer 'fc'; linear ones: fc");
  CHECK(error_of(whole, "relu", {{"head", "top"}}) ==
        ": head 'top' is not there; linear nodes: fc");
  CHECK(error_of(whole, "relu", {{"head", "pool"}}) ==
        ": head 'pool' is not linear; linear nodes: fc");

  OnnxWriter deep;
  deep.input("x", {-1, 4}).output("x70", {-1, 4});
  for (int i = 0; i < 70; ++i) {
    const std::string from = i == 0 ? "x" : "x" + std::to_string(i);
    deep.node("Relu", "relu" + std::to_string(i), {from}, {"x" + std::to_string(i + 1)});
  }
  const std::string many = error_of(deep.bytes(), "layer4");
  CHECK_MESSAGE(many.find("relu28, relu29, (10 more), relu40, relu41") != many.npos, many);

  OnnxWriter two = ConvNet().file();
  two.output("rectified", {-1, 4, 3, 3});
  CHECK(error_of(two.bytes()) == ": has 2 outputs, expected one");
  OnnxWriter pair = ConvNet().file();
  pair.input("mask", {-1, 4});
  CHECK(error_of(pair.bytes()) == ": has 2 inputs, expected one");
}

TEST_CASE("onnx: an output that is not the head of the pooled layer is refused") {
  ConvNet net;
  begins(error_of(net.file().bytes(), "conv"),
         ": the network's output is not head 'fc' of the mean of layer 'conv', but off by ");
  OnnxWriter softmax = net.trunk();
  softmax.weight("w", {4, 3}, normal_floats(12, 3))
      .node("MatMul", "fc", {"features", "w"}, {"logits"})
      .node("Softmax", "softmax", {"logits"}, {"y"}, {{"axis", 1}})
      .output("y", {-1, 3});
  begins(error_of(softmax.bytes()),
         ": the network's output is not head 'fc' of the mean of layer 'relu', but off by ");
  OnnxWriter wide = net.trunk();
  wide.weight("w", {4, 5}, normal_floats(20, 3))
      .weight("v", {5, 3}, normal_floats(15, 3))
      .node("MatMul", "wide", {"features", "w"}, {"h"})
      .node("MatMul", "fc", {"h", "v"}, {"y"})
      .output("y", {-1, 3});
  CHECK(error_of(wide.bytes()) ==
        ": head 'fc' reads 5 numbers, but layer 'relu' gives 9 positions of 4: neither their mean "
        "nor all of them");
  CHECK(error_of(wide.bytes(), "relu", {{"head", "wide"}}) ==
        ": the network's output is 6 x 3, but head 'wide' of the mean of layer 'relu' gives 6 x 5");
}

TEST_CASE("onnx: inputs that do not fit") {
  const std::string whole = ConvNet().file().bytes();
  CHECK(error_of(whole, "relu", {}, samples(4, {8, 8, 2})) ==
        ": its input 'images' is any x 2 x 6 x 6, but it is given 4 x 2 x 8 x 8; see size and "
        "channels, or save it with dynamic axes");
  CHECK(error_of(whole, "relu", {}, samples(4, {72})) ==
        ": its input 'images' is any x 2 x 6 x 6, but it is given 4 x 72; see size and channels, "
        "or save it with dynamic axes");
  CHECK(error_of(ConvNet().file(1).bytes(), "relu", {}, samples(4, {6, 6, 1})) ==
        ": its input 'images' is 1 x 2 x 6 x 6, but it is given 4 x 1 x 6 x 6; see size and "
        "channels, or save it with dynamic axes");
  Bundle many = samples(4);
  many.arrays["labels"] = OwnedArray::of<std::int64_t>({4}, {0, 1, 2, 7});
  CHECK(error_of(whole, "relu", {}, many) ==
        ": head 'fc' has 3 outputs, but the dataset asks for 8");

  const OnnxFileOnDisk saved(whole);
  const auto own = [&saved](const Arguments& more, const Bundle& data) {
    return plugin("onnx").fit_model(saved.arguments("relu", more), data).error;
  };
  CHECK(own({{"std", std::vector<double>{1, 2, 3}}}, samples(4)) ==
        "onnx: std has 3 numbers for inputs of 2 channels");
  Bundle hole = samples(4);
  auto values = normal_floats(4 * 72, 1);
  values[200] = std::numeric_limits<float>::quiet_NaN();
  hole.arrays["inputs"] = OwnedArray::of<float>({4, 6, 6, 2}, values);
  CHECK(own({{"batch_size", 1}}, hole) == "inputs: value 200 (row-major) is not finite");
}

TEST_CASE("onnx: a network that works on one sample at a time says so") {
  // As x.view(x.size(0), -1) may be saved: the number of samples is lost.
  const OnnxWriter net = [] {
    OnnxWriter file;
    return file.input("x", {-1, 4, 2, 2})
        .int_weight("shape", {1, -1})
        .weight("w", {4, 3}, normal_floats(12, 3))
        .node("Relu", "relu", {"x"}, {"r"})
        .node("GlobalAveragePool", "pool", {"r"}, {"p"})
        .node("Reshape", "view", {"p", "shape"}, {"v"})
        .node("MatMul", "fc", {"v", "w"}, {"y"})
        .output("y", {-1, 3});
  }();
  const Bundle data = samples(5, {2, 2, 4});
  const std::string told = error_of(net.bytes(), "relu", {}, data);
  CHECK_MESSAGE(told.ends_with("; it works on one sample at a time: set batch_size = 1"), told);
  const OnnxFileOnDisk saved(net.bytes());
  CHECK(plugin("onnx").fit_model(saved.arguments("relu", {{"batch_size", 1}}), data).error == "");
}

TEST_CASE("onnx: stops when asked to") {
  const OnnxFileOnDisk saved(ConvNet().file().bytes());
  int asked = 0;
  Host host;
  host.cancelled = [&asked] { return ++asked > 2; };
  const Arguments arguments = saved.arguments("relu", {{"batch_size", 2}});
  CHECK(plugin("onnx").fit_model(arguments, samples(12), host).status == CONO_CANCELLED);
}
