// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/losses.h"

#include <torch/autograd.h>

#include <cmath>

// libtorch has a macro of that name too.
#undef CHECK
#include <doctest/doctest.h>

using namespace conoscope::models;
namespace sdk = conoscope::sdk;

namespace {

Tensor matrix(const std::vector<std::vector<double>>& rows) {
  Tensor out = torch::empty(
      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())},
      torch::kFloat64);
  double* to = out.data_ptr<double>();
  for (const auto& row : rows) to = std::copy(row.begin(), row.end(), to);
  return out;
}

Tensor random_matrix(std::int64_t rows, std::int64_t columns, const char* name) {
  sdk::Random random(sdk::Seed(11).child(name));
  Tensor out = torch::empty({rows, columns}, torch::kFloat64);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = random.normal();
  return out;
}

double entry(const Tensor& tensor, std::int64_t i, std::int64_t j) {
  return tensor[i][j].item<double>();
}

double largest_difference(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

doctest::Approx close(double value) { return doctest::Approx(value).epsilon(1e-12); }

constexpr double kTwoPi = 2.0 * M_PI;

}  // namespace

TEST_CASE("reconstruction_losses: by hand") {
  // -log p of 1 and of 0.25 under probabilities 1/2 and 3/4: the logits are 0 and log 3.
  const Tensor logits = matrix({{0.0, std::log(3.0)}}), x = matrix({{1.0, 0.25}});
  const double first = std::log(2.0), second = -0.25 * std::log(0.75) - 0.75 * std::log(0.25);
  CHECK(reconstruction_losses(Likelihood::kBernoulli, logits, x).item<double>() ==
        close(first + second));
  // Two samples of two numbers: squares 4 + 1 and 0 + 9, halved, and log(2 pi) / 2 each.
  const Tensor losses = reconstruction_losses(Likelihood::kGaussian, matrix({{2, 1}, {0, 3}}),
                                              matrix({{0, 0}, {0, 0}}));
  REQUIRE(losses.numel() == 2);
  CHECK(losses[0].item<double>() == close(2.5 + std::log(kTwoPi)));
  CHECK(losses[1].item<double>() == close(4.5 + std::log(kTwoPi)));
}

TEST_CASE("kl_divergence: by hand, and zero at the prior alone") {
  const Tensor mean = matrix({{1.0, 0.0}, {0.0, 0.0}});
  const Tensor log_variance = matrix({{0.0, std::log(2.0)}, {0.0, 0.0}});
  const Tensor kl = kl_by_dimension(mean, log_variance);
  CHECK(entry(kl, 0, 0) == close(0.5));
  CHECK(entry(kl, 0, 1) == close(0.5 * (1.0 - std::log(2.0))));
  CHECK(entry(kl, 1, 0) == 0.0);
  CHECK(kl_divergence(mean, log_variance).item<double>() ==
        close(0.5 * (0.5 + 0.5 * (1.0 - std::log(2.0)))));
}

TEST_CASE("sample: mean and standard deviation") {
  const Tensor z = sample(matrix({{3.0}}), matrix({{std::log(4.0)}}), matrix({{-1.5}}));
  CHECK(entry(z, 0, 0) == close(0.0).scale(1.0));
}

TEST_CASE("annealed_capacity: grows to its most and stays") {
  CHECK(annealed_capacity(20.0, 0.0, 100.0) == 0.0);
  CHECK(annealed_capacity(20.0, 50.0, 100.0) == 10.0);
  CHECK(annealed_capacity(20.0, 1000.0, 100.0) == 20.0);
  CHECK(annealed_capacity(20.0, 0.0, 0.0) == 20.0);
}

TEST_CASE("dip_penalty: by hand") {
  const Tensor mean = matrix({{1.0, 2.0}, {-1.0, -2.0}, {1.0, -2.0}, {-1.0, 2.0}});
  const Tensor log_variance = torch::full({4, 2}, std::log(0.5), torch::kFloat64);
  // Variances 1 and 4, no covariance; with the posteriors' own variance 1.5 and 4.5.
  CHECK(largest_difference(covariance(mean), matrix({{1.0, 0.0}, {0.0, 4.0}})) < 1e-15);
  CHECK(dip_penalty(mean, log_variance, DipVariant::kOne, 10.0, 100.0).item<double>() ==
        close(900.0));
  CHECK(dip_penalty(mean, log_variance, DipVariant::kTwo, 10.0, 100.0).item<double>() ==
        close(25.0 + 1225.0));
  // Codes (t, t) of variance 1: both covariances are 1.
  const Tensor same = matrix({{1.0, 1.0}, {-1.0, -1.0}});
  CHECK(dip_penalty(same, torch::zeros_like(same), DipVariant::kOne, 10.0, 100.0).item<double>() ==
        close(20.0));
}

