// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_mcc.h"

#include <algorithm>
#include <limits>

#include "metrics/truth/learnt_concepts.h"

namespace conoscope::metrics {

namespace {

using Measure = double (*)(const TruthMatching&);
using Matching = TruthMatching (*)(const Subject&);

double sum_of_pairs(const TruthMatching& matching) {
  double sum = 0.0;
  for (const Match& pair : matching.pairs) sum += pair.similarity;
  return sum;
}

/// Of each latent how similar it is to its partner, if it has one.
std::vector<double> of_latents(const Subject& subject, const TruthMatching& matching) {
  Vector out = Vector::Constant(matching.latents(), std::numeric_limits<double>::quiet_NaN());
  for (const Match& pair : matching.pairs) out[pair.a] = pair.similarity;
  return subject.once(learnt_features).parts(out);
}

std::vector<double> of_truths(const TruthMatching& matching) {
  const Vector best = matching.similarity.colwise().maxCoeff();
  return {best.begin(), best.end()};
}

}  // namespace

double truth_mcc(const TruthMatching& matching) {
  return sum_of_pairs(matching) /
         static_cast<double>(std::min(matching.latents(), matching.truths()));
}

double truth_mcc_two_sided(const TruthMatching& matching) {
  return sum_of_pairs(matching) /
         static_cast<double>(std::max(matching.latents(), matching.truths()));
}

double truth_coverage(const TruthMatching& matching) {
  return matching.similarity.colwise().maxCoeff().mean();
}

double truth_recovered(const TruthMatching& matching) {
  return (matching.similarity.colwise().maxCoeff().array() >= kRecovered).cast<double>().mean();
}

std::vector<Metric> declare::truth_mcc() {
  const auto row = [](const char* name, const char* question, const char* source, Matching matching,
                      Measure measure, bool by_latent) {
    return Metric{
        .name = name,
        .group = "truth",
        .question = question,
        .direction = Direction::kHigher,
        .low = 0.0,
        .high = 1.0,
        .source = source,
        .needs = {"head_view", "explanation", "truth"},
        .parts = by_latent ? "code" : "",
        .compute = [=](const Subject& subject) -> Result {
          const TruthMatching& found = subject.once(matching);
          return {measure(found), by_latent ? of_latents(subject, found) : of_truths(found)};
        }};
  };
  constexpr const char* kPaper = "SynthSAEBench, arXiv 2602.14687";
  constexpr const char* kOurs = "ours, after SynthSAEBench, arXiv 2602.14687";
  Metric of_signs = row("truth_mcc_signed",
                        "How similar are learnt atoms to the true directions that they are matched "
                        "with, where the opposite direction is another concept?",
                        kOurs, signed_matching_of, metrics::truth_mcc, true);
  of_signs.low = -1.0;
  return {
      row("truth_mcc",
          "How similar are learnt atoms to the true directions that they are matched with?", kPaper,
          matching_of, metrics::truth_mcc, true),
      of_signs,
      row("truth_mcc_two_sided",
          "How similar are learnt atoms to the true directions that they are matched with, where "
          "one without a partner counts as 0?",
          kOurs, matching_of, metrics::truth_mcc_two_sided, true),
      row("truth_coverage", "How similar is each true direction to the most similar atom?", kOurs,
          matching_of, metrics::truth_coverage, false),
      row("truth_recovered",
          "What share of the true directions has an atom with a cosine of 0.8 or more, either way "
          "round?",
          kOurs, matching_of, metrics::truth_recovered, false),
      row("truth_recovered_signed",
          "What share of the true directions has an atom with a cosine of 0.8 or more?",
          "arXiv 2602.14111", signed_matching_of, metrics::truth_recovered, false)};
}

}  // namespace conoscope::metrics
