// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/explained_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/logit_row.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/summaries/fired_positions.h"
#include "metrics/summaries/shown_items.h"
#include "numerics/softmax.h"

namespace conoscope::metrics {

namespace {

constexpr Index kMostOutputs = 10, kMostConcepts = 6;

struct ShownSample {
  Index sample = 0;
  double choice = kNoNumber;
};

/// How far off a surrogate is, sample by sample, as the measure of SURF for this kind of output says.
Vector errors_of(const Logits& model, const Logits& surrogate, Output output) {
  detail::LogitRow row(model.outputs());
  Vector out(model.samples());
  for (Index i = 0; i < out.size(); ++i)
    out[i] = output == Output::kSoftmax
                 ? row.softmax_total_variation(model.row(i), surrogate.row(i))
             : output == Output::kSigmoid ? row.mean_sigmoid_error(model.row(i), surrogate.row(i))
                                          : row.mean_abs_error(model.row(i), surrogate.row(i));
  return out;
}

/// The output with the largest logit, sample by sample.
IndexVector largest_outputs(const Logits& logits) {
  const detail::LogitRow row(logits.outputs());
  IndexVector out;
  for (Index i = 0; i < logits.samples(); ++i) out.push_back(row.argmax(logits.row(i)));
  return out;
}

struct ShownSamples {
  std::vector<ShownSample> samples;
  std::string caveat;
};

ShownSamples chosen_by_error(const Subject& subject, const Logits& model) {
  const Explanation* const twin_of = subject.views().twin_of;
  const ExplainedHead of(subject.head(), twin_of ? *twin_of : subject.explanation());
  const Vector errors = errors_of(model, surf_surrogate(of), subject.head().output);
  std::vector<IndexVector> members(static_cast<std::size_t>(model.outputs()));
  const IndexVector outputs = largest_outputs(model);
  for (Index i = 0; i < model.samples(); ++i)
    members[static_cast<std::size_t>(outputs[static_cast<std::size_t>(i)])].push_back(i);
  std::erase_if(members, [](const IndexVector& of_output) { return of_output.empty(); });
  ShownSamples out;
  const auto answered = static_cast<Index>(members.size());
  if (answered > kMostOutputs)
    out.caveat = std::to_string(kMostOutputs) + " of " + std::to_string(answered) +
                 " outputs, evenly spaced";
  for (const Index c : evenly(answered, kMostOutputs)) {
    IndexVector& of_output = members[static_cast<std::size_t>(c)];
    std::ranges::stable_sort(of_output, {}, [&errors](Index i) { return errors[i]; });
    const std::size_t middle = (of_output.size() - 1) / 2;
    if (of_output.size() > 1) out.samples.push_back({of_output.front(), 0.0});
    if (of_output.size() != 2) out.samples.push_back({of_output[middle], 1.0});
    if (of_output.size() > 1) out.samples.push_back({of_output.back(), 2.0});
  }
  return out;
}

ShownSamples asked_for(const IndexVector& samples, Index count) {
  ShownSamples out;
  for (const Index i : samples) {
    if (i >= count)
      throw NotApplicable("there is no test sample " + std::to_string(i) +
                          ": the last of them is " + std::to_string(count - 1));
    out.samples.push_back({i, kNoNumber});
  }
  return out;
}

/// psi of one sample for an output: the scores that its importances are multiplied with.
Vector scores_of(const ExplainedHead& of, Index output, Index sample) {
  const HeadView& head = of.head();
  if (!of.flatten()) return of.project(output, of.pooled().row(sample)).row(0);
  const Matrix rows = numerics::rows_of_samples(head.activations, head.positions, {sample});
  return detail::pool_rows(of.project(output, rows), head.positions, head.pooling).row(0);
}

double probability_of(const Logits& logits, Index sample, Index output, Output kind) {
  if (kind == Output::kRegression) return kNoNumber;
  if (kind == Output::kSigmoid) return 1.0 / (1.0 + std::exp(-logits(sample, output)));
  return numerics::softmax(logits.matrix().row(sample))(0, output);
}

void add_sample(SummaryTable& table, const Subject& subject, const Logits& surrogate,
                const ShownSample& shown) {
  const ExplainedHead& of = subject.once(explained_head);
  const Logits& model = subject.once(model_logits_of);
  const Index i = shown.sample;
  const detail::LogitRow row(model.outputs());
  const Index output = row.argmax(model.row(i));
  const Index count = of.explanation()->concepts(output);
  const Vector scores = count > 0 ? scores_of(of, output, i) : Vector();
  const Vector importance = of.explanation().importance(output);
  const Vector contribution = scores.cwiseProduct(importance);
  IndexVector order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index k) { return -std::abs(contribution[k]); });
  const Output kind = subject.head().output;
  const auto add = [&](double concept_id, double score, double weight, double share,
                       const std::vector<double>& positions) {
    table.add({static_cast<double>(i), label_of(subject, i), shown.choice,
               static_cast<double>(output), model(i, output),
               probability_of(model, i, output, kind),
               static_cast<double>(row.argmax(surrogate.row(i))), surrogate(i, output),
               probability_of(surrogate, i, output, kind), of.head().bias[output], concept_id,
               score, weight, share});
    table.add(positions);
  };
  double rest = 0.0;
  for (Index place = 0; place < count; ++place) {
    const Index k = order[static_cast<std::size_t>(place)];
    if (place >= kMostConcepts) {
      rest += contribution[k];
      continue;
    }
    const Matrix fired = fired_positions(of, output, k, i);
    add(static_cast<double>(of.explanation()->first_row(output) + k), scores[k], importance[k],
        contribution[k], packed_positions(fired, fired.size() > 0 ? fired.maxCoeff() : 0.0));
  }
  if (count == 0 || count > kMostConcepts)
    add(kNoNumber, kNoNumber, kNoNumber, rest, packed_positions(Matrix(), 0.0));
}

SummaryTable samples(const Subject& subject, const std::vector<Setting>& settings) {
  const Logits& model = subject.once(model_logits_of);
  const Logits surrogate = surf_surrogate(subject.once(explained_head));
  const IndexVector& asked = settings.at(0).chosen;
  ShownSamples shown =
      asked.empty() ? chosen_by_error(subject, model) : asked_for(asked, model.samples());
  SummaryTable out{{}, std::move(shown.caveat)};
  for (const ShownSample& one : shown.samples) add_sample(out, subject, surrogate, one);
  return out;
}

}  // namespace

Summary declare::explained_samples() {
  Summary out{
      .name = "explained_samples",
      .question = "Of which concepts does the explanation make the answer for a sample?",
      .source = "Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 3; which samples is ours",
      .needs = {"head_view", "explanation"},
      .uses = {"labels"},
      .columns = {"sample", "label", "choice", "output", "logit", "probability", "surrogate_output",
                  "surrogate_logit", "surrogate_probability", "bias", "concept", "score",
                  "importance", "contribution"},
      .settings = {{.name = "sample",
                    .unnamed = "of each output one that is explained well, one typical, one worst",
                    .is_choice = true}},
      .compute_with = samples};
  std::ranges::copy(position_columns(), std::back_inserter(out.columns));
  return out;
}

}  // namespace conoscope::metrics
