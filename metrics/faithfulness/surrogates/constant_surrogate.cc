// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/constant_surrogate.h"

#include <algorithm>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/logit_row.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"
#include "numerics/softmax.h"

namespace conoscope::metrics {

namespace {

/// Of one probability vector against each row: half the L1 distance.
double mean_emd(const Matrix& probabilities, const Eigen::RowVectorXd& constant) {
  return 0.5 * (probabilities.rowwise() - constant).rowwise().lpNorm<1>().mean();
}

}  // namespace

ConstantSurrogate constant_surrogate(const Logits& model) {
  const Index n = model.samples(), outputs = model.outputs();
  if (outputs < 2) numerics::refuse("constant_surrogate", "one output has no classes");
  const detail::LogitRow row(outputs);
  Vector count = Vector::Zero(outputs);
  for (Index i = 0; i < n; ++i) ++count(row.argmax(model.row(i)));
  Index most = 0;
  const double frequency = count.maxCoeff(&most);

  const Matrix p = numerics::softmax(model.matrix());
  ConstantSurrogate out;
  out.top1 = frequency / static_cast<double>(n);
  out.emd_one_hot = mean_emd(p, Eigen::RowVectorXd::Unit(outputs, most));
  out.emd_mean = mean_emd(p, p.colwise().mean());
  for (Index c = 0; c < outputs; ++c) {
    Vector logits = model.matrix().col(c);
    std::sort(logits.begin(), logits.end());
    const double median = 0.5 * (logits((n - 1) / 2) + logits(n / 2));
    out.mae += (logits.array() - median).abs().mean() / static_cast<double>(outputs);
  }
  return out;
}

namespace {

ConstantSurrogate floors(const Subject& subject) {
  require_softmax(subject);
  return constant_surrogate(subject.once(model_logits_of));
}

}  // namespace

std::vector<Metric> declare::constant_surrogate() {
  const auto floor_of = [](const char* name, const char* question, std::string_view unit,
                           double high, Result (*compute)(const Subject&)) {
    return Metric{.name = name,
                  .group = "constant_surrogate",
                  .question = question,
                  .high = high,
                  .unit = unit,
                  .source = "ours, to read arXiv 2504.10833, Table 3",
                  .needs = {"head_view", "explanation"},
                  .compute = compute};
  };
  return {
      floor_of("constant_top1", "How often does the model predict its most frequent class?", "",
               1.0, [](const Subject& subject) { return Result{subject.once(floors).top1}; }),
      floor_of("constant_emd",
               "How much probability does the best of two constant answers put in the wrong place?",
               "", 1.0,
               [](const Subject& subject) {
                 const ConstantSurrogate& found = subject.once(floors);
                 return Result{std::min(found.emd_one_hot, found.emd_mean)};
               }),
      floor_of("constant_mae", "How far from the model's logits is the best constant answer?",
               "logits", kUnbounded,
               [](const Subject& subject) { return Result{subject.once(floors).mae}; }),
  };
}

}  // namespace conoscope::metrics
