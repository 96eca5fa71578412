// SPDX-License-Identifier: Apache-2.0
// How the cost of each metric grows: thread CPU seconds and peak memory while one size is doubled
// three times and the other stays.
//
//   N  samples, 1000 ... 8000, at K = 8 (r4: 4)
//   K  concepts, or factors with as many codes, 4 ... 32 (r4: 2 ... 16, irs: 8 ... 64), at N =
//   2000;
//      ksg_vectors: the width of both vectors, 16 in N; truth_mcc: N truths and K latents, 64 in N
//
// ms_x1 ... ms_x8 and KiB_x1 ... KiB_x8 are the four measurements: the smaller time of two runs
// (one where it is long), and the most heap held beyond the inputs. `exponent` is log(last / first)
// over log 8: 1 is linear. `bytes_per_sample` is what half of the samples took less, at the last
// size, and `bytes_per_sample_exponent` how that grew; 0 is "not at all".
//
// Every result is checked. So is memory: it may grow as N log N (rows kept along a tree's path),
// and bytes per sample no faster than K, though several metrics look at K^2 pairs: a pair must
// leave nothing behind but its numbers.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conoscope/sdk/random.h"
#include "metrics/causal/causal_effects.h"
#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/r4.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/disentanglement/vae_scores.h"
#include "metrics/faithfulness/attack/attack_concept.h"
#include "metrics/faithfulness/attack/attack_input_concept.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surf/surf_through_surrogate.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/leakage/conditional_leakage.h"
#include "metrics/leakage/ctl_icl.h"
#include "metrics/leakage/leakage_null.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "metrics/robustness/irs_matrix.h"
#include "metrics/truth/absorption.h"
#include "metrics/truth/absorption_excess.h"
#include "metrics/truth/sparse_probing.h"
#include "metrics/truth/truth_f1.h"
#include "metrics/truth/truth_mcc.h"
#include "metrics/truth/truth_uniqueness.h"
#include "tests/bench/heap_peak.h"
#include "tests/bench/thread_seconds.h"
#include "tests/metrics/truth/small_world.h"

