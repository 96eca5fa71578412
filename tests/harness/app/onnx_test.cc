// SPDX-License-Identifier: Apache-2.0
// A network of the user's own through the host: an explainer on it, and files that are none fail
// their cells, with the file in the reason.

#include "tests/harness/app/workspace.h"
#include "tests/support/write_onnx.h"

using namespace conoscope::testing;

namespace {

std::string model(const std::string& name, const std::string& file) {
  return "[[model]]\nid = \"onnx\"\nname = \"" + name + "\"\nparams = { file = \"" + file +
         "\", layer = \"relu\" }\n";
}

}  // namespace

TEST_CASE("an ONNX network is explained, and a damaged one fails its cell and no other") {
  const Workspace here;
  // Digits of 8 x 8 pixels -> a Conv that passes the image on, darker and brighter -> Relu -> mean.
  OnnxWriter net;
  net.input("digits", {-1, 1, 8, 8})
      .weight("conv.weight", {2, 1, 1, 1}, {1.0f, -1.0f})
      .weight("conv.bias", {2}, {-0.25f, 0.5f})
      .weight("fc.weight", {10, 2}, std::vector<float>(20, 0.5f))
      .node("Conv", "conv", {"digits", "conv.weight", "conv.bias"}, {"c"},
            {{"kernel_shape", OnnxWriter::Sizes{1, 1}}})
      .node("Relu", "relu", {"c"}, {"r"})
      .node("GlobalAveragePool", "pool", {"r"}, {"p"})
      .node("Flatten", "flat", {"p"}, {"f"}, {{"axis", std::int64_t{1}}})
      .node("Gemm", "fc", {"f", "fc.weight"}, {"y"}, {{"transB", std::int64_t{1}}})
      .output("y", {-1, 10});
  const std::string whole = net.bytes();
  here.write("whole.onnx", whole);
  here.write("half.onnx", whole.substr(0, whole.size() / 2));
  here.write("words.onnx", "no network\n");
  const auto file = here.write(
      "run.toml", "metrics = [\"surf\"]\n[[dataset]]\nid = \"digits\"\n" +
                      model("whole", "whole.onnx") + model("half", "half.onnx") +
                      model("words", "words.onnx") + "[[explainer]]\nid = \"perfect\"\n");
  const Ended ended = here.run({"run", file}, 4);
  CHECK_SAYS(ended.err, "1 ok, 2 failed");
  CHECK_SAYS(ended.out, "whole");

  auto reasons = here.failures_at("model: fit");
  REQUIRE(reasons.size() == 2);
  for (const std::string name : {"half", "words"})
    CHECK_SAYS(reasons[name], here.path(name + ".onnx") + ": not an ONNX file, or damaged: ");
}
