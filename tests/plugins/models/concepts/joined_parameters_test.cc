// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/joined_parameters.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "plugins/models/common/torch/training.h"

using namespace conoscope::models;
using torch::Tensor;
namespace sdk = conoscope::sdk;

namespace {

// Sizes that no width of vectors divides, and one parameter that the loss does not know.
const std::vector<std::vector<std::int64_t>> kShapes = {{5, 7}, {7}, {1}, {33, 5}, {3, 2, 3, 3}};

std::vector<Tensor> parameters() {
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < kShapes.size(); ++i)
    out.push_back(initial_weights(kShapes[i], 1.0, sdk::Seed(i)));
  return out;
}

Tensor loss_of(const std::vector<Tensor>& p) {
  return (p[3].matmul(p[0]) + p[1]).tanh().pow(2).mean() + p[2].exp().sum();
}

/// After some steps with an optimiser of `optimised`.
template <typename Optimiser, typename Options>
std::vector<Tensor> trained(bool join, const Options& options) {
  const auto all = parameters();
  const std::vector<Tensor> optimised = join ? std::vector<Tensor>{joined_parameters(all)} : all;
  Optimiser optimiser(optimised, options);
  for (int step = 0; step < 25; ++step) {
    for (const Tensor& parameter : optimised)
      if (parameter.grad().defined()) parameter.grad().zero_();
    loss_of(all).backward();
    optimiser.step();
  }
  return all;
}

template <typename Optimiser, typename Options>
void same_bits(const Options& options) {
  const auto apart = trained<Optimiser>(false, options);
  const auto together = trained<Optimiser>(true, options);
  const auto before = parameters();
  for (std::size_t i = 0; i < apart.size(); ++i) {
    CAPTURE(i);
    CHECK(torch::equal(apart[i], together[i]));
    CHECK(torch::equal(apart[i], before[i]) == (i == 4));
  }
}

}  // namespace

TEST_CASE("parameters trained as one get the bits that they would have got") {
  same_bits<torch::optim::Adam>(torch::optim::AdamOptions(0.01));
  same_bits<torch::optim::SGD>(torch::optim::SGDOptions(0.01).momentum(0.9));
}

TEST_CASE("they keep their values, shapes and names for the network, and can be joined again") {
  const auto all = parameters();
  const auto before = parameters();
  joined_parameters(all);
  const Tensor whole = joined_parameters(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(torch::equal(all[i], before[i]));
    CHECK(all[i].is_leaf());
    CHECK(all[i].requires_grad());
    CHECK(torch::equal(all[i].grad(), torch::zeros_like(all[i])));
  }
  {
    const torch::NoGradGuard no_grad;
    whole.fill_(2.0);
  }
  for (const Tensor& parameter : all) CHECK(parameter.eq(2.0).all().item<bool>());
  loss_of(all).backward();
  CHECK(whole.grad().abs().sum().item<double>() > 0.0);
}