TEST_CASE("log_densities: by hand for two samples of two dimensions") {
  const Tensor mean = matrix({{0.0, 1.0}, {2.0, -1.0}}), z = matrix({{0.5, 1.0}, {2.0, 0.0}});
  const Tensor log_variance = torch::zeros({2, 2}, torch::kFloat64);
  const auto density = [](double value, double centre) {
    return std::exp(-0.5 * (value - centre) * (value - centre)) / std::sqrt(kTwoPi);
  };
  const LogDensities q = log_densities(z, mean, log_variance, 50);
  const double a1 = density(0.5, 0.0), a2 = density(1.0, 1.0);   // z_0 under its own posterior
  const double b1 = density(0.5, 2.0), b2 = density(1.0, -1.0);  // and under the other
  CHECK(q.conditional[0].item<double>() == close(std::log(a1 * a2)));
  CHECK(q.aggregate[0].item<double>() == close(std::log((a1 * a2 + b1 * b2) / 100.0)));
  CHECK(q.product[0].item<double>() ==
        close(std::log((a1 + b1) / 100.0) + std::log((a2 + b2) / 100.0)));
  CHECK(q.prior[0].item<double>() == close(std::log(density(0.5, 0.0) * density(1.0, 0.0))));
}

TEST_CASE("log_densities: where all posteriors coincide, q(z) is q(z|x) / N") {
  const Tensor mean = torch::full({7, 3}, 0.5, torch::kFloat64);
  const Tensor log_variance = torch::full({7, 3}, -1.0, torch::kFloat64);
  const LogDensities q = log_densities(random_matrix(7, 3, "z"), mean, log_variance, 100);
  CHECK(largest_difference(q.aggregate, q.conditional - std::log(100.0)) < 1e-12);
  CHECK(largest_difference(q.product, q.conditional - 3.0 * std::log(100.0)) < 1e-12);
}

TEST_CASE("decomposed_kl: at beta = 1 the ELBO's term and its gradient, whatever N") {
  const auto both = [](double beta, std::int64_t samples) {
    Tensor mean = random_matrix(9, 4, "mean").requires_grad_();
    Tensor log_variance = (0.3 * random_matrix(9, 4, "log_variance")).requires_grad_();
    const Tensor z = sample(mean, log_variance, random_matrix(9, 4, "noise"));
    const LogDensities q = log_densities(z, mean, log_variance, samples);
    const Tensor split = decomposed_kl(q, beta), direct = (q.conditional - q.prior).mean();
    const auto gradient = [&](const Tensor& of) {
      const auto parts =
          torch::autograd::grad({of}, {mean, log_variance}, {}, /*retain_graph=*/true);
      return torch::cat(parts);
    };
    return std::pair(std::abs((split - direct).item<double>()),
                     largest_difference(gradient(split), gradient(direct)));
  };
  const auto [value, gradient] = both(1.0, 500);
  CHECK(value < 1e-12);
  CHECK(gradient < 1e-12);
  CHECK(both(1.0, 7).first < 1e-12);
  // With another weight on the total correlation both differ.
  CHECK(both(6.0, 500).first > 0.1);
  CHECK(both(6.0, 500).second > 0.01);
}

