// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/c_shap/shapley.h"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::methods {
namespace {

constexpr Index kMostPlayers = 20;  // 2^20 values; beyond it, sample

Index players_of(const VectorRef& values) {
  const auto size = static_cast<std::uint64_t>(values.size());
  const Index players = size > 0 ? static_cast<Index>(std::bit_width(size)) - 1 : 0;
  if (!std::has_single_bit(size) || players < 1 || players > kMostPlayers)
    throw std::invalid_argument("shapley_exact: " + std::to_string(size) +
                                " values, expected 2^n with n in 1 to " +
                                std::to_string(kMostPlayers));
  numerics::require_filled("shapley_exact", "values", Matrix(values));
  return players;
}

}  // namespace

Coalitions all_coalitions(Index players) {
  if (players < 1 || players > kMostPlayers)
    throw std::invalid_argument("all_coalitions: players = " + std::to_string(players) +
                                " is not in 1 to " + std::to_string(kMostPlayers));
  Coalitions out(Index{1} << players, players);
  for (Index i = 0; i < out.rows(); ++i)
    for (Index p = 0; p < players; ++p) out(i, p) = static_cast<std::uint8_t>(i >> p & 1);
  return out;
}

Vector shapley_exact(const VectorRef& values) {
  const Index n = players_of(values);
  // |S|! (n - |S| - 1)! / n! = 1 / (n binomial(n - 1, |S|))
  std::vector<double> weight(static_cast<std::size_t>(n));
  double subsets = 1.0;
  for (Index size = 0; size < n; ++size) {
    weight[static_cast<std::size_t>(size)] = 1.0 / (static_cast<double>(n) * subsets);
    subsets *= static_cast<double>(n - 1 - size) / static_cast<double>(size + 1);
  }
  Vector phi = Vector::Zero(n);
  for (Index p = 0; p < n; ++p)
    for (Index s = 0; s < values.size(); ++s) {
      if (s >> p & 1) continue;
      const auto size = static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(s)));
      phi[p] += weight[size] * (values[s | Index{1} << p] - values[s]);
    }
  return phi;
}

double shapley_kernel(Index players, Index size) {
  if (players < 2 || size < 1 || size >= players)
    throw std::invalid_argument("shapley_kernel: size = " + std::to_string(size) +
                                " of players = " + std::to_string(players) +
                                " is not in 1 to players - 1");
  double subsets = 1.0;
  for (Index i = 0; i < size; ++i)
    subsets *= static_cast<double>(players - i) / static_cast<double>(i + 1);
  return static_cast<double>(players - 1) /
         (subsets * static_cast<double>(size) * static_cast<double>(players - size));
}

Coalitions sample_coalitions(Index players, Index count, numerics::Seed seed) {
  numerics::require_at_least("sample_coalitions", "players", players, 2);
  numerics::require_at_least("sample_coalitions", "count", count, 1);
  std::vector<double> up_to(static_cast<std::size_t>(players), 0.0);
  for (std::size_t size = 1; size < up_to.size(); ++size)
    up_to[size] = up_to[size - 1] +
                  1.0 / (static_cast<double>(size) * (static_cast<double>(up_to.size() - size)));
  numerics::Random random(seed);
  std::vector<Index> order(up_to.size());
  std::iota(order.begin(), order.end(), Index{0});
  Coalitions out = Coalitions::Zero(count, players);
  for (Index i = 0; i < count; ++i) {
    if (i % 2 == 1) {
      out.row(i).array() = std::uint8_t{1} - out.row(i - 1).array();
      continue;
    }
    const double draw = random.uniform() * up_to.back();
    const auto found = std::upper_bound(up_to.begin() + 1, up_to.end() - 1, draw);
    const auto size = found - up_to.begin();
    random.shuffle(order);
    for (Index p = 0; p < size; ++p) out(i, order[static_cast<std::size_t>(p)]) = 1;
  }
  return out;
}

Vector kernel_shap(const Coalitions& coalitions, const VectorRef& values, const VectorRef& weights,
                   double v_none, double v_all) {
  const Index n = coalitions.cols();
  if (values.size() != coalitions.rows() || weights.size() != coalitions.rows())
    throw std::invalid_argument("kernel_shap: " + std::to_string(values.size()) + " values and " +
                                std::to_string(weights.size()) + " weights for " +
                                std::to_string(coalitions.rows()) + " coalitions");
  numerics::require_filled("kernel_shap", "values", Matrix(values));
  numerics::require_non_negative("kernel_shap", "weights", Matrix(weights));
  numerics::require_filled("kernel_shap", "v_none and v_all", Matrix{{v_none, v_all}});
  numerics::require_at_least("kernel_shap", "players", n, 1);
  const double total = v_all - v_none;
  Vector phi(n);
  if (n > 1) {
    // phi_last = total - sum of the others: then column p reads in_p - in_last.
    Eigen::MatrixXd design(coalitions.rows(), n - 1);
    Vector target(coalitions.rows());
    for (Index i = 0; i < coalitions.rows(); ++i) {
      const double root = std::sqrt(weights[i]), last = coalitions(i, n - 1);
      for (Index p = 0; p + 1 < n; ++p) design(i, p) = root * (coalitions(i, p) - last);
      target[i] = root * (values[i] - v_none - last * total);
    }
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(design);
    if (solver.rank() < n - 1)
      throw std::domain_error("kernel_shap: " + std::to_string(coalitions.rows()) +
                              " coalitions of " + std::to_string(n) + " players determine only " +
                              std::to_string(solver.rank()) + " of " + std::to_string(n - 1) +
                              " unknowns");
    phi.head(n - 1) = solver.solve(target);
  }
  phi[n - 1] = total - phi.head(n - 1).sum();
  return phi;
}

}  // namespace conoscope::methods
