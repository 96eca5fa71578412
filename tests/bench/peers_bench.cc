// SPDX-License-Identifier: Apache-2.0
// Our side of tests/bench/peers/peers.py, which makes the arrays, runs the reference in turn with
// this program and compares. Every benchmark says in `objective` how good its result is.
//
//   bench_peers --data=FOLDER [--benchmark_filter=...]
//   bench_peers --level          what it is compiled for

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include "datasets/formats/npy.h"
#include "metrics/information/mi_ksg.h"
#include "metrics/information/mi_ross.h"
#include "numerics/gradient_boosting.h"
#include "numerics/kmeans.h"
#include "numerics/kmeans_seeding.h"
#include "numerics/linear_svm.h"
#include "numerics/logistic_regression.h"
#include "numerics/nmf.h"
#include "numerics/nnls.h"
#include "numerics/self_representation.h"
#include "numerics/svd.h"
#include "plugins/explainers/c_shap/concept_shap.h"
#include "plugins/explainers/sparse_autoencoders/archetypal.h"
#include "plugins/explainers/sparse_autoencoders/gated.h"
#include "plugins/explainers/sparse_autoencoders/jumprelu.h"
#include "plugins/explainers/sparse_autoencoders/pursuit.h"
#include "plugins/explainers/sparse_autoencoders/relu.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"
#include "plugins/explainers/sparse_autoencoders/trainer.h"
#include "plugins/explainers/topk_sae/sae.h"

