// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/attacked_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "metrics/faithfulness/attack/attack_input_concept.h"
#include "metrics/summaries/packed_pixels.h"
#include "metrics/summaries/shown_items.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostSamples = 4;
constexpr std::size_t kMostConcepts = 6;

/// concept_t, before_t and after_t, then the sum of all others before and after.
std::vector<double> contributions(const Vector& before, const Vector& after, Index first_concept) {
  IndexVector order(static_cast<std::size_t>(before.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index k) { return -std::abs(after[k] - before[k]); });
  std::vector<double> out;
  double rest_before = 0.0, rest_after = 0.0;
  for (std::size_t place = 0; place < std::max(order.size(), kMostConcepts); ++place) {
    if (place >= order.size()) {
      out.insert(out.end(), 3, kNoNumber);
      continue;
    }
    const Index k = order[place];
    if (place < kMostConcepts) {
      out.insert(out.end(), {static_cast<double>(first_concept + k), before[k], after[k]});
    } else {
      rest_before += before[k];
      rest_after += after[k];
    }
  }
  out.insert(out.end(), {rest_before, rest_after});
  return out;
}

SummaryTable attacked(const Subject& subject) {
  require_pooled_softmax(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const ImageView& images = subject.images();
  const PixelRange range = range_of(images);
  InputAttackOptions options;
  options.samples = kMostSamples;
  const AttackedInputs found =
      attack_inputs(of, images, kMovedContributions, subject.seed(), options);
  SummaryTable out{{}, found.caveat};
  for (std::size_t s = 0; s < found.rows.size(); ++s) {
    const auto row = static_cast<Index>(s);
    const Index output = found.outputs[s];
    const double bias = of.head().bias[output];
    out.add({static_cast<double>(found.rows[s]), label_of(subject, found.rows[s]),
             static_cast<double>(output), found.logits(row, output),
             found.moved_logits(row, output), bias + found.z[s].sum(),
             bias + found.moved_z[s].sum(), bias, found.by_attack[row], found.by_noise[row],
             found.epsilon / (range.high - range.low)});
    out.add(contributions(found.z[s], found.moved_z[s], of.explanation()->first_row(output)));
    out.add(packed_pixels(found.moved_pixels.row(row), images, range));
    out.add(packed_pixels(found.moved_pixels.row(row) - found.pixels.row(row), images,
                          {-found.epsilon, found.epsilon}));
  }
  return out;
}

}  // namespace

Summary declare::attacked_samples() {
  Summary out{.name = "attacked_samples",
              .question =
                  "What does a change of the input that the model does not notice do to a "
                  "sample's explanation?",
              .source = "ours, after Brown and Kvinge, arXiv 2110.07120",
              .needs = {"head_view", "explanation", "inputs", "forward"},
              .uses = {"labels"},
              .columns = {"sample", "label", "output", "logit", "moved_logit", "surrogate_logit",
                          "moved_surrogate_logit", "bias", "change", "by_noise", "epsilon"},
              .compute = attacked,
              .of_metric = "attack_input_concept"};
  for (std::size_t t = 0; t < kMostConcepts; ++t)
    for (const char* name : {"concept_", "before_", "after_"})
      out.columns.push_back(name + std::to_string(t));
  std::ranges::copy(std::vector<std::string>{"rest_before", "rest_after"},
                    std::back_inserter(out.columns));
  for (const char* name : {"moved_pixel", "difference_pixel"})
    std::ranges::copy(pixel_columns(name), std::back_inserter(out.columns));
  return out;
}

}  // namespace conoscope::metrics