namespace {

using namespace conoscope::metrics;
using conoscope::bench::HeapPeak;
using conoscope::bench::seconds;
using conoscope::numerics::Random;
using Normal = conoscope::sdk::Random;
using conoscope::sdk::Seed;

constexpr std::array<Index, 4> kFactors = {1, 2, 4, 8};
constexpr int kRuns = 2;
constexpr double kLong = 0.5;  // seconds; one such run is enough

struct Sizes {
  Index n, k;
};

struct Cost {
  double seconds = std::numeric_limits<double>::infinity();
  double bytes = 0.0;
};

/// right: whether the result is one that these data must give.
Cost cost(const auto& work, const auto& right) {
  Cost out;
  for (int run = 0; run < kRuns; ++run) {
    using Result = decltype(work());
    Result result;
    const HeapPeak peak;
    out.seconds = std::min(out.seconds, seconds([&] { result = work(); }));
    out.bytes = static_cast<double>(peak.bytes());
    if (!right(std::as_const(result))) throw std::runtime_error("not the expected result");
    if (out.seconds > kLong) break;
  }
  return out;
}

// ---- information and leakage

/// y = (x + noise) / sqrt(2) in every coordinate: ln(2) / 2 nats each. Between vectors the estimate
/// is far too low: neighbours are far off, and at most it is psi(n) - psi(3).
Cost ksg(Index n, Index d) {
  Normal random{Seed(1)};
  Matrix x(n, d), y(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < d; ++c) {
      x(i, c) = random.normal();
      y(i, c) = std::sqrt(0.5) * (x(i, c) + random.normal());
    }
  const double truth = 0.5 * std::log(2.0) * static_cast<double>(d);
  return cost([&] { return mi_ksg(x, y); },
              [&](const MiEstimate& found) {
                return d == 1 ? std::abs(found.value - truth) < 0.1
                              : found.value > 0.5 && found.value < truth &&
                                    std::abs(found.value - mi_ksg(y, x).value) < 1e-9;
              });
}

Cost ksg_scalars(const Sizes& s) { return ksg(s.n, 1); }
Cost ksg_vectors(const Sizes& s) { return ksg(s.n, s.k); }

struct Leaking {
  Matrix predicted, truth;
  IndexVector labels;
};

/// Soft concepts that share a factor and lean on the label.
Leaking leaking(const Sizes& s, double leak) {
  Normal random{Seed(2)};
  Leaking out{Matrix(s.n, s.k), Matrix(s.n, s.k), {}};
  for (Index i = 0; i < s.n; ++i) {
    const double shared = random.normal();
    out.labels.push_back(shared + random.normal() > 0.0);
    for (Index j = 0; j < s.k; ++j) {
      const double z = 0.5 * shared + random.normal();
      out.truth(i, j) = z > 0.0;
      out.predicted(i, j) = 1.0 / (1.0 + std::exp(-2.0 * z - leak * shared));
    }
  }
  return out;
}

Cost ctl_icl(const Sizes& s) {
  const Leaking made = leaking(s, 0.5);
  const Matrix &predicted = made.predicted, &truth = made.truth;
  const IndexVector& labels = made.labels;
  return cost([&] { return std::pair(ctl(predicted, truth, labels), icl(predicted, truth)); },
              [&](const std::pair<Ctl, Icl>& found) {
                const std::vector<double>& pair = found.second.predicted.pair;
                const double last = mi_ksg(predicted.col(s.k - 2), predicted.col(s.k - 1)).value;
                return found.first.value > 0.0 && found.first.value < 0.5 &&
                       found.second.value < 0.5 &&
                       static_cast<Index>(pair.size()) == s.k * (s.k - 1) / 2 &&
                       std::abs(pair.back() - last) < 1e-9;
              });
}

/// 19 permutations: all leak, so no test stops early, and p is 1/20.
Cost leakage_null(const Sizes& s) {
  const Leaking data = leaking(s, 2.0);
  const ConceptColumns predicted = data.predicted, truth = data.truth;
  return cost(
      [&] {
        return std::pair(ctl_p_values(predicted, truth, data.labels, {.permutations = 19}),
                         icl_p_values(predicted, truth, {.permutations = 19}));
      },
      [&](const std::pair<std::vector<double>, std::vector<double>>& found) {
        const auto smallest = [](double p) { return p == 1.0 / 20.0; };
        return std::ssize(found.second) == s.k * (s.k - 1) / 2 &&
               std::ranges::all_of(found.first, smallest) &&
               std::ranges::all_of(found.second, smallest);
      });
}

/// Of each concept, and of all, given the first two: given more, strata are single samples.
Cost conditional(const Sizes& s) {
  const Leaking data = leaking(s, 0.5);
  const Matrix two = data.truth.leftCols(2);
  return cost(
      [&] {
        return std::pair(ctl_conditional(data.predicted, data.truth, data.labels),
                         conditional_leakage(data.predicted, two, data.labels).value);
      },
      [&](const std::pair<std::vector<double>, double>& found) {
        return std::ssize(found.first) == s.k &&
               std::ranges::all_of(found.first, [](double v) { return v > 0.0 && v < 0.3; }) &&
               found.second > 0.0 && found.second < 0.5;
      });
}

// ---- faithfulness below the last layer

/// 16 positions of 32 features below k outputs, with nothing but a linear head between: both forms
/// are the surrogate of the last layer.
Cost surf_below(const Sizes& s) {
  constexpr Index kPositions = 16, kWidth = 32;
  Normal random{Seed(4)};
  const auto normal = [&random](Index rows, Index cols) {
    Matrix out(rows, cols);
    for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
    return out;
  };
  HeadView head;
  head.activations = normal(s.n * kPositions, kWidth);
  head.positions = kPositions;
  head.pooling = Pooling::kMean;
  head.weight = normal(s.k, kWidth);
  head.bias = Vector::Zero(s.k);
  Explanation explanation;
  explanation.cavs = normal(2 * s.k, kWidth);
  explanation.importance = Vector::Ones(2 * s.k);
  for (Index c = 0; c <= s.k; ++c) explanation.offset.push_back(2 * c);
  const HeadCalls above{.outputs = [&](const MatrixRef& x) -> Matrix {
                          Matrix pooled(x.rows() / kPositions, kWidth);
                          for (Index i = 0; i < pooled.rows(); ++i)
                            pooled.row(i) =
                                x.middleRows(i * kPositions, kPositions).colwise().mean();
                          return pooled * head.weight.transpose();
                        },
                        .vjp = [&](const MatrixRef& x, const MatrixRef& u) -> Matrix {
                          const Matrix rows = u * head.weight / static_cast<double>(kPositions);
                          Matrix out(x.rows(), kWidth);
                          for (Index i = 0; i < out.rows(); ++i)
                            out.row(i) = rows.row(i / kPositions);
                          return out;
                        }};
  const ExplainedHead of(head, explanation);
  const Matrix expected = surf_surrogate(of);
  return cost(
      [&] {
        const SurfClaim claim(of);
        return std::pair(surf_through_surrogate(claim, above), surf_local_surrogate(claim, above));
      },
      [&](const std::pair<Matrix, Matrix>& found) {
        return found.first.isApprox(expected, 1e-10) && found.second.isApprox(expected, 1e-10);
      });
}

/// What k outputs read in 64 features, and the explanation of it that says no more and no less.
struct Perfect {
  HeadView head;
  Explanation explanation;

