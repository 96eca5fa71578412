// SPDX-License-Identifier: Apache-2.0
#include <caffe2/serialize/inline_container.h>
#include <torch/script.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>
#undef CHECK  // libtorch's, not doctest's
#include <doctest/doctest.h>

#include "conoscope/sdk/random.h"
#include "tests/plugins/models/check_repeatable.h"
#include "tests/plugins/models/torchscript/script_builder.h"
#include "tests/support/capture_binding.h"
#include "tests/support/forward_gradient.h"
#include "tests/support/head_bundle.h"
#include "tests/support/outcomes.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;
namespace sdk = conoscope::sdk;

namespace {

const Module& resnet18() {
  static const Module module = Builder().resnet18();
  return module;
}

struct Saved {
  Scratch scratch;
  std::string path = scratch.path("net.pt");

  explicit Saved(const Module& module) { module.save(path); }
  Arguments arguments(const char* layer, Arguments more = {}) const {
    more["file"] = path;
    more["layer"] = layer;
    return more;
  }
};

/// The first n digits.
Bundle digits(std::int64_t n) {
  const Outcome all = plugin("digits").load({});
  REQUIRE(all.error == "");
  const auto inputs = all.out.values<float>("inputs");
  const auto labels = all.out.values<std::int64_t>("labels");
  Bundle few;
  few.arrays["inputs"] =
      OwnedArray::of<float>({n, 8, 8, 1}, {inputs.begin(), inputs.begin() + n * 64});
  few.arrays["labels"] = OwnedArray::of<std::int64_t>({n}, {labels.begin(), labels.begin() + n});
  std::vector<std::int64_t> train, test;
  for (std::int64_t i = 0; i < n; ++i) (i % 3 == 0 ? test : train).push_back(i);
  put_split(few, train, test);
  return few;
}

Bundle table(std::int64_t n) {
  sdk::Random random{sdk::Seed(9)};
  std::vector<double> inputs;
  for (std::int64_t i = 0; i < n * 4; ++i) inputs.push_back(random.normal());
  Bundle data;
  data.arrays["inputs"] = OwnedArray::of<double>({n, 4}, inputs);
  return data;
}

const Arguments kColours = {{"channels", 3},
                            {"size", 64},
                            {"scale", 0.5},
                            {"mean", std::vector<double>{0.485, 0.456, 0.406}},
                            {"std", std::vector<double>{0.229, 0.224, 0.225}}};

/// What explainers are given of a model; logits are worked out from the head view.
Bundle explained(const Bundle& model) {
  const auto& shape = model.shape("activations");
  const auto matrix = [&model](const char* name, std::int64_t rows, std::int64_t cols) {
    const auto values = model.values<float>(name);
    Rows out(rows, cols);
    std::copy(values.begin(), values.end(), out.data());
    return out;
  };
  const auto& head = model.shape("head_weight");
  const auto bias = model.values<float>("head_bias");
  return head_bundle(matrix("activations", shape[0] * shape[1], shape[2]), shape[1],
                     matrix("head_weight", head[0], head[1]), {bias.begin(), bias.end()},
                     model.texts.at("output"), model.texts.at("pooling"));
}

/// Largest difference between the head view's outputs and the module's own.
double apart(const Bundle& model, const Module& module, const torch::Tensor& prepared) {
  const Bundle head = explained(model);
  const auto logits = head.values<double>("logits");
  Module copy = module;
  const torch::Tensor own = copy.forward({prepared}).toTensor().contiguous();
  REQUIRE(own.numel() == static_cast<std::int64_t>(logits.size()));
  CHECK(own.abs().max().item<double>() > 0.1);
  double most = 0.0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    most = std::max(most, std::abs(logits[i] - static_cast<double>(own.data_ptr<float>()[i])));
  return most;
}

torch::Tensor as_tensor(const Bundle& data, std::vector<std::int64_t> shape) {
  const auto values = data.values<float>("inputs");
  return torch::from_blob(const_cast<float*>(values.data()), shape).clone();
}

}  // namespace