TEST_CASE("decomposed_kl: N moves the value by a constant, never the gradient") {
  Tensor mean = random_matrix(9, 4, "mean").requires_grad_();
  const Tensor log_variance = torch::zeros({9, 4}, torch::kFloat64);
  const Tensor z = sample(mean, log_variance, random_matrix(9, 4, "noise"));
  const Tensor few = decomposed_kl(log_densities(z, mean, log_variance, 10), 6.0);
  const Tensor many = decomposed_kl(log_densities(z, mean, log_variance, 10'000), 6.0);
  // (beta - 1) (d - 1) log of the ratio.
  CHECK((many - few).item<double>() == doctest::Approx(5.0 * 3.0 * std::log(1000.0)).epsilon(1e-9));
  const auto gradient = [&](const Tensor& of) {
    return torch::autograd::grad({of}, {mean}, {}, /*retain_graph=*/true)[0];
  };
  CHECK(largest_difference(gradient(few), gradient(many)) < 1e-12);
}

TEST_CASE("the discriminator's losses: by hand") {
  const Tensor codes = matrix({{std::log(3.0), 0.0}, {0.0, 0.0}}),
               permuted = matrix({{0.0, std::log(4.0)}});
  // Odds 3 : 1 and 1 : 1 for codes; 1 : 4 for what was permuted.
  CHECK(density_ratio_total_correlation(codes).item<double>() == close(0.5 * std::log(3.0)));
  CHECK(discriminator_loss(codes, permuted).item<double>() ==
        close(-0.5 * (0.5 * (std::log(0.75) + std::log(0.5)) + std::log(0.8))));
  // One that cannot tell them apart loses log 2 and sees no total correlation.
  const Tensor unsure = torch::zeros({5, 2}, torch::kFloat64);
  CHECK(discriminator_loss(unsure, unsure).item<double>() == close(std::log(2.0)));
  CHECK(density_ratio_total_correlation(unsure).item<double>() == 0.0);
}

TEST_CASE("permute_dimensions: the same values in each dimension, each in its own order") {
  const std::int64_t samples = 200;
  const Tensor column = torch::arange(samples, torch::kFloat64).unsqueeze(1);
  const Tensor z = torch::cat({column, column + 1000.0, column + 2000.0}, 1);
  sdk::Random random(sdk::Seed(3));
  const Tensor permuted = permute_dimensions(z, random);
  for (std::int64_t d = 0; d < 3; ++d)
    CHECK(torch::equal(std::get<0>(permuted.select(1, d).sort()), z.select(1, d)));
  // Three independent orders leave about one sample in 200 whole, and no two columns alike.
  const Tensor offset = permuted - torch::tensor({0.0, 1000.0, 2000.0}, torch::kFloat64);
  for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 2}})
    CHECK(offset.select(1, a).eq(offset.select(1, b)).sum().item<std::int64_t>() < 10);
  sdk::Random again(sdk::Seed(3));
  CHECK(torch::equal(permute_dimensions(z, again), permuted));
}

TEST_CASE("pairs: what changed keeps its own posterior, the rest is shared") {
  // Dimension 0 moves far, 1 a little, 2 not at all.
  const Posterior first{matrix({{0.0, 1.0, 5.0}}), matrix({{0.0, 0.0, 0.0}})};
  const Posterior second{matrix({{4.0, 1.5, 5.0}}), matrix({{0.0, std::log(3.0), 0.0}})};
  const Tensor divergence = pair_divergence(first, second);
  CHECK(entry(divergence, 0, 0) == close(16.0));
  CHECK(entry(divergence, 0, 1) == close(1.0 / 3.0 + 0.25 / 3.0 - 1.0 + std::log(3.0)));
  CHECK(entry(divergence, 0, 2) == 0.0);
  const Tensor changed = changed_dimensions(divergence);
  CHECK(torch::equal(changed, torch::tensor({{true, false, false}}, torch::kBool)));

  const PosteriorPair mean = share_unchanged(first, second, changed, Averaging::kMean);
  CHECK(largest_difference(mean.first.mean, matrix({{0.0, 1.25, 5.0}})) < 1e-12);
  CHECK(largest_difference(mean.second.mean, matrix({{4.0, 1.25, 5.0}})) < 1e-12);
  CHECK(largest_difference(mean.first.log_variance, matrix({{0.0, std::log(2.0), 0.0}})) < 1e-12);

  // Precisions 1 and 1/3: weights 3/4 and 1/4; v1 v2 / (v1 + v2) = 3/4.
  const PosteriorPair harmonic = share_unchanged(first, second, changed, Averaging::kHarmonicMean);
  CHECK(entry(harmonic.second.mean, 0, 1) == close(1.125));
  CHECK(entry(harmonic.second.log_variance, 0, 1) == close(std::log(1.5)));
  const PosteriorPair product =
      share_unchanged(first, second, changed, Averaging::kProductOfExperts);
  CHECK(entry(product.first.mean, 0, 1) == close(1.125));
  CHECK(entry(product.first.log_variance, 0, 1) == close(std::log(0.75)));
}

TEST_CASE("changed_dimensions: half-way counts as changed; where all are equal, none changed") {
  CHECK(
      torch::equal(changed_dimensions(matrix({{0.0, 1.0, 2.0}, {3.0, 3.0, 3.0}, {0.0, 0.9, 2.0}})),
                   torch::tensor({{false, true, true}, {false, false, false}, {false, false, true}},
                                 torch::kBool)));
}
