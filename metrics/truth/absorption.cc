// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/absorption.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "metrics/caveat.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/left_out.h"
#include "metrics/truth/absorption_excess.h"
#include "metrics/truth/learnt_concepts.h"
#include "metrics/truth/sparse_probing.h"
#include "metrics/truth/truth_matching.h"
#include "numerics/checks.h"
#include "numerics/logistic_regression.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "absorption";

Vector cosines_with(const MatrixRef& atoms, const VectorRef& probe) {
  return truth_matching_signed(atoms, probe.transpose()).similarity.col(0);
}

void require_fitting(const MatrixRef& rows, const MatrixRef& codes, const MatrixRef& atoms,
                     const VectorRef& probe, const IndexVector& main) {
  numerics::require_filled(kName, "rows", rows);
  numerics::require_filled(kName, "codes", codes);
  numerics::require_filled(kName, "atoms", atoms);
  numerics::require_finite_vector(kName, "probe", probe);
  if (rows.rows() != codes.rows() || codes.cols() != atoms.rows() || atoms.cols() != rows.cols() ||
      probe.size() != rows.cols())
    numerics::refuse(kName, "rows is " + numerics::shape_of(rows) + ", codes " +
                                numerics::shape_of(codes) + ", atoms " + numerics::shape_of(atoms) +
                                ", and the probe has " + std::to_string(probe.size()) + " entries");
  if (probe.isZero(0.0)) numerics::refuse(kName, "the probe is 0");
  if (main.empty()) numerics::refuse(kName, "there is no main latent");
  for (const Index j : main)
    if (j < 0 || j >= codes.cols())
      numerics::refuse(kName,
                       "main latent " + std::to_string(j) + " of " + std::to_string(codes.cols()));
}

}  // namespace

Absorption absorption(const MatrixRef& rows, const MatrixRef& codes, const MatrixRef& atoms,
                      const VectorRef& probe, const IndexVector& main,
                      const AbsorptionOptions& options) {
  require_fitting(rows, codes, atoms, probe, main);
  const Vector cosine = cosines_with(atoms, probe), y = rows * probe.normalized();
  std::vector<bool> is_main(static_cast<std::size_t>(codes.cols()), false);
  for (const Index j : main) is_main[static_cast<std::size_t>(j)] = true;
  Absorption out{Vector::Zero(rows.rows()), Vector::Zero(rows.rows())};
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!(y[i] > 0.0)) continue;
    double own = 0.0;
    bool fires = false;
    std::vector<double> others;
    Index largest = 0;
    for (Index j = 0; j < codes.cols(); ++j) {
      const double projection = codes(i, j) * cosine[j];
      if (is_main[static_cast<std::size_t>(j)]) {
        own += projection;
        fires = fires || codes(i, j) > 0.0;
      } else if (cosine[j] >= options.least_cosine) {
        others.push_back(projection);
      }
      if (projection > codes(i, largest) * cosine[largest]) largest = j;
    }
    out.full[i] = !fires && cosine[largest] >= options.least_cosine_full &&
                  codes(i, largest) * cosine[largest] >= options.least_share * y[i];
    const auto most = std::min(static_cast<std::ptrdiff_t>(options.most), std::ssize(others));
    std::partial_sort(others.begin(), others.begin() + most, others.end(), std::greater<>());
    const double sum = std::accumulate(others.begin(), others.begin() + most, 0.0);
    if (own >= y[i] || sum / y[i] < options.least_share) continue;
    const double taken = std::min(sum, y[i] - own);
    out.fraction[i] = own <= 0.0 ? 1.0 : taken / (taken + own);
  }
  return out;
}

Index splits(Index most, const std::function<double(Index k)>& f1, double step) {
  numerics::require_at_least("splits", "most", most, 1);
  double best = f1(1);
  for (Index k = 2; k <= most; ++k) {
    const double next = f1(k);
    if (!(next > best + step)) return k - 1;
    best = next;
  }
  return most;
}

namespace {

struct Halves {
  IndexVector fit, judge;
};

Halves halves_of(Index samples, std::uint64_t seed) {
  IndexVector order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random random(numerics::Seed(seed).child(kName));
  random.shuffle(order);
  const auto middle = order.begin() + samples / 2;
  return {{order.begin(), middle}, {middle, order.end()}};
}

double f1_of(const IndexVector& said, const IndexVector& is) {
  Index both = 0, either = 0;
  for (std::size_t i = 0; i < is.size(); ++i) {
    both += said[i] == 1 && is[i] == 1;
    either += said[i] + is[i];
  }
  return either == 0 ? 0.0 : 2.0 * static_cast<double>(both) / static_cast<double>(either);
}

/// Rows of one half, for one parent.
struct Half {
  Matrix codes;        ///< of its own latents
  Matrix projections;  ///< <x, p>, r x 1
  IndexVector is;      ///< whether the parent is active

  bool judgeable() const {
    const Index active = std::accumulate(is.begin(), is.end(), Index{0});
    return active >= kLeastProbed && static_cast<Index>(is.size()) - active >= kLeastProbed;
  }
};

}  // namespace