TEST_CASE("torchscript: the head view of a ResNet-18, and every explainer on it") {
  const Module module = resnet18();
  const Saved saved(module);
  const Arguments arguments = saved.arguments("layer4", kColours);
  const Bundle data = digits(90);
  const Outcome model = plugin("torchscript").fit_model(arguments, data);
  REQUIRE(model.error == "");
  CHECK(model.out.shape("activations") == std::vector<std::int64_t>{90, 4, 64});
  CHECK(model.out.shape("head_weight") == std::vector<std::int64_t>{10, 64});
  CHECK(model.out.texts.at("pooling") == "mean");
  CHECK(model.out.texts.at("output") == "softmax");
  CHECK(model.progress.back() == 1.0);

  // Prepared here in other words: mean and deviation by hand.
  torch::Tensor x = as_tensor(data, {90, 1, 8, 8}) * 0.5;
  x = torch::upsample_bilinear2d(x, {64, 64}, false);
  x = torch::cat({(x - 0.485) / 0.229, (x - 0.456) / 0.224, (x - 0.406) / 0.225}, 1);
  CHECK(apart(model.out, module, x) < 1e-4);

  const Bundle head = explained(model.out);
  const auto predictions = head.values<std::int64_t>("predictions");
  const auto labels = data.values<std::int64_t>("labels");
  double right = 0.0;
  for (const std::int64_t i : data.values<std::int64_t>("test_index"))
    right += predictions[static_cast<std::size_t>(i)] == labels[static_cast<std::size_t>(i)];
  CHECK(std::stod(model.out.texts.at("test_accuracy")) ==
        doctest::Approx(right / 30.0).epsilon(1e-5));

  for (const char* id :
       {"c_shap", "cdisco", "craft", "ice", "kmeans", "mcd", "nmf", "pca", "svd", "topk_sae"}) {
    CAPTURE(id);
    const Outcome outcome = plugin(id).fit_explainer({}, head);
    CHECK(outcome.error == "");
    CHECK(outcome.status == CONO_OK);
  }

  CHECK((plugin("torchscript").fit_model(arguments, data).out == model.out));
  Arguments other_batches = arguments;
  other_batches["batch_size"] = 7;
  const auto odd =
      plugin("torchscript").fit_model(other_batches, data).out.arrays.at("activations");
  const auto even = model.out.values<float>("activations");
  for (std::size_t i = 0; i < even.size(); ++i)
    REQUIRE(odd.values<float>()[i] == doctest::Approx(even[i]).epsilon(1e-4));
}

TEST_CASE("torchscript: forward gives the activations again, for explainers that alter images") {
  const Saved saved(resnet18());
  const Arguments arguments = saved.arguments("layer4", kColours);
  const Bundle data = digits(20);
  const Outcome model = plugin("torchscript").fit_model(arguments, data);
  REQUIRE(model.error == "");
  const Outcome again =
      plugin("torchscript").forward(arguments, model.out, data.arrays.at("inputs"), {20, 4, 64});
  REQUIRE(again.error == "");
  const auto fitted = model.out.values<float>("activations");
  const auto got = again.out.values<double>("activations");
  for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == static_cast<double>(fitted[i]));
  CHECK(plugin("torchscript")
            .forward(arguments, model.out, data.arrays.at("inputs"), {20, 1, 64})
            .error == "activations: room for 1280 numbers, but there are 5120");
}

