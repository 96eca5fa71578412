// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/objective.h"

#include <algorithm>

namespace conoscope::models {

Tensor Objective::loss(const Tensor& logits, const Tensor& rows, const LossOptions& options) const {
  const Tensor wanted = answers.index_select(0, rows);
  switch (task) {
    case Task::kClassification:
      return torch::cross_entropy_loss(logits, wanted, {}, at::Reduction::Mean, -100,
                                       options.label_smoothing);
    case Task::kAttributes:
      return torch::binary_cross_entropy_with_logits(logits, wanted);
    case Task::kRegression:
      break;
  }
  const Tensor standardised = (wanted - shift) / unit;
  return options.absolute ? torch::l1_loss(logits, standardised)
                          : torch::mse_loss(logits, standardised);
}

double Objective::score(const Tensor& outputs_of_rows, const Tensor& rows) const {
  const Tensor given = outputs_of_rows.detach().to(torch::kFloat64).contiguous();
  const auto count = [](const Tensor& tensor) { return static_cast<std::size_t>(tensor.numel()); };
  return TaskAnswers::score({given.data_ptr<double>(), count(given)},
                            {rows.data_ptr<std::int64_t>(), count(rows)});
}

void Objective::restore_units(Tensor& weight, Tensor& bias) const {
  if (task != Task::kRegression) return;
  weight = weight * unit.unsqueeze(1);
  bias = bias * unit + shift;
}

Objective read_objective(const sdk::Arrays& dataset, std::int64_t samples, const Tensor& train) {
  Objective objective{read_answers(dataset, samples), {}, {}, {}};
  if (objective.task == Task::kClassification) {
    objective.answers = torch::empty({samples}, torch::kInt64);
    std::ranges::copy(objective.classes, objective.answers.data_ptr<std::int64_t>());
    return objective;
  }
  objective.answers = torch::empty({samples, objective.outputs});
  std::ranges::copy(objective.targets, objective.answers.data_ptr<float>());
  if (objective.task == Task::kRegression) {
    const Spread spread = spread_of(objective.answers.index_select(0, train));
    objective.shift = spread.mean.squeeze(0);
    objective.unit = spread.scale.squeeze(0);
  }
  return objective;
}

}  // namespace conoscope::models
