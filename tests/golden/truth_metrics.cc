// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `truth`: measures against a known truth.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "metrics/truth/absorption.h"
#include "metrics/truth/absorption_excess.h"
#include "metrics/truth/sparse_probing.h"
#include "metrics/truth/truth_ev.h"
#include "metrics/truth/truth_f1.h"
#include "metrics/truth/truth_l0.h"
#include "metrics/truth/truth_mcc.h"
#include "metrics/truth/truth_uniqueness.h"
#include "numerics/statistics/moments.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace conoscope::metrics;

constexpr double kUndefined = -999.0;

Outputs matching_case(const Case& one) {
  const Matrix latents = one.input("latents").matrix(), truth = one.input("truth").matrix();
  const TruthMatching found = truth_matching(latents, truth),
                      of_signs = truth_matching_signed(latents, truth);
  const double two_sided = truth_mcc_two_sided(found);
  const auto larger = static_cast<double>(std::max(found.latents(), found.truths()));
  const Vector best = found.similarity.rowwise().maxCoeff();
  std::vector<Match> pairs = found.pairs;
  std::ranges::sort(pairs, {}, &Match::a);
  IndexVector matched_latent, matched_truth;
  for (const Match& pair : pairs) {
    matched_latent.push_back(pair.a);
    matched_truth.push_back(pair.b);
  }
  Outputs out;
  out.scalars = {{"mcc", truth_mcc(found)},
                 {"mcc_latents", two_sided * larger / static_cast<double>(found.latents())},
                 {"mcc_truth", two_sided * larger / static_cast<double>(found.truths())},
                 {"mcc_two_sided", two_sided},
                 {"mcc_signed", truth_mcc(of_signs)},
                 {"mean_best_of_latents", best.mean()},
                 {"mean_best_of_truth", truth_coverage(found)},
                 {"share_recovered_0.8", truth_recovered(found)},
                 {"share_recovered_signed_0.8", truth_recovered(of_signs)},
                 {"uniqueness", truth_uniqueness(found)}};
  out.arrays = {{"best_truth", flat(found.closest)},
                {"best_cos", flat(best)},
                {"matched_latent", flat(matched_latent)},
                {"matched_truth", flat(matched_truth)}};
  return out;
}

/// The measure of two dictionaries, one of which stands for the truth.
Outputs pairwise_case(const Case& one) {
  const Npy dictionaries = one.input("dictionaries");
  const Index count = dictionaries.shape.at(0), rows = dictionaries.shape.at(1);
  const Matrix all = dictionaries.matrix();
  std::vector<double> pairs;
  for (Index a = 0; a < count; ++a)
    for (Index b = a + 1; b < count; ++b)
      pairs.push_back(truth_mcc(
          truth_matching(all.middleRows(a * rows, rows), all.middleRows(b * rows, rows))));
  Outputs out;
  out.scalars = {{"mean", numerics::mean(pairs)}, {"sd", numerics::sample_sd(pairs)}};
  out.arrays = {{"pairs", pairs}};
  return out;
}

Outputs detection_case(const Case& one) {
  const Matrix codes = one.input("codes").matrix();
  const MatrixF activations = one.input("a").matrix().cast<float>();
  const std::vector<Firing> found =
      truth_firing(codes, activations, one.input("truth_of").indices());
  Matrix each(static_cast<Index>(found.size()), 4);
  for (Index j = 0; j < each.rows(); ++j) {
    const Firing& of = found[static_cast<std::size_t>(j)];
    const double wrong = static_cast<double>(of.latent + of.truth - 2 * of.both);
    each.row(j) << of.precision(), of.recall(), of.f1(),
        1.0 - wrong / static_cast<double>(codes.rows());
  }
  const Vector mean = each.colwise().mean();
  Outputs out;
  out.scalars = {
      {"precision", mean[0]}, {"recall", mean[1]}, {"f1", mean[2]}, {"accuracy", mean[3]}};
  out.arrays = {{"each", flat(each)}};
  return out;
}

/// saprmarks/dictionary_learning: of variances, which forgives a constant shift.
double explained_variance_of_centred_residual(const Matrix& x, const Matrix& rebuilt) {
  const Matrix residual = x - rebuilt;
  return 1.0 - (residual.rowwise() - residual.colwise().mean()).squaredNorm() /
                   (x.rowwise() - x.colwise().mean()).squaredNorm();
}

Outputs reconstruction_case(const Case& one) {
  const Matrix x = one.input("x").matrix(), rebuilt = one.input("recon").matrix();
  const Vector rates = firing_rates(one.input("codes").matrix());
  const auto dead = (rates.array() == 0.0).count();
  Outputs out;
  out.scalars = {{"explained_variance", explained_variance(x, rebuilt)},
                 {"explained_variance_of_centred_residual",
                  explained_variance_of_centred_residual(x, rebuilt)},
                 {"mse", (x - rebuilt).squaredNorm() / static_cast<double>(x.rows())},
                 {"l0", rates.sum()},
                 {"dead", dead},
                 {"dead_share", static_cast<double>(dead) / static_cast<double>(rates.size())},
                 {"shrinkage", shrinkage(x, rebuilt)}};
  return out;
}

