// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/interventional_effect.h"

#include <algorithm>
#include <numeric>

#include "metrics/factors/latent_factors.h"
#include "metrics/robustness/interventional_effects.h"
#include "metrics/robustness/irs_matrix.h"
#include "metrics/summaries/shown_items.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostLatents = 6, kMostHeld = 5, kMostValues = 16;

void add_curve(const LatentEffects& of, SummaryTable& out) {
  for (const Index v : evenly(static_cast<Index>(of.curve.values.size()), kMostValues))
    out.add({static_cast<double>(of.latent), static_cast<double>(of.parent),
             static_cast<double>(of.parent), kNoNumber,
             of.curve.values[static_cast<std::size_t>(v)], of.curve.mean[v],
             of.curve.standard_deviation[v]});
}

void add_lines(const LatentEffects& of, const EffectLines& lines, SummaryTable& out) {
  for (const Index a : evenly(static_cast<Index>(of.curve.values.size()), kMostHeld))
    for (const Index b : evenly(static_cast<Index>(lines.values.size()), kMostValues))
      if (lines.samples(a, b) > 0.0)
        out.add({static_cast<double>(of.latent), static_cast<double>(of.parent),
                 static_cast<double>(lines.factor), of.curve.values[static_cast<std::size_t>(a)],
                 lines.values[static_cast<std::size_t>(b)], lines.given_parent(a, b), kNoNumber});
}

SummaryTable effects(const Subject& subject) {
  const LatentFactors& of = subject.once(latent_factors);
  if (of.factors.cols() < 2) throw NotApplicable("needs at least two factors that vary");
  const IrsMatrix irs = irs_matrix(of.codes, of.binned);
  IndexVector parents(static_cast<std::size_t>(of.codes.cols()), -1);
  for (const Index l : moving_latents(irs.normaliser))
    parents[static_cast<std::size_t>(l)] = irs.parent[static_cast<std::size_t>(l)];
  SummaryTable out{{}, of.caveat};
  for (const LatentEffects& latent : interventional_effects(of.codes, of.binned, parents)) {
    add_curve(latent, out);
    for (const EffectLines& lines : latent.lines) add_lines(latent, lines, out);
  }
  return out;
}

}  // namespace

IndexVector moving_latents(const Vector& normaliser) {
  IndexVector out(static_cast<std::size_t>(normaliser.size()));
  std::iota(out.begin(), out.end(), Index{0});
  std::erase_if(out, [&](Index l) { return !(normaliser[l] > 0.0); });
  std::stable_sort(out.begin(), out.end(),
                   [&](Index a, Index b) { return normaliser[a] > normaliser[b]; });
  out.resize(std::min(out.size(), static_cast<std::size_t>(kMostLatents)));
  std::sort(out.begin(), out.end());
  return out;
}

Summary declare::interventional_effect() {
  return {.name = "interventional_effect",
          .question =
              "How does a latent change as its own factor changes, and as the others change while "
              "its own is held?",
          .source = "Suter et al., ICML 2019, Figs. 4 and 13 to 17",
          .needs = {"latent_view", "factors"},
          .columns = {"latent", "parent", "factor", "held", "value", "mean", "deviation"},
          .compute = effects};
}

}  // namespace conoscope::metrics
