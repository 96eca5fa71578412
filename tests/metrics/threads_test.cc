// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/information/mi_noise.h"
#include "metrics/leakage/ctl_icl.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// No metric starts threads, but several may run at once: each must give what it gives alone.
TEST_CASE("metrics: in 8 threads at once the same bits as alone") {
  constexpr Index kSamples = 120;
  const Draws draw = normal_draws(1);
  Matrix soft(kSamples, 3), truth(kSamples, 3);
  IndexVector labels;
  for (Index i = 0; i < kSamples; ++i) {
    for (Index j = 0; j < 3; ++j) {
      soft(i, j) = draw();
      truth(i, j) = soft(i, j) + 0.5 * draw() > 0.0;
    }
    labels.push_back(soft(i, 0) + soft(i, 1) > 0.0);
  }
  const auto all = [&] {
    const NicheScores niches = nis(soft, 1, truth, 3);
    const Matrix purity = purity_matrix(soft, 1, truth, {.epochs = 3});
    const DciFit forest = dci_forest({soft, truth}),
                 boosted = dci_boosting({soft, truth, soft, truth});
    std::vector<double> out{
        ctl(soft, truth, labels).value,
        ctl(soft, truth, labels, {.noise = normal_draws(2)}).value,
        icl(soft, truth).value,
        icl(soft, truth, {.noise = normal_draws(3)}).value,
        mi_ksg(soft, truth).raw,
        niches.masked.score,
        niches.softmax.score,
        dci_disentanglement(forest.importance).value,
        dci_disentanglement(boosted.importance).value,
    };
    out.insert(out.end(), purity.data(), purity.data() + purity.size());
    return out;
  };
  const std::vector<double> alone = all();
  std::vector<std::vector<double>> found(8);
  std::vector<std::thread> threads;
  for (auto& values : found) threads.emplace_back([&] { values = all(); });
  for (auto& thread : threads) thread.join();
  for (const auto& values : found) CHECK(values == alone);
}

}  // namespace

}  // namespace conoscope::tests
