#include "plugins/models/torch/objective.h"

#include <algorithm>
#include <stdexcept>

namespace conoscope::models {

Tensor Objective::loss(const Tensor& logits, const Tensor& rows) const {
  const Tensor wanted = answers.index_select(0, rows);
  switch (task) {
    case Task::kClassification:
      return torch::cross_entropy_loss(logits, wanted);
    case Task::kAttributes:
      return torch::binary_cross_entropy_with_logits(logits, wanted);
    case Task::kRegression:
      break;
  }
  return torch::mse_loss(logits, (wanted - shift) / unit);
}

const char* Objective::output() const {
  return task == Task::kClassification ? "softmax"
         : task == Task::kAttributes   ? "sigmoid"
                                       : "regression";
}

const char* Objective::score_name() const {
  return task == Task::kRegression ? "test_r2" : "test_accuracy";
}

double Objective::score(const Tensor& outputs_of_rows, const Tensor& rows) const {
  const Tensor wanted = answers.index_select(0, rows);
  if (task == Task::kClassification)
    return outputs_of_rows.argmax(1).eq(wanted).to(torch::kFloat64).mean().item<double>();
  if (task == Task::kAttributes)
    return outputs_of_rows.gt(0).eq(wanted.gt(0.5)).to(torch::kFloat64).mean().item<double>();
  const Tensor y = wanted.to(torch::kFloat64);
  const Tensor residual = (outputs_of_rows - y).square().sum(0);
  const Tensor total = (y - y.mean(0)).square().sum(0);
  return (1.0 - residual / total).mean().item<double>();
}

void Objective::restore_units(Tensor& weight, Tensor& bias) const {
  if (task != Task::kRegression) return;
  weight = weight * unit.unsqueeze(1);
  bias = bias * unit + shift;
}

Objective read_objective(const sdk::Arrays& dataset, std::int64_t samples, const Tensor& train) {
  Objective objective{};
  const std::string task =
      dataset.text("task", dataset.has("labels") ? "classification" : "regression");
  if (task == "classification") {
    objective.task = Task::kClassification;
    const sdk::Tensor labels = dataset.get("labels");
    check_rows(labels, samples);
    const auto values = labels.values<const std::int64_t>();
    const auto [least, most] = std::ranges::minmax(values);
    if (least < 0) throw std::invalid_argument("labels: class " + std::to_string(least));
    objective.outputs = most + 1;
    if (objective.outputs < 2) throw std::invalid_argument("labels: only one class");
    objective.answers = torch::empty({samples}, torch::kInt64);
    std::ranges::copy(values, objective.answers.data_ptr<std::int64_t>());
    return objective;
  }
  if (task != "attributes" && task != "regression")
    throw sdk::NotApplicable("no loss for the task " + task);
  const sdk::Tensor targets = dataset.get("targets");
  check_rows(targets, samples);
  objective.task = task == "attributes" ? Task::kAttributes : Task::kRegression;
  objective.outputs = targets.shape(1);
  objective.answers = to_torch(targets).reshape({samples, objective.outputs});
  if (objective.task == Task::kAttributes &&
      !(objective.answers.eq(0) | objective.answers.eq(1)).all().item<bool>())
    throw std::invalid_argument("targets: attributes must be 0 or 1");
  if (objective.task == Task::kRegression) {
    const Tensor known = objective.answers.index_select(0, train).to(torch::kFloat64);
    const Tensor spread = known.std(0, /*unbiased=*/false);
    objective.shift = known.mean(0).to(torch::kFloat32);
    objective.unit = torch::where(spread > 0, spread, torch::ones_like(spread)).to(torch::kFloat32);
  }
  return objective;
}

}  // namespace conoscope::models