ParentAbsorption absorption_of_parents(const MatrixRef& rows, const MatrixRef& codes,
                                       const MatrixRef& atoms, const MatrixRefF& activations,
                                       const MatrixRef& directions, const IndexVector& parent,
                                       const IndexVector& features, std::uint64_t seed) {
  const Index n = rows.rows(), all = directions.rows();
  if (activations.rows() != n || activations.cols() != all || codes.rows() != n ||
      static_cast<Index>(parent.size()) != all ||
      static_cast<Index>(features.size()) != codes.cols())
    numerics::refuse(
        kName, "rows is " + numerics::shape_of(rows) + ", codes " + numerics::shape_of(codes) +
                   ", activations " + numerics::shape_of(activations) + ", directions " +
                   numerics::shape_of(directions) + ", with " + std::to_string(parent.size()) +
                   " parents and features of " + std::to_string(features.size()) + " latents");
  std::set<Index> parents(parent.begin(), parent.end());
  parents.erase(-1);
  const auto count = static_cast<Index>(parents.size());
  const double kNone = std::numeric_limits<double>::quiet_NaN();
  ParentAbsorption out{.parents = {parents.begin(), parents.end()},
                       .fraction = Vector::Constant(count, kNone),
                       .full = Vector::Constant(count, kNone)};
  const Halves halves = halves_of(n, seed);
  for (Index at = 0; at < count; ++at) {
    const Index p = out.parents[static_cast<std::size_t>(at)];
    if (p < 0 || p >= all)
      numerics::refuse(kName,
                       "parent " + std::to_string(p) + " of " + std::to_string(all) + " features");
    IndexVector own;
    for (std::size_t j = 0; j < features.size(); ++j)
      if (features[j] == p) own.push_back(static_cast<Index>(j));
    if (own.empty()) {
      ++out.no_latent;
      continue;
    }
    const Vector direction = directions.row(p).transpose();
    const Vector projections = rows * direction;
    const auto half_of = [&](const IndexVector& which) {
      Half half{codes(which, own), projections(which), {}};
      for (const Index i : which) half.is.push_back(activations(i, p) > 0.0F);
      return half;
    };
    const Half fit = half_of(halves.fit), judge = half_of(halves.judge);
    if (!fit.judgeable() || !judge.judgeable()) {
      ++out.rare;
      continue;
    }
    const IndexVector said =
        numerics::logistic_regression_newton(fit.projections, fit.is).classify(judge.projections);
    if (!(f1_of(said, judge.is) > kLeastProbeF1)) {
      ++out.not_linear;
      continue;
    }
    const Index main_latents =
        splits(std::min(static_cast<Index>(own.size()), kMostMainLatents), [&](Index k) {
          return f1_of(sparse_probe(fit.codes, fit.is, k).classify(judge.codes), judge.is);
        });
    IndexVector main, positives;
    for (const Index j : sparse_probe(fit.codes, fit.is, main_latents).latents)
      main.push_back(own[static_cast<std::size_t>(j)]);
    for (std::size_t i = 0; i < said.size(); ++i)
      if (said[i] == 1 && judge.is[i] == 1) positives.push_back(halves.judge[i]);
    const Absorption found = absorption(rows(positives, Eigen::all), codes(positives, Eigen::all),
                                        atoms, direction, main);
    out.fraction[at] = found.fraction.mean();
    out.full[at] = found.full.mean();
  }
  return out;
}

namespace {

ParentAbsorption parents_of(const Subject& subject) {
  const LearntConcepts& learnt = subject.once(learnt_features);
  const Truth& truth = subject.truth();
  if (std::all_of(truth.parent.begin(), truth.parent.end(), [](Index p) { return p == -1; }))
    throw NotApplicable("no feature of this world has children");
  return absorption_of_parents(subject.once(explained_head).pooled(), learnt.codes, learnt.atoms,
                               truth.activations, truth.directions, truth.parent,
                               subject.once(features_of_latents), subject.seed());
}

Result mean_over_parents(const ParentAbsorption& found, Vector ParentAbsorption::*measure) {
  Result out;
  Index judged = 0;
  for (const double value : found.*measure) {
    out.parts.push_back(value);
    if (std::isnan(value)) continue;
    out.value += value;
    ++judged;
  }
  const auto note = [&out](Index count, const char* why) {
    if (count > 0) add_note(out.caveat, left_out(count, "parent", why));
  };
  note(found.no_latent, "no latent stands for it");
  note(found.rare, "active, or not, in too few rows");
  note(found.not_linear, "its direction does not tell where it is active");
  if (judged == 0) throw std::domain_error(std::string(kName) + ": " + out.caveat);
  out.value /= static_cast<double>(judged);
  return out;
}

}  // namespace

std::vector<Metric> declare::absorption() {
  const auto row = [](const char* name, const char* question, Vector ParentAbsorption::*measure) {
    return Metric{
        .name = name,
        .group = "truth",
        .question = question,
        .direction = Direction::kLower,
        .high = 1.0,
        .source = "Karvonen et al., SAEBench, arXiv 2503.09532; main latents by the truth",
        .needs = {"head_view", "explanation", "truth"},
        .compute = [measure](const Subject& subject) {
          return mean_over_parents(subject.once(parents_of), measure);
        }};
  };
  return {
      row("absorption",
          "How much of a feature's direction is written by latents of other features, where its "
          "own should?",
          &ParentAbsorption::fraction),
      row("absorption_full",
          "How often is a feature's own latent silent while one of another feature writes its "
          "direction?",
          &ParentAbsorption::full)};
}

}  // namespace conoscope::metrics