namespace {

using namespace conoscope::numerics;
namespace methods = conoscope::methods;

std::string folder;

template <typename T>
RowMajor<T> read(const std::string& name) {
  const auto array = conoscope::formats::read_npy(folder + "/" + name + ".npy");
  RowMajor<T> out(array.extent(0), array.extent(1));
  conoscope::formats::copy_to<T>(array, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

IndexVector read_labels(const std::string& name) {
  const auto array = conoscope::formats::read_npy(folder + "/" + name + ".npy");
  IndexVector out;
  for (const std::int64_t label : conoscope::formats::to_vector<std::int64_t>(array))
    out.push_back(label);
  return out;
}

const MatrixF& activations() {
  static const MatrixF x = read<float>("x");
  return x;
}

/// As the explainers have them that decompose.
const Matrix& in_double() {
  static const Matrix x = activations().cast<double>();
  return x;
}

void objective(benchmark::State& state, double value) { state.counters["objective"] = value; }

/// X C^T, computed in T.
template <typename T>
void multiply(benchmark::State& state, const RowMajor<T>& x, const RowMajor<T>& parts) {
  RowMajor<T> out(x.rows(), parts.rows());
  for (auto _ : state) {
    out.noalias() = x * parts.transpose();
    benchmark::ClobberMemory();
  }
  objective(state, std::sqrt(out.template cast<double>().squaredNorm()));
}

void product(benchmark::State& state) {
  multiply<float>(state, activations(), read<float>("centres"));
}

void product_of(benchmark::State& state, const char* x, const char* parts) {
  multiply<float>(state, read<float>(x), read<float>(parts));
}

void product_of_double(benchmark::State& state, const char* x, const char* parts) {
  multiply<double>(state, read<float>(x).cast<double>(), read<float>(parts).cast<double>());
}

/// X^T X in double, the half that is needed.
void gram(benchmark::State& state) {
  const Matrix& x = in_double();
  Eigen::MatrixXd out(x.cols(), x.cols());
  for (auto _ : state) {
    out.setZero();
    out.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
    benchmark::ClobberMemory();
  }
  objective(state, out.diagonal().sum());
}

void kmeans(benchmark::State& state) {
  const Matrix init = read<float>("centres").cast<double>();
  const KMeansOptions options{.max_iter = static_cast<int>(state.range(0)), .tol = 0.0};
  const MatrixF& x = activations();
  KMeansResult found;
  for (auto _ : state) found = kmeans_from(x, init, options);
  if (found.iterations != options.max_iter) state.SkipWithError("it stopped early");
  objective(state, found.inertia);
}

/// The summed squared distance of the rows to the nearest of the centres.
double potential(const MatrixF& x, const Matrix& centres) {
  double sum = 0.0;
  for (Index i = 0; i < x.rows(); ++i)
    sum += (centres.rowwise() - x.row(i).cast<double>()).rowwise().squaredNorm().minCoeff();
  return sum;
}

void kmeans_seeding(benchmark::State& state) {
  const Seed seed(static_cast<std::uint64_t>(state.range(0)));
  const MatrixF& x = activations();
  std::vector<Matrix> centres;
  for (auto _ : state) centres = kmeans_starts(x, 25, seed, static_cast<int>(state.range(1)));
  objective(state, potential(x, centres.front()));
}

void nmf(benchmark::State& state, NmfSolver solver) {
  const MatrixF w = read<float>("w"), h = read<float>("h");
  const NmfOptions options{
      .solver = solver, .max_iter = static_cast<int>(state.range(0)), .tol = 0.0};
  const MatrixF& x = activations();
  NmfResult<float> found;
  for (auto _ : state) found = nmf_from(x, w, h, options);
  if (found.iterations != options.max_iter) state.SkipWithError("it stopped early");
  objective(state, found.error);
}

template <typename T>
void svd_of(benchmark::State& state, const RowMajor<T>& x, bool centred) {
  TruncatedSvd found;
  for (auto _ : state) found = truncated_svd(x, 25, centred);
  if (!(found.components * found.components.transpose()).isIdentity(1e-9))
    state.SkipWithError("not orthonormal");
  objective(state, found.singular_values.norm());
}

void svd(benchmark::State& state) { svd_of(state, in_double(), false); }

void pca(benchmark::State& state) { svd_of(state, in_double(), true); }

/// What NMF starts from.
void svd_in_float(benchmark::State& state) { svd_of(state, activations(), false); }

void nonnegative_weights(benchmark::State& state) {
  const Matrix x = activations().topRows(2000).cast<double>(), h = read<float>("h").cast<double>();
  Matrix w;
  for (auto _ : state) w = nnls(x, h);
  objective(state, w.minCoeff() < 0.0 ? -1.0 : (x - w * h).norm());
}

void self_representation(benchmark::State& state) {
  const Matrix x = read<double>("units");
  SelfRepresentation found;
  for (auto _ : state) found = sparse_self_representation(x, {.gamma = 50.0});
  objective(state, found.objective.head(state.range(0)).mean());
}

/// One epoch in the order of the rows; the objective is the mean loss of the last 100 batches.
void sae_epoch(benchmark::State& state, double aux_weight) {
  const MatrixF& x = activations();
  const methods::TopKSae<float> start{read<float>("encoder"), read<float>("bias").col(0),
                                      read<float>("dictionary"), 5};
  constexpr Index kBatch = 256;
  std::vector<double> losses;
  for (auto _ : state) {
    methods::SaeTrainer<float> trainer(start, aux_weight);
    losses.clear();
    for (Index at = 0; at + kBatch <= x.rows(); at += kBatch)
      losses.push_back(trainer.step(x.middleRows(at, kBatch), 2e-3));
  }
  objective(state, std::accumulate(losses.end() - 100, losses.end(), 0.0) / 100.0);
}

using Made = std::unique_ptr<methods::Objective<float>>;

/// The same of a sparse autoencoder of plugins/explainers/sparse_autoencoders: steps of 256 rows,
/// clipped, without a schedule. The objective is the mean loss of the first 30 batches: later on
/// losses of the denser ones swing, and rounding decides on percents.
void sparse_epoch(benchmark::State& state, const std::function<Made()>& make,
                  const methods::Parts<float>& start, const methods::TrainerOptions& options) {
  const MatrixF& x = activations();
  constexpr Index kBatch = 256;
  std::vector<double> losses;
  for (auto _ : state) {
    methods::DictionaryTrainer<float> trainer(make(), start, options);
    losses.clear();
    for (Index at = 0; at + kBatch <= x.rows(); at += kBatch)
      losses.push_back(trainer.step(x.middleRows(at, kBatch), 5e-4).loss);
  }
  objective(state, std::accumulate(losses.begin(), losses.begin() + 30, 0.0) / 30.0);
}

void dictionary_epoch(benchmark::State& state, Made (*objective_of)(Index latents)) {
  using methods::Part;
  methods::Parts<float> start;
  start[Part::kEncoder] = read<float>("encoder");
  start[Part::kAtoms] = read<float>("dictionary").rowwise().normalized();
  const Index latents = start[Part::kAtoms].rows();
  for (const Part part : {Part::kEncoderBias, Part::kThreshold, Part::kGain, Part::kMagnitudeBias})
    start[part].setZero(1, latents);
  start[Part::kDecoderBias].setZero(1, start[Part::kAtoms].cols());
  sparse_epoch(state, [&] { return objective_of(latents); }, start, {});
}

/// Its points are the first rows, one for each atom.
void archetypal_epoch(benchmark::State& state) {
  using methods::Part;
  methods::Parts<float> start;
  start[Part::kEncoder] = read<float>("encoder");
  const Index latents = start[Part::kEncoder].rows();
  const MatrixF points = activations().topRows(latents);
  start[Part::kEncoderBias].setZero(1, latents);
  start[Part::kWeights].setIdentity(latents, latents);
  start[Part::kRelaxation].setZero(latents, points.cols());
  start[Part::kLogScale].setConstant(1, 1, -std::log(points.rowwise().norm().mean()));
  methods::TopKOptions options;
  options.k = 5;
  options.whole_batch = false;
  methods::TrainerOptions trainer;
  trainer.unit_atoms = false;
  const auto make = [&] {
    return std::make_unique<methods::ArchetypalObjective<float>>(points, 1.0, latents, options);
  };
  sparse_epoch(state, make, start, trainer);
}

Made batch_topk(Index latents) {
  methods::TopKOptions options;
  options.k = 5;
  return std::make_unique<methods::TopKObjective<float>>(latents, options);
}

Made matryoshka(Index latents) {
  methods::TopKOptions options;
  options.k = 5;
  options.prefixes = {latents / 16, latents / 4, latents / 2, latents};
  options.prefix_weights.assign(4, 0.25);
  return std::make_unique<methods::TopKObjective<float>>(latents, options);
}

Made jumprelu(Index) {
  return std::make_unique<methods::JumpReluObjective<float>>(methods::JumpReluOptions());
}

Made gated(Index) {
  return std::make_unique<methods::GatedObjective<float>>(
      methods::GatedOptions{.weight = 3.0, .aux_trains_decoder = false});
}

Made relu_l1(Index) {
  return std::make_unique<methods::ReluObjective<float>>(methods::ReluOptions());
}

Made pursuit(Index) {
  return std::make_unique<methods::PursuitObjective<float>>(methods::PursuitOptions());
}

/// KernelSHAP's game over all coalitions; the objective is the mean recall of the first of them.
void coalitions(benchmark::State& state) {
  const MatrixF scores = read<float>("scores"), w1 = read<float>("w1"), w2 = read<float>("w2");
  const methods::FrozenHead<float> head{read<float>("head"), Eigen::VectorXf::Zero(10)};
  const auto bytes = [](const std::string& name) {
    return methods::Coalitions(read<float>(name).cast<std::uint8_t>());
  };
  const methods::Coalitions targets = bytes("targets"), drawn = bytes("coalitions");
  Matrix recall;
  for (auto _ : state)
    recall = methods::coalition_recall(scores, scores.rows() / targets.rows(), w1, w2, head,
                                       targets, drawn);
  objective(state, recall.topRows(state.range(0)).mean());
}

void ksg(benchmark::State& state) {
  const std::string width = std::to_string(state.range(0));
  const Matrix x = read<double>("left_" + width), y = read<double>("right_" + width);
  conoscope::metrics::MiEstimate found;
  for (auto _ : state) found = conoscope::metrics::mi_ksg(x, y);
  objective(state, found.value);
}

void ross(benchmark::State& state) {
  const Matrix x = read<double>("left_1");
  const IndexVector labels = read_labels("labels");
  conoscope::metrics::MiEstimate found;
  for (auto _ : state) found = conoscope::metrics::mi_ross(x, labels);
  objective(state, found.value);
}

void logistic(benchmark::State& state) {
  const Matrix x = read<double>("table");
  const IndexVector labels = read_labels("table_labels");
  LogisticRegression found;
  for (auto _ : state) found = logistic_regression(x, labels, 5);
  const Matrix p = found.probabilities(x);
  double loss = 0.5 * found.weight.squaredNorm();
  for (Index i = 0; i < x.rows(); ++i) loss -= std::log(p(i, labels[static_cast<std::size_t>(i)]));
  objective(state, loss);
}

/// The objective is the mean logarithmic loss on its own training rows.
void boosting(benchmark::State& state) {
  const Matrix x = read<double>("table");
  const IndexVector labels = read_labels("table_labels");
  Matrix p;
  for (auto _ : state)
    p = GradientBoosting::classification(SortedFeatures(x), labels, 5, {.stages = 20})
            .probabilities(x);
  double loss = 0.0;
  for (Index i = 0; i < x.rows(); ++i) loss -= std::log(p(i, labels[static_cast<std::size_t>(i)]));
  objective(state, loss / static_cast<double>(x.rows()));
}

void svm(benchmark::State& state) {
  const Matrix x = read<double>("left_1");
  const IndexVector labels = read_labels("labels");
  LinearSvm found;
  for (auto _ : state) found = linear_svm(x.col(0), labels, 2);
  const double n = static_cast<double>(x.rows());
  const double positives = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double w = found.slope[0], b = found.intercept[0];
  double loss = 0.5 * (w * w + b * b);
  for (Index i = 0; i < x.rows(); ++i) {
    const bool one = labels[static_cast<std::size_t>(i)] == 1;
    const double gap = std::max(0.0, 1.0 - (one ? 1.0 : -1.0) * (w * x(i, 0) + b));
    loss += 0.01 * n / (2.0 * (one ? positives : n - positives)) * gap * gap;
  }
  objective(state, loss);
}

/// What this core can do at this level: multiplications and additions in registers alone. The
/// objective is their number.
template <typename T>
void peak(benchmark::State& state) {
  using Packet = typename Eigen::internal::packet_traits<T>::type;
  constexpr int kSums = 12, kTurns = 1 << 22;  // as many sums as hide the latency
  Packet sums[kSums];
  for (int s = 0; s < kSums; ++s) sums[s] = Eigen::internal::pset1<Packet>(static_cast<T>(s));
  const Packet factor = Eigen::internal::pset1<Packet>(T(0.5)),
               addend = Eigen::internal::pset1<Packet>(T(1));
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn)
      for (Packet& sum : sums) sum = Eigen::internal::pmadd(sum, factor, addend);
    for (Packet& sum : sums) benchmark::DoNotOptimize(sum);
  }
  objective(state, 2.0 * kSums * kTurns * static_cast<double>(sizeof(Packet) / sizeof(T)));
}

BENCHMARK_TEMPLATE(peak, float);
BENCHMARK_TEMPLATE(peak, double);
BENCHMARK(product);
BENCHMARK(gram);
BENCHMARK_CAPTURE(product_of, surf, "surf", "surf_cavs");
BENCHMARK_CAPTURE(product_of, encode, "batch", "encoder");
BENCHMARK_CAPTURE(product_of_double, surf, "surf", "surf_cavs");
BENCHMARK_CAPTURE(product_of_double, subspaces, "batch", "rows");
BENCHMARK(kmeans)->Arg(2)->Arg(12)->Arg(52);
BENCHMARK(kmeans_seeding)->ArgsProduct({benchmark::CreateDenseRange(1, 9, 1), {1, 10}});
BENCHMARK_CAPTURE(nmf, cd, NmfSolver::kCoordinateDescent)->Arg(2)->Arg(12);
BENCHMARK_CAPTURE(nmf, mu, NmfSolver::kMultiplicativeUpdate)->Arg(2)->Arg(12);
BENCHMARK(svd);
BENCHMARK(pca);
BENCHMARK(svd_in_float);
BENCHMARK(nonnegative_weights);
BENCHMARK(self_representation)->Arg(20);
BENCHMARK_CAPTURE(sae_epoch, mse, 0.0);
BENCHMARK_CAPTURE(sae_epoch, aux, 0.1);
BENCHMARK_CAPTURE(dictionary_epoch, batch_topk, batch_topk);
BENCHMARK_CAPTURE(dictionary_epoch, matryoshka, matryoshka);
BENCHMARK_CAPTURE(dictionary_epoch, jumprelu, jumprelu);
BENCHMARK_CAPTURE(dictionary_epoch, gated, gated);
BENCHMARK_CAPTURE(dictionary_epoch, relu_l1, relu_l1);
BENCHMARK_CAPTURE(dictionary_epoch, pursuit, pursuit);
BENCHMARK(archetypal_epoch);
BENCHMARK(coalitions)->Arg(40);
BENCHMARK(ksg)->Arg(1)->Arg(16);
BENCHMARK(ross);
BENCHMARK(logistic);
BENCHMARK(boosting);
BENCHMARK(svm);

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--level") == 0) {
    std::puts(CONOSCOPE_LEVEL);
    return 0;
  }
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--data=", 7) == 0) {
      folder = argv[i] + 7;
      std::rotate(argv + i, argv + i + 1, argv + argc);
      --argc;
      break;
    }
  benchmark::Initialize(&argc, argv);
  if (folder.empty() || benchmark::ReportUnrecognizedArguments(argc, argv)) {
    std::fputs("bench_peers --data=FOLDER [...]: see tests/bench/peers/peers.py\n", stderr);
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
}