Outputs absorption_case(const Case& one) {
  const AbsorptionOptions options{.least_cosine = one.params().at("cos_fraction"),
                                  .least_cosine_full = one.params().at("cos_full"),
                                  .least_share = one.params().at("share"),
                                  .most = one.params().at("most")};
  const Absorption found =
      absorption(one.input("x").matrix(), one.input("codes").matrix(), one.input("dec").matrix(),
                 one.input("probe").vector(), one.params().at("main").get<IndexVector>(), options);
  Outputs out;
  out.scalars = {{"fraction", found.fraction.mean()}, {"full", found.full.mean()}};
  out.arrays = {{"fraction_rows", flat(found.fraction)}, {"full_rows", flat(found.full)}};
  return out;
}

Outputs splits_case(const Case& one) {
  const Vector f1 = one.input("f1").vector();
  Outputs out;
  out.scalars = {
      {"count", splits(
                    f1.size(), [&](Index k) { return f1[k - 1]; }, one.params().at("step"))}};
  return out;
}

Outputs absorption_excess_case(const Case& one) {
  const MatrixF activations = one.input("a").matrix().cast<float>();
  const AbsorptionExcess found =
      absorption_excess(one.input("codes").matrix(), activations, one.input("parent").indices(),
                        one.input("truth_of").indices());
  std::vector<double> each, defined;
  for (const double excess : found.excess) {
    each.push_back(std::isnan(excess) ? kUndefined : excess);
    if (!std::isnan(excess)) defined.push_back(excess);
  }
  Outputs out;
  out.scalars = {{"defined", defined.size()}};
  out.scalars["mean"] = defined.empty() ? Json() : Json(numerics::mean(defined));
  out.arrays = {{"feature", flat(found.parents)}, {"excess", each}};
  return out;
}

Outputs sparse_probe_case(const Case& one) {
  const SparseProbe probe =
      sparse_probe(one.input("train").matrix(), one.input("train_labels").indices(),
                   one.params().at("k"), one.params().at("C"));
  const IndexVector said = probe.classify(one.input("test").matrix()),
                    is = one.input("test_labels").indices();
  double right = 0.0;
  for (std::size_t i = 0; i < is.size(); ++i) right += said[i] == is[i];
  Outputs out;
  out.scalars = {{"accuracy", right / static_cast<double>(is.size())}, {"bias", probe.bias}};
  out.arrays = {{"latents", flat(probe.latents)}, {"weight", flat(probe.weight)}};
  return out;
}

/// By what ViSAEBench ranks latents; no measure here does (metrics/truth/sparse_probing.h). Two
/// classes.
Outputs anova_case(const Case& one) {
  const Matrix x = one.input("x").matrix();
  const IndexVector labels = one.input("y").indices();
  std::vector<double> f;
  for (Index j = 0; j < x.cols(); ++j) {
    std::vector<double> all, of_class[2];
    for (Index i = 0; i < x.rows(); ++i) {
      all.push_back(x(i, j));
      of_class[labels[static_cast<std::size_t>(i)]].push_back(x(i, j));
    }
    const double within =
        numerics::squared_deviations(of_class[0]) + numerics::squared_deviations(of_class[1]);
    const double ratio =
        (numerics::squared_deviations(all) - within) / (within / static_cast<double>(x.rows() - 2));
    f.push_back(std::isnan(ratio) ? kUndefined : ratio);
  }
  Outputs out;
  out.arrays = {{"f", f}};
  return out;
}

/// ViSAEBench's criterion of absorption: do two rankings share their first latents?
Outputs jaccard_case(const Case& one) {
  const auto top = [&](const char* name) {
    const std::vector<double> scores = one.input(name).values;
    IndexVector order(scores.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    order.resize(one.params().at("top").get<std::size_t>());
    std::sort(order.begin(), order.end());
    return order;
  };
  const IndexVector a = top("a"), b = top("b");
  IndexVector both, either;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  std::ranges::set_union(a, b, std::back_inserter(either));
  Outputs out;
  out.scalars = {
      {"jaccard", static_cast<double>(both.size()) / static_cast<double>(either.size())}};
  return out;
}

}  // namespace

void register_truth_metrics(Kinds& kinds) {
  kinds.add("truth_matching", matching_case);
  kinds.add("pairwise_mcc", pairwise_case);
  kinds.add("detection", detection_case);
  kinds.add("reconstruction", reconstruction_case);
  kinds.add("absorption", absorption_case);
  kinds.add("splits", splits_case);
  kinds.add("absorption_excess", absorption_excess_case);
  kinds.add("sparse_probe", sparse_probe_case);
  kinds.add("anova_f", anova_case);
  kinds.add("jaccard_top", jaccard_case);
}

}  // namespace conoscope::tests::golden
