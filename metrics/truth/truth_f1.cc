// SPDX-License-Identifier: Apache-2.0
#include "metrics/truth/truth_f1.h"

#include <string>

#include "metrics/truth/learnt_concepts.h"
#include "metrics/truth/truth_matching.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

double quotient(Index part, Index all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

Result mean_over_latents(const Subject& subject, double (Firing::*score)() const) {
  const std::vector<Firing>& firing = subject.once(firing_of);
  Vector each(static_cast<Index>(firing.size()));
  for (Index j = 0; j < each.size(); ++j) each[j] = (firing[static_cast<std::size_t>(j)].*score)();
  return {each.mean(), subject.once(learnt_features).parts(each)};
}

}  // namespace

double Firing::precision() const { return quotient(both, latent); }
double Firing::recall() const { return quotient(both, truth); }
double Firing::f1() const { return quotient(2 * both, latent + truth); }

std::vector<Firing> truth_firing(const MatrixRef& codes, const MatrixRefF& activations,
                                 const IndexVector& truth_of) {
  constexpr const char* kName = "truth_firing";
  numerics::require_filled(kName, "codes", codes);
  numerics::require_filled(kName, "activations", activations);
  if (codes.rows() != activations.rows() || codes.cols() != static_cast<Index>(truth_of.size()))
    numerics::refuse(kName, "codes is " + numerics::shape_of(codes) + ", activations " +
                                numerics::shape_of(activations) + ", and there are features for " +
                                std::to_string(truth_of.size()) + " latents");
  numerics::require_labels(kName, truth_of, codes.cols(), activations.cols());
  std::vector<Firing> out(truth_of.size());
  for (Index i = 0; i < codes.rows(); ++i)
    for (std::size_t j = 0; j < truth_of.size(); ++j) {
      const bool latent = codes(i, static_cast<Index>(j)) > 0.0;
      const bool truth = activations(i, truth_of[j]) > 0.0F;
      out[j].latent += latent;
      out[j].truth += truth;
      out[j].both += latent && truth;
    }
  return out;
}

std::vector<Firing> firing_of(const Subject& subject) {
  return truth_firing(subject.once(learnt_features).codes, subject.truth().activations,
                      subject.once(matching_of).closest);
}

std::vector<Metric> declare::truth_f1() {
  const auto row = [](const char* name, const char* question, double (Firing::*score)() const) {
    return Metric{
        .name = name,
        .group = "truth",
        .question = question,
        .direction = Direction::kHigher,
        .high = 1.0,
        .source = "SynthSAEBench, arXiv 2602.14687",
        .needs = {"head_view", "explanation", "truth"},
        .parts = "code",
        .compute = [score](const Subject& subject) { return mean_over_latents(subject, score); }};
  };
  return {
      row("truth_f1",
          "How well does a latent tell where its feature is active, precision and recall together?",
          &Firing::f1),
      row("truth_precision", "Where a latent fires, how often is its feature active?",
          &Firing::precision),
      row("truth_recall", "Where a feature is active, how often does its latent fire?",
          &Firing::recall)};
}

}  // namespace conoscope::metrics