TEST_CASE("torchscript: the derivative by the inputs goes through the preparation, too") {
  const Saved saved(resnet18());
  Arguments arguments = saved.arguments("layer4", kColours);
  arguments["size"] = 48;
  arguments["batch_size"] = 3;
  const Bundle data = digits(7);
  const auto pixels = data.values<float>("inputs");
  std::vector<double> inputs(pixels.begin(), pixels.end());
  check_forward_gradient(plugin("torchscript"), arguments, {}, {7, 8, 8, 1}, inputs, 4, 64);

  arguments.erase("size");
  check_forward_gradient(plugin("torchscript"), arguments, {}, {7, 8, 8, 1}, inputs, 1, 64);

  // Three channels of their own, each with its standard deviation, made smaller.
  arguments["channels"] = 0;
  arguments["size"] = 32;
  sdk::Random random{sdk::Seed(4)};
  inputs.resize(2 * 40 * 36 * 3);
  for (double& value : inputs) value = random.uniform();
  check_forward_gradient(plugin("torchscript"), arguments, {}, {2, 40, 36, 3}, inputs, 1, 64);

  const Saved tabular(Builder().tabular("  return self.fc.forward(self.hidden.forward(x))\n"));
  Arguments of_table = tabular.arguments("hidden");
  of_table["std"] = std::vector<double>{1, 2, 3, 4};
  const Bundle rows = table(5);
  const auto numbers = rows.values<double>("inputs");
  check_forward_gradient(plugin("torchscript"), of_table, {}, {5, 4},
                         {numbers.begin(), numbers.end()}, 1, 6);

  // A network that cuts its inputs off has no derivative by them.
  const Saved cut(Builder().tabular("  return self.fc.forward(self.hidden.forward(x.detach()))\n"));
  check_fault(plugin("torchscript")
                  .forward_gradient(cut.arguments("hidden"), {},
                                    OwnedArray::of<double>({1, 4}, {1, 2, 3, 4}),
                                    OwnedArray::of<double>({1, 1, 6}, std::vector<double>(6, 1.0))),
              CONO_NOT_APPLICABLE, cut.path + ": layer 'hidden' has no derivative by the inputs");
}

TEST_CASE("torchscript: a layer within layers, a head by name, outputs that mean something else") {
  const Module module = resnet18();
  const Saved saved(module);
  Arguments arguments = saved.arguments("layer4.second", kColours);
  arguments["head"] = "fc";
  arguments["output"] = "sigmoid";
  Bundle data = digits(12);
  data.arrays.erase("labels");  // not asked for when the output's meaning is given
  const Outcome inner = plugin("torchscript").fit_model(arguments, data);
  REQUIRE(inner.error == "");
  CHECK(inner.out.texts.at("output") == "sigmoid");
  CHECK_FALSE(inner.out.texts.contains("test_accuracy"));
  arguments["layer"] = "layer4";
  const Outcome outer = plugin("torchscript").fit_model(arguments, data);
  CHECK((outer.out.arrays == inner.out.arrays));
}

TEST_CASE("torchscript: a head that reads the flattened map") {
  const Module module = Builder().flattened();
  const Saved saved(module);
  const Bundle data = digits(30);
  const Outcome model = plugin("torchscript").fit_model(saved.arguments("features"), data);
  REQUIRE(model.error == "");
  CHECK(model.out.texts.at("pooling") == "flatten");
  CHECK(model.out.shape("activations") == std::vector<std::int64_t>{30, 16, 3});
  CHECK(model.out.shape("head_weight") == std::vector<std::int64_t>{10, 48});
  CHECK(apart(model.out, module, as_tensor(data, {30, 1, 8, 8})) < 1e-4);
}

TEST_CASE("torchscript: a table, one number of standardisation for each column") {
  const Saved saved(Builder().tabular("  return self.fc.forward(self.hidden.forward(x))\n"));
  Bundle data = table(10);
  Arguments arguments = saved.arguments("hidden");
  arguments["output"] = "regression";
  const Outcome plain = plugin("torchscript").fit_model(arguments, data);
  REQUIRE(plain.error == "");
  CHECK(plain.out.texts.at("pooling") == "none");
  CHECK(plain.out.shape("activations") == std::vector<std::int64_t>{10, 1, 6});
  std::vector<double> shifted;
  for (const double value : data.values<double>("inputs"))
    shifted.push_back(value * 4.0 + static_cast<double>(shifted.size() % 4));
  data.arrays["inputs"] = OwnedArray::of<double>({10, 4}, shifted);
  arguments["mean"] = std::vector<double>{0, 1, 2, 3};
  arguments["std"] = std::vector<double>{4};
  const Outcome undone = plugin("torchscript").fit_model(arguments, data);
  REQUIRE(undone.error == "");
  for (std::size_t i = 0; i < 60; ++i)
    CHECK(undone.out.values<float>("activations")[i] ==
          doctest::Approx(plain.out.values<float>("activations")[i]).epsilon(1e-5));
}

