// SPDX-License-Identifier: Apache-2.0
// encoder = resnet of the concept models, and the residual network by itself.

#include "plugins/models/common/torch/residual.h"

#include <cmath>

#include "tests/plugins/models/concepts/concept_data.h"
#include "tests/support/outcomes.h"

using namespace conoscope::testing;
using namespace conoscope::models;
namespace sdk = conoscope::sdk;

namespace {

std::int64_t numbers(const Weights& weights) {
  std::int64_t sum = 0;
  for (const Tensor& tensor : weights.trained()) sum += tensor.numel();
  return sum;
}

Arguments residual(std::int64_t epochs) {
  return {{"encoder", "resnet"}, {"resnet_blocks", std::vector<std::int64_t>{1, 1, 1}},
          {"resnet_width", 8},   {"batch_size", 32},
          {"patience", 0},       {"epochs", epochs}};
}

}  // namespace

TEST_CASE("ResidualNetwork: two blocks in each of four stages are ResNet-18") {
  const torch::NoGradGuard no_grad;
  Weights weights{sdk::Seed(1)};
  const ResidualNetwork network(weights, "net", 3, {64, {2, 2, 2, 2}});
  // The 11,689,512 of the published network less its last layer's 512 x 1000 + 1000.
  CHECK(numbers(weights) == 11'176'512);
  CHECK(network.channels() == 512);
  const Tensor maps = network(torch::ones({2, 3, 64, 64}), false);
  CHECK(maps.sizes() == torch::IntArrayRef({2, 512, 2, 2}));
  CHECK(maps.ge(0).all().item<bool>());
  CHECK(network(torch::ones({1, 3, 1, 1}), true).sizes() == torch::IntArrayRef({1, 512, 1, 1}));
}

TEST_CASE("ResidualNetwork: each stage halves the resolution and doubles the channels") {
  const torch::NoGradGuard no_grad;
  Weights weights{sdk::Seed(1)};
  const ResidualNetwork one(weights, "one", 1, {4, {1}});
  CHECK(one(torch::ones({1, 1, 20, 12}), false).sizes() == torch::IntArrayRef({1, 4, 5, 3}));
  const ResidualNetwork three(weights, "three", 1, {4, {1, 3, 2}});
  CHECK(three.channels() == 16);
  CHECK(three(torch::ones({1, 1, 32, 64}), false).sizes() == torch::IntArrayRef({1, 16, 2, 4}));
}

TEST_CASE("ResidualBlock: where its convolutions give nothing it is its shortcut") {
  const torch::NoGradGuard no_grad;
  const Tensor x = torch::arange(1, 17, torch::kFloat32).view({1, 1, 4, 4});
  const auto silenced = [&x](std::int64_t to, std::int64_t stride, bool projection) {
    Weights weights{sdk::Seed(3)};
    const ResidualBlock block(weights, "block", 1, to, stride, projection);
    weights.trained().at(4).zero_();                     // the scale after the second convolution
    if (projection) weights.trained().at(6).fill_(1.0);  // its kernel
    return block(x, false);
  };
  CHECK(silenced(1, 1, false).equal(x));
  const Tensor half = torch::tensor({1.0F, 3.0F, 9.0F, 11.0F}).view({1, 1, 2, 2});
  CHECK(silenced(2, 2, false).equal(torch::cat({half, torch::zeros_like(half)}, 1)));
  // Untrained, batch normalisation divides by sqrt(1 + 1e-5).
  CHECK(silenced(2, 2, true).allclose(torch::cat({half, half}, 1) / std::sqrt(1.0 + 1e-5)));
}

TEST_CASE("every concept model takes a residual encoder, with the same bits for the same seed") {
  const Bundle data = digits_with_concepts();
  for (const std::string name : {"cbm", "ccd", "cem", "cw", "senn"}) {
    CAPTURE(name);
    const Plugin tested = plugin(name);
    check_repeatable(tested, residual(1), data, "concept_scores");
    const Outcome model = tested.fit_model(residual(1), data);
    check_answers_itself(tested, residual(1), model.out);
    // The convolutional encoder is another one.
    Arguments other = residual(1);
    other.erase("encoder");
    CHECK_FALSE((model.out.arrays.at("concept_scores") ==
                 tested.fit_model(other, data).out.arrays.at("concept_scores")));
    // Its layers do not read what only the other has; senn's decoder does.
    if (name == "senn") continue;
    other = residual(1);
    other["channels"] = std::vector<std::int64_t>{3};
    other["hidden"] = std::vector<std::int64_t>{5};
    CHECK((model.out == tested.fit_model(other, data).out));
  }
}

TEST_CASE("every concept model: a residual encoder is not for tables") {
  const Bundle data = tabular_toy(50);
  for (const std::string name : {"cbm", "ccd", "cem", "cw", "senn"}) {
    CAPTURE(name);
    check_fault(plugin(name).fit_model(residual(1), data), CONO_NOT_APPLICABLE,
                "encoder = resnet is for images (n x height x width x channels), but inputs are 7 "
                "columns");
  }
}
