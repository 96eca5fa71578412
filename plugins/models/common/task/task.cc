// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/task/task.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace conoscope::models {

namespace {

template <typename T>
std::string number_text(T value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

/// Mean over columns of 1 - (sum of squared residuals) / (sum of squares about the mean).
double r2(std::span<const double> given, const std::vector<float>& targets, std::size_t width,
          std::span<const std::int64_t> rows) {
  double sum_over_outputs = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    const auto wanted = [&](std::size_t i) {
      return static_cast<double>(targets[static_cast<std::size_t>(rows[i]) * width + c]);
    };
    double mean = 0.0, residual = 0.0, total = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) mean += wanted(i);
    mean /= static_cast<double>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      residual += std::pow(given[i * width + c] - wanted(i), 2);
      total += std::pow(wanted(i) - mean, 2);
    }
    sum_over_outputs += 1.0 - residual / total;
  }
  return sum_over_outputs / static_cast<double>(width);
}

}  // namespace

const char* TaskAnswers::output() const {
  return task == Task::kClassification ? "softmax"
         : task == Task::kAttributes   ? "sigmoid"
                                       : "regression";
}

const char* TaskAnswers::score_name() const {
  return task == Task::kRegression ? "test_r2" : "test_accuracy";
}

double TaskAnswers::score(std::span<const double> given, std::span<const std::int64_t> rows) const {
  const std::size_t width = given.size() / rows.size();
  if (task == Task::kRegression) return r2(given, targets, width, rows);
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto mine = given.subspan(i * width, width);
    const auto row = static_cast<std::size_t>(rows[i]);
    if (task == Task::kClassification) {
      right += std::ranges::max_element(mine) - mine.begin() == classes[row];
    } else {
      for (std::size_t c = 0; c < width; ++c)
        right += (mine[c] > 0.0) == (targets[row * width + c] > 0.5f);
    }
  }
  const std::size_t questions = task == Task::kClassification ? rows.size() : given.size();
  return static_cast<double>(right) / static_cast<double>(questions);
}

TaskAnswers read_answers(const sdk::Arrays& dataset, std::int64_t samples) {
  TaskAnswers answers;
  const std::string task =
      dataset.text("task", dataset.has("labels") ? "classification" : "regression");
  if (task == "classification") {
    const sdk::Tensor labels = dataset.get("labels");
    check_rows(labels, samples);
    const auto values = labels.values<const std::int64_t>();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < 0)
        throw std::invalid_argument("labels: row " + std::to_string(i) + " is " +
                                    std::to_string(values[i]) + "; classes count from 0");
    const std::int64_t most = *std::ranges::max_element(values);
    if (most < 1)
      throw std::invalid_argument("labels: all " + std::to_string(values.size()) +
                                  " are class 0, expected two classes or more");
    answers.outputs = most + 1;
    answers.classes.assign(values.begin(), values.end());
    return answers;
  }
  if (task != "attributes" && task != "regression")
    throw sdk::NotApplicable("no loss for the task " + task);
  const sdk::Tensor targets = dataset.get("targets");
  check_rows(targets, samples);
  if (targets.dimensions() > 2 || targets.shape(1) == 0)
    throw std::invalid_argument("targets: " + targets.shape_text() + ", expected n x C");
  answers.task = task == "attributes" ? Task::kAttributes : Task::kRegression;
  answers.outputs = targets.shape(1);
  answers.targets.resize(static_cast<std::size_t>(targets.size()));
  copy_finite(targets, answers.targets.data());
  check_fits_float32(targets);
  if (answers.task != Task::kAttributes) return answers;
  for (std::size_t i = 0; i < answers.targets.size(); ++i)
    if (const float value = answers.targets[i]; value != 0 && value != 1)
      throw std::invalid_argument("targets: value " + std::to_string(i) + " (row-major) is " +
                                  number_text(value) + ", attributes must be 0 or 1");
  return answers;
}

std::span<const std::int64_t> row_index(const sdk::Arrays& dataset, const std::string& name,
                                        std::int64_t samples) {
  const auto values = dataset.get(name).values<const std::int64_t>();
  if (values.empty()) throw std::invalid_argument(name + ": no row");
  for (const std::int64_t row : values)
    if (row < 0 || row >= samples)
      throw std::invalid_argument(name + ": row " + std::to_string(row) + " of " +
                                  std::to_string(samples));
  return values;
}

void check_rows(const sdk::Tensor& array, std::int64_t samples) {
  if (array.rows() != samples)
    throw std::invalid_argument(array.name() + ": " + std::to_string(array.rows()) + " rows for " +
                                std::to_string(samples) + " inputs");
}

void check_fits_float32(const sdk::Tensor& array) {
  constexpr double kSteps = 100.0, kRounding = 1e-12;
  const auto dtype = array.dtype();
  if ((dtype != CONO_F64 && dtype != CONO_I32 && dtype != CONO_I64) || array.size() == 0) return;
  const auto columns =
      array.dimensions() > 1 ? static_cast<std::size_t>(array.shape(array.dimensions() - 1)) : 1;
  std::vector<double> least(columns, std::numeric_limits<double>::infinity()),
      most(columns, -std::numeric_limits<double>::infinity());
  array.for_each([&](std::int64_t i, double value) {
    const std::size_t column = static_cast<std::size_t>(i) % columns;
    least[column] = std::min(least[column], value);
    most[column] = std::max(most[column], value);
  });
  for (std::size_t j = 0; j < columns; ++j) {
    const double range = most[j] - least[j];
    const double size = std::max(std::abs(least[j]), std::abs(most[j]));
    const auto held = static_cast<float>(std::min<double>(size, std::numeric_limits<float>::max()));
    const double step = std::nextafter(held, std::numeric_limits<float>::infinity()) - held;
    if (range > kRounding * size && range < kSteps * step)
      throw std::invalid_argument(array.name() + ": column " + std::to_string(j) + " runs from " +
                                  number_text(least[j]) + " to " + number_text(most[j]) +
                                  ", where float32, in which this model holds it, has steps of " +
                                  number_text(step) + "; subtract its mean in the dataset");
  }
}

void report_score(const std::string& model, const std::string& score, double value,
                  const sdk::Context& context, sdk::Sink& out) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f", value);
  context.log(model + ": " + score + " " + text);
  out.text(score, text);
}

void copy_finite(const sdk::Tensor& array, float* to, std::int64_t first_position) {
  array.for_each([&](std::int64_t i, double value) {
    if (!std::isfinite(value))
      throw std::invalid_argument(array.name() + ": value " + std::to_string(first_position + i) +
                                  " (row-major) is not finite");
    to[i] = static_cast<float>(value);
  });
}

}  // namespace conoscope::models