TEST_CASE("torchscript: files that it cannot read") {
  const Scratch scratch;
  const auto error_of = [](const std::string& file) {
    const Outcome outcome =
        plugin("torchscript").fit_model({{"file", file}, {"layer", "layer4"}}, table(3));
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.out.arrays.empty());
    return outcome.error;
  };
  const auto begins = [](const std::string& whole, const std::string& part) {
    CHECK_MESSAGE(whole.starts_with(part), whole);
  };
  CHECK(error_of(scratch.path("none.pt")) == scratch.path("none.pt") + ": no such file");
  const std::string noise = scratch.write("noise.pt", "this is not a zip archive");
  begins(error_of(noise),
         noise + ": not a TorchScript file that libtorch " TORCH_VERSION " reads: ");

  const std::string newer = scratch.path("newer.pt");
  {
    caffe2::serialize::PyTorchStreamWriter writer(newer);
    writer.setMinVersion(99);
    writer.writeRecord("data.pkl", "x", 1);
    writer.writeEndOfFile();
  }
  const std::string told = error_of(newer);
  begins(told, newer + ": not a TorchScript file that libtorch " TORCH_VERSION " reads: ");
  CHECK_MESSAGE(told.find("version 99") != std::string::npos, told);

  Saved half(resnet18());
  std::filesystem::resize_file(half.path, std::filesystem::file_size(half.path) / 2);
  begins(error_of(half.path),
         half.path + ": not a TorchScript file that libtorch " TORCH_VERSION " reads: ");
}

TEST_CASE("torchscript: layers and heads that are not there or cannot be watched") {
  const auto error_of = [](const Module& module, const char* layer, const char* head = "") {
    const Saved saved(module);
    const Outcome outcome =
        plugin("torchscript").fit_model(saved.arguments(layer, {{"head", head}}), table(3));
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    CHECK(outcome.out.arrays.empty());
    REQUIRE(outcome.error.starts_with(saved.path));
    return outcome.error.substr(saved.path.size());
  };
  Builder build;
  const Module good = build.tabular("  return self.fc.forward(self.hidden.forward(x))\n");
  CHECK(error_of(good, "layer4") == ": no layer 'layer4'; its submodules: hidden, fc");
  CHECK(error_of(good, "fc") == ": no linear submodule after layer 'fc'; linear ones: hidden, fc");
  CHECK(error_of(good, "hidden", "top") ==
        ": head 'top' is not there; linear submodules: hidden, fc");
  CHECK(error_of(resnet18(), "layer4", "layer1") ==
        ": head 'layer1' is not linear; linear submodules: unused, fc");
  CHECK(error_of(resnet18(), "unused", "fc") == ": layer 'unused' is never called by forward()");
  CHECK(error_of(
            build.tabular(
                "  return self.fc.forward(self.hidden.forward(x) + self.hidden.forward(2 * x))\n"),
            "hidden") == ": layer 'hidden' is called 2 times by forward(); which is meant?");
  CHECK(error_of(build.tabular("  h = torch.zeros([1])\n  if bool(x.sum() > 0):\n"
                               "    h = self.hidden.forward(x)\n  return self.fc.forward(h)\n"),
                 "hidden") == ": layer 'hidden' is called within a branch or a loop");
  CHECK(error_of(build.tabular("  return self.fc.forward(self.hidden.forward(x)), x\n"), "hidden")
            .starts_with(": forward() gives "));
}

