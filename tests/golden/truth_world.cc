// SPDX-License-Identifier: Apache-2.0
// The kinds of the folder `truth`: a world whose features are known, and the truth with faults.

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "datasets/superposition/directions.h"
#include "datasets/superposition/head.h"
#include "datasets/superposition/world.h"
#include "plugins/explainers/true_dictionary/faults.h"
#include "tests/golden/kinds.h"

namespace conoscope::tests::golden {

namespace {

using namespace datasets::superposition;
using numerics::Random;

/// A statistical case draws its rows from this stream.
const Seed kStream = Seed(20260214).child("golden");

Outputs zipf_rates_case(const Case& one) {
  const Json& params = one.params();
  Outputs out;
  out.arrays["p"] = flat(
      zipf_rates(params.at("n"), params.at("exponent"), params.at("p_max"), params.at("p_min")));
  return out;
}

Outputs forest_case(const Case& one) {
  const Json& params = one.params();
  const Forest forest =
      grow_forest(params.at("n"), params.at("roots"), params.at("branching"), params.at("depth"));
  Outputs out;
  out.arrays = {{"parent", flat(forest.parent)}, {"level", flat(forest.level)}};
  return out;
}

Outputs compensate_case(const Case& one) {
  const DrawingRates drawn = compensate(one.input("p").vector(), one.input("parent").indices(),
                                        one.params().at("exclusive"));
  Outputs out;
  out.arrays["q"] = flat(drawn.rate);
  out.scalars["clipped"] = drawn.cut;
  return out;
}

Outputs copula_factor_case(const Case& one) {
  Matrix factor = one.input("F").matrix();
  Outputs out;
  out.arrays["diag"] = flat(bound_factor(factor, one.params().at("limit")));
  out.arrays["F"] = flat(factor);
  return out;
}

Outputs fires_case(const Case& one) {
  Outputs out;
  out.arrays["active"] =
      flat(fires(one.input("F").matrix(), one.input("diag").vector(), one.input("q").vector(),
                 one.input("e").matrix(), one.input("eps").matrix()));
  return out;
}

Outputs magnitudes_case(const Case& one) {
  const Fired fired = one.input("active").matrix().cast<std::uint8_t>();
  const Matrix noise = one.input("noise").matrix();
  const Matrix a = magnitudes(fired, one.input("mean").vector(), one.input("sd").vector(),
                              [&noise](Index row, Index i) { return noise(row, i); });
  Outputs out;
  out.arrays["a"] = flat(a);
  out.scalars["fired_but_zero"] = (fired.array() != 0 && a.array() == 0.0).count();
  return out;
}

Outputs gate_case(const Case& one) {
  Matrix a = one.input("a").matrix();
  const Matrix pick = one.input("pick").matrix();
  Outputs out;
  out.scalars["active_before"] = (a.array() > 0.0).count();
  gate(a, {one.input("parent").indices(), one.input("level").indices()}, one.input("mean").vector(),
       {one.params().at("scale_children"), one.params().at("exclusive")},
       [&pick](Index row, Index parent) { return pick(row, parent); });
  out.scalars["active_after"] = (a.array() > 0.0).count();
  out.arrays["a"] = flat(a);
  return out;
}

Outputs orthogonality_case(const Case& one) {
  const Matrix directions = one.input("d").matrix();
  const Orthogonality now = orthogonality(directions);
  Outputs out;
  out.scalars["loss"] = now.loss;
  out.arrays["gradient"] = flat(now.gradient);
  out.arrays["after"] =
      flat(orthogonalised(directions, one.params().at("steps"), one.params().at("lr")));
  return out;
}

Outputs superposition_stats_case(const Case& one) {
  const Superposition stats = superposition_stats(one.input("d").matrix());
  Outputs out;
  out.scalars = {{"mean_max_abs_cos", stats.mean_max}, {"max_abs_cos", stats.max},
                 {"mean_abs_cos", stats.mean},         {"p95_abs_cos", stats.percentile_95},
                 {"p99_abs_cos", stats.percentile_99}, {"ratio", stats.ratio}};
  return out;
}

/// What a case gives of a world; no directions.
World given_world(const Case& one) {
  const Json& params = one.params();
  World world;
  world.factor = one.input("F").matrix();
  world.own = one.input("diag").vector();
  const auto n = static_cast<std::size_t>(world.own.size());
  world.forest = {IndexVector(n, -1), IndexVector(n, -1)};
  if (one.has_input("parent"))
    world.forest = {one.input("parent").indices(), one.input("level").indices()};
  world.gating = {params.value("scale_children", true), params.value("exclusive", true)};
  world.target = one.input(one.has_input("p") ? "p" : "q").vector();
  world.drawn.rate = world.target;
  if (params.value("compensate", false))
    world.drawn = compensate(world.target, world.forest.parent, world.gating.exclusive);
  world.mean = one.has_input("mean") ? one.input("mean").vector() : Vector::Ones(world.own.size());
  world.sd = one.has_input("sd") ? one.input("sd").vector() : Vector::Zero(world.own.size());
  return world;
}

Outputs sample_statistics_case(const Case& one) {
  const World world = given_world(one);
  const Index rows = one.params().at("rows");
  const Matrix a = draw_activations(world, 0, rows, kStream);
  const Vector rate = (a.array() > 0.0).cast<double>().colwise().mean().transpose();
  Index orphans = 0;
  for (Index i = 0; i < a.cols(); ++i)
    if (const Index parent = world.forest.parent[static_cast<std::size_t>(i)]; parent >= 0)
      orphans += (a.col(i).array() > 0.0 && a.col(parent).array() == 0.0).count();
  Outputs out;
  out.arrays["rate"] = flat(rate);
  out.scalars = {{"l0", rate.sum()},
                 {"children_without_parent", orphans},
                 {"rate_sum_over_target", rate.sum() / world.target.sum()}};
  if (!(rate == realised_rates(world, rows, kStream)))
    throw std::runtime_error("rows drawn in blocks differ");
  return out;
}

/// Without spread a feature is its mean where it fires: the firing itself.
Outputs pair_statistics_case(const Case& one) {
  const Matrix a = draw_activations(given_world(one), 0, one.params().at("rows"), kStream);
  const IndexVector pairs = one.input("pairs").indices();
  Outputs out;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const Eigen::ArrayXd first = a.col(pairs[i]).array(), second = a.col(pairs[i + 1]).array();
    const double p = first.mean(), q = second.mean(), both = (first * second).mean();
    out.arrays["joint"].push_back(both);
    out.arrays["phi"].push_back((both - p * q) / std::sqrt(p * (1.0 - p) * q * (1.0 - q)));
  }
  return out;
}

Outputs world_whole_case(const Case& one) {
  const Json& params = one.params();
  if (!params.at("compensate")) throw std::runtime_error("a world without compensation");
  WorldOptions options;
  options.features = params.at("features");
  options.width = params.at("dims");
  options.roots = params.at("roots");
  options.branching = params.at("branching");
  options.depth = params.at("depth");
  options.exponent = params.at("exponent");
  options.rate_max = params.at("p_max");
  options.rate_min = params.at("p_min");
  options.rank = params.at("rank");
  options.scale = params.at("scale");
  options.mean_first = params.at("mean_start");
  options.mean_last = params.at("mean_end");
  options.sd_mean = params.at("sd_mean");
  options.sd_spread = params.at("sd_sd");
  options.bias_norm = params.at("bias_norm");
  options.orthogonal_steps = params.at("orth_steps");
  options.orthogonal_rate = params.at("orth_lr");
  options.gating = {params.at("scale_children"), params.at("exclusive")};
  const int worlds = params.at("worlds");
  const Index first = one.expected().at("most_frequent");
  double l0 = 0.0, l0_first = 0.0, cosine = 0.0, norm = 0.0;
  std::vector<double> ratio;
  for (int w = 0; w < worlds; ++w) {
    const Seed seed = kStream.child(static_cast<std::uint64_t>(w));
    const World world = make_world(options, seed);
    const Vector rates = realised_rates(world, params.at("rows"), seed.child("rows"));
    const auto over_target = rates_over_targets(rates, world);
    ratio.resize(over_target.size());
    for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] += over_target[i] / worlds;
    l0 += rates.sum() / worlds;
    l0_first += rates.head(first).sum() / worlds;
    cosine += largest_cosines(world.directions).mean() / worlds;
    norm += world.bias.norm() / worlds;
  }
  Outputs out;
  out.scalars = {{"l0", l0},
                 {"l0_most_frequent", l0_first},
                 {"most_frequent", first},
                 {"mean_max_abs_cos", cosine},
                 {"bias_norm", norm}};
  out.arrays["rate_over_target"] = ratio;
  return out;
}