  Perfect(const Matrix& activations, const Matrix& weight) {
    head.activations = activations;
    head.weight = explanation.cavs = weight;
    head.bias = Vector::Zero(weight.rows());
    explanation.importance = Vector::Ones(weight.rows());
    for (Index c = 0; c <= weight.rows(); ++c) explanation.offset.push_back(c);
  }
};

Matrix normal_matrix(Normal& random, Index rows, Index cols) {
  Matrix out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  return out;
}

/// No move that changes no logit changes it.
Cost attacks(const Sizes& s) {
  Normal random{Seed(5)};
  const Matrix activations = normal_matrix(random, s.n, 64);
  const Perfect perfect(activations, normal_matrix(random, s.k, 64));
  const ExplainedHead of(perfect.head, perfect.explanation);
  AttackOptions options;
  options.samples = s.n;
  return cost([&] { return attack_concept(of, 1, options); },
              [&](const Result& found) {
                return found.value < 1e-10 && static_cast<Index>(found.parts.size()) == s.n;
              });
}

/// Of what a linear network makes of 8 x 8 pixels: what is said of a sample is its logit, which may
/// move as far as noise moves it, or less where another class is near.
Cost input_attacks(const Sizes& s) {
  Normal random{Seed(6)};
  const Matrix pixels = normal_matrix(random, s.n, 64), network = normal_matrix(random, 64, 64);
  ImageView images;
  images.pixels = pixels;
  images.height = images.width = 8;
  images.channels = 1;
  images.mean = Vector::Zero(1);
  images.forward = [&network](const MatrixRef& x) -> Matrix { return x * network.transpose(); };
  images.forward_gradient = [&network](const MatrixRef&, const MatrixRef& u) -> Matrix {
    return u * network;
  };
  const Perfect perfect(images.forward(pixels), normal_matrix(random, s.k, 64));
  const ExplainedHead of(perfect.head, perfect.explanation);
  InputAttackOptions options;
  options.samples = s.n;
  return cost([&] { return attack_input_concept(of, images, 1, options); },
              [&](const Result& found) {
                return found.value > 0.5 && found.value < 1.0 + 1e-9 &&
                       static_cast<Index>(found.parts.size()) == s.n;
              });
}

// ---- purity

struct Pure {
  Matrix scores, concepts;
};

/// Independent concepts; each score lies in [0.95, 1) or [0, 0.05).
Pure pure(const Sizes& s) {
  Random random(1);
  Pure out{Matrix(s.n, s.k), Matrix(s.n, s.k)};
  for (Index i = 0; i < s.n; ++i)
    for (Index j = 0; j < s.k; ++j) {
      out.concepts(i, j) = random.uniform() < 0.5 ? 1.0 : 0.0;
      out.scores(i, j) = 0.95 * out.concepts(i, j) + random.uniform(0.0, 0.05);
    }
  return out;
}

/// What is left of the impurity is the noise of k^2 AUCs.
Cost ois_pairwise(const Sizes& s) {
  const Pure data = pure(s);
  return cost(
      [&] {
        return ois(purity_matrix(data.scores, 1, data.concepts), oracle_matrix(data.concepts),
                   false);
      },
      [](double score) { return score > 0.0 && score < 0.4; });
}

/// One helper network for each representation, of 50 epochs.
Cost ois_joint(const Sizes& s) {
  const Pure data = pure(s);
  PurityOptions options;
  options.joint = true;
  options.epochs = 50;
  options.batch = 2048;
  return cost(
      [&] {
        return ois(purity_matrix(data.scores, 1, data.concepts, options),
                   oracle_matrix(data.concepts, options), false);
      },
      [](double score) { return score > 0.0 && score < 0.4; });
}

/// Chance, which is 0.475, as far as masking with 0 goes.
Cost nis_three_ways(const Sizes& s) {
  const Pure data = pure(s);
  return cost([&] { return nis(data.scores, 1, data.concepts); },
              [](const NicheScores& found) { return std::abs(found.masked.score - 0.475) < 0.05; });
}

// ---- disentanglement and robustness

struct Disentangled {
  Matrix codes, factors;
};

/// Factors of five values; code l is factor l with a little of the next one and of noise.
Disentangled disentangled(const Sizes& s, std::uint64_t seed = 1) {
  Random random(seed);
  Disentangled out{Matrix(s.n, s.k), Matrix(s.n, s.k)};
  for (Index i = 0; i < s.n; ++i) {
    for (Index l = 0; l < s.k; ++l) out.factors(i, l) = static_cast<double>(random.below(5));
    for (Index l = 0; l < s.k; ++l)
      out.codes(i, l) = 0.2 * out.factors(i, l) + 0.02 * out.factors(i, (l + 1) % s.k) +
                        random.uniform(-0.1, 0.1);
  }
  return out;
}

struct TrainTest {
  Disentangled train, test;
};

/// Half as many test samples.
TrainTest train_test(const Sizes& s) { return {disentangled(s), disentangled({s.n / 2, s.k}, 2)}; }

/// Whether every column is largest on the diagonal.
bool diagonal(const Matrix& matrix) {
  for (Index j = 0; j < matrix.cols(); ++j) {
    Index largest = 0;
    matrix.col(j).maxCoeff(&largest);
    if (largest != j) return false;
  }
  return true;
}

Cost mig_modularity(const Sizes& s) {
  const Disentangled data = disentangled(s);
  return cost(
      [&] {
        const CodeInformation information = code_information({data.codes, data.factors});
        return std::pair(mig(information).value, modularity(information.mutual_information).value);
      },
      [](const std::pair<double, double>& found) {
        return found.first > 0.5 && found.first < 1.0 && found.second > 0.9;
      });
}

Cost explicitness_linear(const Sizes& s) {
  const TrainTest data = train_test(s);
  return cost(
      [&] {
        return explicitness(
            {data.train.codes, data.train.factors, data.test.codes, data.test.factors});
      },
      [](const Explicitness& found) { return found.value > 0.7 && found.value < 1.0; });
}

Cost sap(const Sizes& s) {
  const TrainTest data = train_test(s);
  return cost(
      [&] {
        return sap_discrete(
            {data.train.codes, data.train.factors, data.test.codes, data.test.factors});
      },
      [](const Sap& found) { return diagonal(found.scores) && found.value > 0.05; });
}

Cost dci_gradient_boosting(const Sizes& s) {
  const TrainTest data = train_test(s);
  return cost(
      [&] {
        return dci_boosting(
            {data.train.codes, data.train.factors, data.test.codes, data.test.factors});
      },
      [&](const DciFit& found) {
        return diagonal(found.importance) && found.informativeness > 0.8 &&
               std::abs(found.importance.sum() - static_cast<double>(s.k)) < 1e-9;
      });
}

/// Leaves of 50 samples: the paper's 500 would leave 1000 samples no split.
Cost dci_random_forest(const Sizes& s) {
  const Disentangled data = disentangled(s);
  DciForestOptions options;
  options.min_leaf = 50;
  const CodesAndFactors sample(data.codes, data.factors);
  return cost([&] { return dci_forest(sample, options); },
              [&](const DciFit& found) {
                return diagonal(found.importance) && found.informativeness > 0.0 &&
                       std::abs(found.importance.sum() - static_cast<double>(s.k)) < 1e-9;
              });
}

/// On two of the five splits.
Cost r4_pairs(const Sizes& s) {
  const Disentangled data = disentangled(s);
  const CodesAndFactors sample(data.codes, data.factors);
  return cost([&] { return r4(sample, r4_splits(s.n, 1, 2)); },
              [](const R4& found) { return diagonal(found.forward) && found.value > 0.8; });
}

/// 15,000 batches of 64 samples, or as many pairs, drawn and scored.
Cost factor_vae(const Sizes& s) {
  const Disentangled data = disentangled(s);
  return cost([&] { return factor_vae_score(data.codes, s.k, factor_vae_draws(data.factors, 1)); },
              [](const FactorVaeScore& found) { return found.value > 0.95; });
}

Cost beta_vae(const Sizes& s) {
  const Disentangled data = disentangled(s);
  return cost([&] { return beta_vae_score(data.codes, s.k, beta_vae_draws(data.factors, 1)); },
              [](const BetaVaeScore& found) { return found.value > 0.9; });
}

/// By cells, each of nearly one sample; the order of the samples does not matter.
Cost irs(const Sizes& s) {
  const Disentangled data = disentangled(s);
  return cost([&] { return irs_matrix(data.codes, data.factors); },
              [&](const IrsMatrix& found) {
                const Matrix codes = data.codes.colwise().reverse();
                const Matrix factors = data.factors.colwise().reverse();
                return diagonal(found.irs) &&
                       (irs_matrix(codes, factors).irs - found.irs).cwiseAbs().maxCoeff() < 1e-10;
              });
}

/// A model that is linear in its concepts, of eight outputs; where all combinations were seen, the
/// effects are its weights.
Cost causal(const Sizes& s) {
  Normal random(Seed(3).child("causal"));
  Matrix concepts(s.n, s.k), weight(s.k, 8);
  for (double& value : concepts.reshaped()) value = random.uniform() < 0.5 ? 0.0 : 1.0;
  for (double& value : weight.reshaped()) value = random.normal();
  const Matrix values = concepts * weight;
  return cost([&] { return causal_effects(values, concepts); },
              [&](const CausalEffects& found) {
                const Matrix back = values.colwise().reverse(),
                             turned = concepts.colwise().reverse();
                return causal_effects(back, turned).effect.isApprox(found.effect, 1e-9) &&
                       (found.coverage < 1.0 - 1e-9 || found.effect.isApprox(weight, 1e-9));
              });
}

// ---- truth

/// n true directions, of which k atoms are the first.
Cost truth_matched(const Sizes& s) {
  Normal random{Seed(7)};
  const Matrix directions = normal_matrix(random, s.n, 128), atoms = directions.topRows(s.k);
  return cost([&] { return truth_matching(atoms, directions); },
              [](const TruthMatching& found) {
                return truth_mcc(found) > 1.0 - 1e-9 && truth_uniqueness(found) == 1.0;
              });
}

/// The true dictionary of k roots with two children each: all that codes are asked. Directions that
/// are not orthogonal write a little of each other, which counts as absorbed.
Cost truth_codes(const Sizes& s) {
  const Truth truth = conoscope::tests::small_world(
      {.roots = s.k, .children = 2, .free = 0, .width = 128, .rows = s.n});
  const Matrix codes = truth.activations.cast<double>(), rows = codes * truth.directions;
  const Matrix concepts = (codes.array() > 0.0).cast<double>().matrix();
  IndexVector features;
  for (Index i = 0; i < codes.cols(); ++i) features.push_back(i);
  struct Found {
    std::vector<Firing> firing;
    AbsorptionExcess excess;
    ParentAbsorption absorbed;
    Result probing;
  };
  return cost(
      [&] {
        return Found{truth_firing(codes, truth.activations, features),
                     absorption_excess(codes, truth.activations, truth.parent, features),
                     absorption_of_parents(rows, codes, truth.directions, truth.activations,
                                           truth.directions, truth.parent, features, 1),
                     sparse_probing(codes, concepts, 1, 1)};
      },
      [&](const Found& found) {
        return std::ranges::all_of(found.firing, [](const Firing& f) { return f.f1() == 1.0; }) &&
               found.excess.excess.isZero(0.0) && found.absorbed.fraction.size() == s.k &&
               (found.absorbed.fraction.array() < 0.2).all() && found.probing.value == 1.0;
      });
}

// ---- growth

struct Measured {
  std::string name;
  Cost (*cost)(const Sizes&);
  Sizes by_n{1000, 8}, by_k{2000, 4};  ///< where N and K start
};

const std::vector<Measured>& measured() {
  static const std::vector<Measured> all = {
      {"ksg_scalars", ksg_scalars},
      {"ksg_vectors", ksg_vectors, {1000, 16}},
      {"ctl_icl", ctl_icl},
      {"leakage_null", leakage_null},
      {"conditional_leakage", conditional},
      {"surf_below", surf_below},
      {"attack_concept", attacks},
      {"attack_input_concept", input_attacks, {100, 8}, {200, 4}},
      {"ois", ois_pairwise},
      {"ois_joint", ois_joint},
      {"nis", nis_three_ways},
      {"mig_modularity", mig_modularity},
      {"explicitness", explicitness_linear},
      {"sap", sap},
      {"dci_boosting", dci_gradient_boosting},
      {"dci_forest", dci_random_forest},
      {"r4", r4_pairs, {1000, 4}, {2000, 2}},
      {"factor_vae", factor_vae},
      {"beta_vae", beta_vae},
      {"irs", irs, {1000, 8}, {2000, 8}},
      {"causal_effects", causal, {1000, 8}, {2000, 16}},
      {"truth_mcc", truth_matched, {1000, 64}, {1000, 32}},
      {"truth_codes", truth_codes},
  };
  return all;
}

double exponent(double first, double last) { return std::log(last / first) / std::log(8.0); }

Cost cost_at(const Measured& metric, const Sizes& sizes) {
  try {
    return metric.cost(sizes);
  } catch (const std::exception& e) {
    throw std::runtime_error("n = " + std::to_string(sizes.n) + ", k = " + std::to_string(sizes.k) +
                             ": " + e.what());
  }
}

/// What each further sample takes. Less than a number, 8 bytes, counts as that: it is no growth.
double bytes_per_sample(const Measured& metric, const Sizes& sizes, double bytes) {
  const Index half = sizes.n / 2;
  const double less = cost_at(metric, {half, sizes.k}).bytes;
  return std::max(8.0, (bytes - less) / static_cast<double>(sizes.n - half));
}

void report_memory(benchmark::State& state, const char* name, double grown, double most) {
  state.counters[name] = grown;
  if (!(grown <= most))
    state.SkipWithError((std::string(name) + " is " + std::to_string(grown)).c_str());
}

void growth(benchmark::State& state, const Measured& metric, Sizes base, Index Sizes::*size) {
  std::array<Cost, kFactors.size()> costs;
  std::array<double, 2> per_sample{};
  for (auto _ : state) {
    try {
      for (std::size_t i = 0; i < costs.size(); ++i) {
        Sizes sizes = base;
        sizes.*size *= kFactors[i];
        costs[i] = cost_at(metric, sizes);
        if (size == &Sizes::k && (i == 0 || i + 1 == costs.size()))
          per_sample[i != 0] = bytes_per_sample(metric, sizes, costs[i].bytes);
      }
    } catch (const std::exception& e) {
      return state.SkipWithError(e.what());
    }
    state.SetIterationTime(costs.back().seconds);
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string times = "_x" + std::to_string(kFactors[i]);
    state.counters["ms" + times] = costs[i].seconds * 1e3;
    state.counters["KiB" + times] = costs[i].bytes / 1024.0;
  }
  state.counters["exponent"] = exponent(costs.front().seconds, costs.back().seconds);
  state.counters["last_doubling"] =
      std::log2(costs.back().seconds / costs[costs.size() - 2].seconds);
  if (size == &Sizes::k) {
    state.counters["bytes_per_sample"] = per_sample[1];
    report_memory(state, "bytes_per_sample_exponent", exponent(per_sample[0], per_sample[1]), 1.0);
  } else {
    const auto n = static_cast<double>(base.n);
    const double n_log_n = exponent(n * std::log(n), 8.0 * n * std::log(8.0 * n));
    report_memory(state, "memory_exponent", exponent(costs.front().bytes, costs.back().bytes),
                  n_log_n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const Measured& metric : measured()) {
    const auto add = [&](const char* axis, Sizes base, Index Sizes::*size) {
      benchmark::RegisterBenchmark(
          ("growth/" + metric.name + "/" + axis).c_str(),
          [&metric, base, size](benchmark::State& state) { growth(state, metric, base, size); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    };
    add("N", metric.by_n, &Sizes::n);
    if (metric.cost != ksg_scalars) add("K", metric.by_k, &Sizes::k);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