TEST_CASE("torchscript: an output that is not the head of the pooled layer is refused") {
  const auto error_of = [](const Module& module, const char* layer, const Bundle& data,
                           Arguments more = {}) {
    const Saved saved(module);
    const Outcome outcome = plugin("torchscript").fit_model(saved.arguments(layer, more), data);
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    REQUIRE_MESSAGE(outcome.error.starts_with(saved.path), outcome.error);
    return outcome.error.substr(saved.path.size());
  };
  const auto begins = [](const std::string& whole, const std::string& part) {
    CHECK_MESSAGE(whole.starts_with(part), whole);
  };
  Builder build;
  begins(error_of(
             build.tabular("  return torch.softmax(self.fc.forward(self.hidden.forward(x)), 1)\n"),
             "hidden", table(5)),
         ": the network's output is not head 'fc' of layer 'hidden', but off by ");
  begins(error_of(build.tabular("  return self.fc.forward(torch.relu(self.hidden.forward(x)))\n"),
                  "hidden", table(5)),
         ": the network's output is not head 'fc' of layer 'hidden', but off by ");
  CHECK(error_of(build.tabular("  return self.fc.forward(self.hidden.forward(x))[:, 0]\n"),
                 "hidden", table(5)) ==
        ": the network's output is 5, but head 'fc' of layer 'hidden' gives 5 x 2");
  CHECK(
      error_of(build.tabular(
                   "  return self.fc.forward(torch.dropout(self.hidden.forward(x), 0.5, True))\n"),
               "hidden", table(5)) ==
      ": the same inputs give another output each time; was it saved in training mode? Call "
      "eval() before");
  begins(error_of(build.tabular("  return self.fc.forward(self.hidden.forward(x / 0.0))\n"),
                  "hidden", table(5)),
         ": what layer 'hidden' gives is not finite for sample 0 (value 0 of that sample: ");
  Bundle counts;
  counts.arrays["inputs"] = OwnedArray::of<double>({3, 4}, {2, 0, 0, 0, 2, 1, 1, 1, 3, 1, 0, 1});
  CHECK(error_of(build.growing(), "layer", counts, {{"batch_size", 1}}) ==
        ": layer 'layer' gives 3 x 4 positions and features for sample 2, but 2 x 4 for the first; "
        "all samples must have as many");
  Arguments colours = kColours;
  CHECK(error_of(resnet18(), "layer3", digits(6), colours) ==
        ": head 'fc' reads 64 numbers, but layer 'layer3' gives 16 positions of 32: neither their "
        "mean nor all of them");
  begins(error_of(build.resnet18("torch.flatten(torch.adaptive_max_pool2d(self.body(x), [1, 1])[0],"
                                 " 1)"),
                  "layer4", digits(6), colours),
         ": the network's output is not head 'fc' of the mean of layer 'layer4', but off by ");
}

TEST_CASE("torchscript: inputs that do not fit") {
  const Saved saved(resnet18());
  const auto error_of = [&saved](const Arguments& more, const Bundle& data) {
    const Outcome outcome = plugin("torchscript").fit_model(saved.arguments("layer4", more), data);
    CHECK(outcome.status == CONO_INVALID_ARGUMENT);
    return outcome.error;
  };
  const std::string grey = error_of({}, digits(4));
  CHECK_MESSAGE(grey.starts_with(saved.path + " on inputs of 4 x 1 x 8 x 8: Given groups=1"), grey);
  CHECK(error_of({{"std", std::vector<double>{1, 0}}}, digits(4)) ==
        "torchscript: std holds 0.000000, but each must be above 0");
  CHECK(error_of({{"mean", std::vector<double>{1, 2}}}, digits(4)) ==
        "torchscript: mean has 2 numbers for inputs of 1 channels");
  CHECK(error_of({{"size", 8}}, table(4)) ==
        "torchscript: size and channels are for images, but inputs are 4 x 4");
  Bundle two = digits(4);
  two.arrays["inputs"].shape = {2, 8, 8, 2};
  CHECK(error_of({{"channels", 3}}, two) ==
        "torchscript: channels = 3 repeats a single channel, but inputs are 2 x 8 x 8 x 2");
  Bundle many = digits(4);
  many.arrays["labels"] = OwnedArray::of<std::int64_t>({4}, {0, 1, 2, 11});
  CHECK(error_of(kColours, many) ==
        saved.path + ": head 'fc' has 10 outputs, but the dataset asks for 12");
}

TEST_CASE("torchscript: stops when asked to") {
  const Saved saved(resnet18());
  Arguments arguments = saved.arguments("layer4", kColours);
  arguments["batch_size"] = 2;
  int asked = 0;
  Host host;
  host.cancelled = [&asked] { return ++asked > 2; };
  CHECK(plugin("torchscript").fit_model(arguments, digits(12), host).status == CONO_CANCELLED);
  // Between the outputs of one batch, too: each takes a pass back through the network.
  arguments["above"] = "network";
  arguments["batch_size"] = 64;
  asked = 0;
  CHECK(plugin("torchscript").fit_model(arguments, digits(12), host).status == CONO_CANCELLED);
}