Outputs head_case(const Case& one) {
  if (one.params().at("sd_ddof") != 0) throw std::runtime_error("another sd_ddof");
  const Matrix x = one.input("x").matrix(), a = one.input("a").matrix();
  const Matrix directions = one.input("d").matrix(), weights = one.input("weights").matrix();
  const Vector bias = one.input("b").vector();
  const IndexVector given = one.input("sets").indices();
  std::vector<IndexVector> sets;
  for (Index c = 0; c < weights.rows(); ++c) {
    const auto from = given.begin() + c * weights.cols();
    sets.emplace_back(from, from + weights.cols());
  }
  const Matrix scores = class_scores(a, sets, weights);
  const Standard standard = Standard::of(scores);
  const IndexVector labels = largest_of_rows(standard.apply(scores));
  const LinearHead head = fit_head(x, standard.apply(scores), one.params().at("ridge"));
  Matrix logits = x * head.weight.transpose();
  logits.rowwise() += head.bias.transpose();
  const IndexVector predictions = largest_of_rows(logits);
  double right = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == predictions[i];

  // The weights that add up the classes' own directions, which are not the head's.
  Matrix matched = Matrix::Zero(weights.rows(), x.cols());
  for (Index c = 0; c < weights.rows(); ++c)
    for (Index k = 0; k < weights.cols(); ++k)
      matched.row(c) +=
          weights(c, k) / standard.sd[c] *
          directions.row(sets[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)]);

  // x is linear in a: importances times activations, with the bias's, are the logits.
  const Matrix importance = head.weight * directions.transpose();
  Matrix rebuilt = a * importance.transpose();
  rebuilt.rowwise() += (head.weight * bias + head.bias).transpose();
  if ((rebuilt - logits).cwiseAbs().maxCoeff() > 1e-9 ||
      (compose(a, directions, bias) - x).cwiseAbs().maxCoeff() > 1e-9)
    throw std::runtime_error("the true importances do not rebuild the logits");

  Outputs out;
  out.scalars = {{"accuracy", right / static_cast<double>(labels.size())},
                 {"none", (scores.rowwise().maxCoeff().array() == 0.0).cast<double>().mean()}};
  out.arrays = {
      {"scores", flat(scores)},
      {"mean", flat(standard.mean)},
      {"sd", flat(standard.sd)},
      {"labels", flat(labels)},
      {"head_weight", flat(head.weight)},
      {"head_bias", flat(head.bias)},
      {"true_importance", flat(importance)},
      {"matched_weight", flat(matched)},
      {"matched_bias", flat((-standard.mean.cwiseQuotient(standard.sd) - matched * bias).eval())}};
  return out;
}

