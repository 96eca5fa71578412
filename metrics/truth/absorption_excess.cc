// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/absorption_excess.h"

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "metrics/left_out.h"
#include "metrics/truth/learnt_concepts.h"
#include "metrics/truth/truth_matching.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "absorption_excess";

void require_features(const char* argument, const IndexVector& values, Index expected,
                      Index features) {
  if (static_cast<Index>(values.size()) != expected)
    numerics::refuse(kName, std::string(argument) + " has " + std::to_string(values.size()) +
                                " entries, not " + std::to_string(expected));
  for (const Index value : values)
    if (value < -1 || value >= features)
      numerics::refuse(kName, std::string(argument) + " holds " + std::to_string(value) +
                                  "; features are 0 ... " + std::to_string(features - 1));
}

IndexVector places_of(const IndexVector& values, Index value) {
  IndexVector out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == value) out.push_back(static_cast<Index>(i));
  return out;
}

/// How often a parent is active and silent, of rows where a child is active or is not.
struct Counts {
  double active = 0.0, silent = 0.0;
};

}  // namespace

AbsorptionExcess absorption_excess(const MatrixRef& codes, const MatrixRefF& activations,
                                   const IndexVector& parent, const IndexVector& truth_of) {
  numerics::require_filled(kName, "codes", codes);
  numerics::require_filled(kName, "activations", activations);
  if (codes.rows() != activations.rows())
    numerics::refuse(kName, "codes is " + numerics::shape_of(codes) + ", activations " +
                                numerics::shape_of(activations));
  const Index features = activations.cols();
  require_features("parent", parent, features, features);
  require_features("truth_of", truth_of, codes.cols(), features);
  std::set<Index> parents(parent.begin(), parent.end());
  parents.erase(-1);
  AbsorptionExcess out{{parents.begin(), parents.end()},
                       Vector::Constant(static_cast<Index>(parents.size()),
                                        std::numeric_limits<double>::quiet_NaN())};
  for (std::size_t p = 0; p < out.parents.size(); ++p) {
    const IndexVector children = places_of(parent, out.parents[p]),
                      latents = places_of(truth_of, out.parents[p]);
    if (latents.empty()) continue;
    Counts with, without;
    for (Index i = 0; i < codes.rows(); ++i) {
      if (!(activations(i, out.parents[p]) > 0.0F)) continue;
      bool child = false, fires = false;
      for (const Index c : children) child = child || activations(i, c) > 0.0F;
      for (const Index j : latents) fires = fires || codes(i, j) > 0.0;
      Counts& counts = child ? with : without;
      counts.active += 1.0;
      counts.silent += !fires;
    }
    if (with.active > 0.0 && without.active > 0.0)
      out.excess[static_cast<Index>(p)] =
          with.silent / with.active - without.silent / without.active;
  }
  return out;
}

IndexVector features_of_latents(const Subject& subject) {
  const TruthMatching& matching = subject.once(matching_of);
  IndexVector out = matching.closest;
  for (const Match& pair : matching.pairs) out[static_cast<std::size_t>(pair.a)] = pair.b;
  return out;
}

std::vector<Metric> declare::absorption_excess() {
  return {
      {.name = "absorption_excess",
       .group = "truth",
       .question = "How much more often is a feature missed where one of its children is active?",
       .direction = Direction::kLower,
       .low = -1.0,
       .high = 1.0,
       .source = "ours; absorption: Chanin et al., arXiv 2409.14507",
       .needs = {"head_view", "explanation", "truth"},
       .compute = [](const Subject& subject) -> Result {
         const Matrix& codes = subject.once(learnt_features).codes;
         const Truth& truth = subject.truth();
         if (truth.parent.empty()) throw NotApplicable("no feature of this world has children");
         const AbsorptionExcess found = metrics::absorption_excess(
             codes, truth.activations, truth.parent, subject.once(features_of_latents));
         if (found.parents.empty()) throw NotApplicable("no feature of this world has children");
         Result out;
         Index defined = 0;
         for (const double excess : found.excess) {
           out.parts.push_back(excess);
           if (std::isnan(excess)) continue;
           out.value += excess;
           ++defined;
         }
         constexpr const char* kWhy =
             "no latent stands for it, or a child is always or never active with it";
         if (defined == 0)
           throw std::domain_error(std::string("absorption_excess: of every parent ") + kWhy);
         out.value /= static_cast<double>(defined);
         if (defined < found.excess.size())
           out.caveat = left_out(found.excess.size() - defined, "parent", kWhy);
         return out;
       }}};
}

}  // namespace conoscope::metrics