TEST_CASE("torchscript: layers below the last one, and the rest of the network from there") {
  const Module module = resnet18();
  const Saved saved(module);
  const Bundle data = digits(30);
  const auto in_double = [](std::span<const float> values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const Outcome last = plugin("torchscript").fit_model(saved.arguments("layer4", kColours), data);
  REQUIRE(last.error == "");
  const Bundle last_head = explained(last.out);
  const auto logits = last_head.values<double>("logits");
  for (const auto& [layer, positions, width] :
       {std::tuple{"layer2", 64, 16}, {"layer3", 16, 32}, {"layer4", 4, 64}}) {
    CAPTURE_BINDING(layer);
    Arguments arguments = saved.arguments(layer, kColours);
    arguments["above"] = "network";
    arguments["batch_size"] = 8;
    const Outcome model = plugin("torchscript").fit_model(arguments, data);
    REQUIRE(model.error == "");
    CHECK(model.out.shape("activations") == std::vector<std::int64_t>{30, positions, width});
    CHECK(model.out.shape("head_weight") == std::vector<std::int64_t>{10, width});
    CHECK(model.out.texts.at("pooling") == "mean");
    CHECK(model.out.texts.at("test_accuracy") == last.out.texts.at("test_accuracy"));
    const auto close = [](std::span<const double> a, std::span<const double> b) {
      REQUIRE(a.size() == b.size());
      double most = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
      return most < 1e-4;
    };
    CHECK(close(model.out.values<double>("logits"), logits));
    const auto activations = OwnedArray::of<double>(
        {30, positions, width}, in_double(model.out.values<float>("activations")));
    const Outcome head = plugin("torchscript").head(arguments, model.out, activations);
    REQUIRE(head.error == "");
    CHECK(close(head.out.values<double>("outputs"), logits));
    const auto redrawn = [&](std::uint64_t seed) {
      Host host;
      host.seed = seed;
      const Outcome out =
          plugin("torchscript").redrawn_head(arguments, model.out, activations, host);
      REQUIRE(out.error == "");
      return out;
    };
    const Outcome drawn = redrawn(1), other = redrawn(2);
    CHECK((redrawn(1).out.arrays.at("outputs") == drawn.out.arrays.at("outputs")));
    CHECK(!close(drawn.out.values<double>("outputs"), logits));
    CHECK(!close(drawn.out.values<double>("outputs"), other.out.values<double>("outputs")));

    // The mean of gradients over the training rows is the head view's weight.
    std::vector<double> unit(30 * 10, 0.0);
    const auto train = data.values<std::int64_t>("train_index");
    for (const std::int64_t row : train) unit[static_cast<std::size_t>(row) * 10 + 4] = 1.0;
    const Outcome vjp =
        plugin("torchscript")
            .vjp(arguments, model.out, activations, OwnedArray::of<double>({30, 10}, unit));
    REQUIRE(vjp.error == "");
    const auto gradients = vjp.out.values<double>("gradients");
    std::vector<double> mean(static_cast<std::size_t>(width), 0.0);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      mean[i % mean.size()] += gradients[i] / static_cast<double>(train.size());
    const auto weight = model.out.values<double>("head_weight");
    const auto row = static_cast<std::size_t>(width);
    CHECK(close(mean, weight.subspan(4 * row, row)));
    if (layer != std::string("layer4")) continue;
    CHECK(close(weight, in_double(last.out.values<float>("head_weight"))));
    CHECK(close(model.out.values<double>("head_bias"),
                in_double(last.out.values<float>("head_bias"))));
  }

  // A shortcut leads past it, and what is above is not a function of the layer.
  Arguments past = saved.arguments("layer3.first.conv1", kColours);
  past["above"] = "network";
  CHECK(
      plugin("torchscript").fit_model(past, data).error ==
      saved.path +
          ": layer 'layer3.first.conv1' is not all that the output depends on: what lies below it "
          "is read above it, too");
}