Outputs fault_angle_case(const Case& one) {
  const Matrix directions = one.input("d").matrix();
  const Matrix atoms = methods::turned(directions, one.input("g").matrix(), one.params().at("phi"));
  Outputs out;
  out.arrays["dec"] = flat(atoms);
  out.scalars["cos"] = (atoms.array() * directions.array()).rowwise().sum().mean();
  return out;
}

Outputs fault_absorbed_case(const Case& one) {
  methods::KnownDictionary dictionary{one.input("a").matrix(), one.input("d").matrix()};
  const IndexVector given = one.input("pairs").indices();
  std::vector<std::pair<Index, Index>> pairs;
  for (std::size_t i = 0; i < given.size(); i += 2) pairs.emplace_back(given[i], given[i + 1]);
  methods::absorb(dictionary, pairs);
  // Of the latents the case keeps the first.
  const Index latents = one.array("codes").shape.back();
  Outputs out;
  out.arrays["codes"] = flat(dictionary.codes.leftCols(latents));
  out.arrays["dec"] = flat(dictionary.atoms.topRows(latents));
  return out;
}

}  // namespace

void register_truth_world(Kinds& kinds) {
  kinds.add("zipf_rates", zipf_rates_case);
  kinds.add("forest", forest_case);
  kinds.add("compensate", compensate_case);
  kinds.add("copula_factor", copula_factor_case);
  kinds.add("fires", fires_case);
  kinds.add("magnitudes", magnitudes_case);
  kinds.add("gate", gate_case);
  kinds.add("orthogonality", orthogonality_case);
  kinds.add("superposition_stats", superposition_stats_case);
  kinds.add("sample_statistics", sample_statistics_case);
  kinds.add("pair_statistics", pair_statistics_case);
  kinds.add("world_whole", world_whole_case);
  kinds.add("head", head_case);
  kinds.add("fault_angle", fault_angle_case);
  kinds.add("fault_absorbed", fault_absorbed_case);
}

}  // namespace conoscope::tests::golden
