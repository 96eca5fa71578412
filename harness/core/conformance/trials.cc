// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/trials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "conoscope/sdk/random.h"
#include "harness/core/artifacts/view_arrays.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"
#include "harness/core/conformance/derivative_check.h"
#include "harness/core/names.h"

namespace conoscope::core {

using metrics::Index;
using metrics::Matrix;

namespace {

// A trial of a call looks at no more rows than these.
constexpr Index kTrialRows = 32;

// What explainers and metrics are given beside these, worked out by the host.
constexpr std::array<std::string_view, 3> kWorkedOut = {"logits", "predictions", "train_index"};

template <typename T>
T narrowed(double value) {
  if constexpr (std::is_same_v<T, sdk::Half>)
    return sdk::Half(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// The same numbers far apart with NaN between them; with a row index, the rows in reverse order.
template <typename T>
void spread_out(ArrayBag& bag, const sdk::Tensor& tensor, bool indexed) {
  cono_tensor apart = tensor.raw();
  std::int64_t step = 2;
  for (int axis = tensor.dimensions() - 1; axis >= 0; --axis) {
    apart.strides[axis] = step;
    step = step * tensor.shape(axis) + 3;
  }
  const std::string name = tensor.name();
  const std::int64_t rows = tensor.rows(), of_row = tensor.size() / std::max<std::int64_t>(rows, 1);
  // The bag owns the memory under this name; the view with strides then takes its place.
  auto* place = reinterpret_cast<std::int64_t*>(bag.add_empty(name, CONO_I64, {rows}));
  for (std::int64_t row = 0; row < rows; ++row) place[row] = indexed ? rows - 1 - row : row;
  auto* memory = reinterpret_cast<T*>(bag.add_empty(name, sdk::dtype_of<T>(), {step}));
  std::fill_n(memory, step, narrowed<T>(std::numeric_limits<double>::quiet_NaN()));
  tensor.for_each([&](std::int64_t i, double value) {
    std::int64_t offset = place[i / of_row] * apart.strides[0], j = i % of_row;
    for (int axis = tensor.dimensions() - 1; axis >= 1; --axis) {
      offset += j % tensor.shape(axis) * apart.strides[axis];
      j /= tensor.shape(axis);
    }
    memory[offset] = narrowed<T>(value);
  });
  apart.data = memory;
  apart.row_index = indexed ? place : nullptr;
  bag.add(name, apart);
}

template <typename T>
void spoil(ArrayBag& bag, const sdk::Tensor& tensor) {
  if (tensor.size() == 0) return;
  const std::vector<std::int64_t> shape(tensor.raw().shape,
                                        tensor.raw().shape + tensor.dimensions());
  auto* memory = reinterpret_cast<T*>(bag.add_empty(tensor.name(), sdk::dtype_of<T>(), shape));
  tensor.for_each([&](std::int64_t i, double value) { memory[i] = narrowed<T>(value); });
  memory[0] = narrowed<T>(std::numeric_limits<double>::quiet_NaN());
}

template <typename T>
void alter(ArrayBag& bag, const sdk::Tensor& tensor, std::string_view trial, bool indexed) {
  const bool of_samples = tensor.name() != "head_weight";
  if (trial == trial::kStrided)
    spread_out<T>(bag, tensor, indexed && of_samples);
  else if (of_samples)
    spoil<T>(bag, tensor);
}

/// Is the call a function of its rows, each on its own?
template <typename Call>
void check_function(const std::string& name, const Matrix& rows, Call&& call) {
  const Matrix first = call(rows);
  if (call(rows) != first)
    throw OutputFault(name +
                      " gives different results for equal input: two calls with the same "
                      "rows differ");
  // Other rows around may change the order of sums; more than rounding they must not change.
  const Index half = (rows.rows() + 1) / 2;
  const Matrix turned = call(Matrix(rows.topRows(half).colwise().reverse())).colwise().reverse();
  const double scale = std::max(first.cwiseAbs().maxCoeff(), 1e-300);
  if ((turned - first.topRows(half)).cwiseAbs().maxCoeff() > 1e-9 * scale)
    throw OutputFault(name + " of a row depends on the rows around it");
}

void try_explainer(FittedPlugin& explainer, const ArrayBag& left, const ArrayBag& input,
                   bool reconstruct) {
  const Matrix rows = to_matrix(input.get("activations"), 2, kTrialRows);
  const metrics::Explanation explanation = make_explanation(left);
  for (Index output = 0; output < explanation.outputs(); ++output) {
    if (explanation.concepts(output) == 0) continue;
    const auto project = [&](const Matrix& from) -> Matrix {
      return explainer.answers("project") ? explainer.call("project", {from}, output)
                                          : explanation.linear_scores(output, from);
    };
    const std::string place = ", output " + std::to_string(output);
    if (reconstruct)
      check_function("reconstruct()" + place, project(rows), [&](const Matrix& scores) {
        return explainer.call("reconstruct", {scores}, output);
      });
    else
      check_function("project()" + place, rows, project);
  }
}

void try_forward(FittedPlugin& model, const ArrayBag& left, const ArrayBag& dataset,
                 const Reporter& report) {
  if (!contains(model.metadata().offers, "forward"))
    throw OutputFault("it has a forward(), but its metadata do not say offers = [\"forward\"]");
  model.require_forward();
  const auto forward = [&](const Matrix& inputs) { return model.call("forward", {inputs}); };
  const Matrix rows = to_matrix(dataset.get("inputs"), 1, kTrialRows), first = forward(rows);
  if (forward(rows) != first)
    throw OutputFault(
        "forward() gives different results for equal input: two calls with the same inputs differ");
  // Models compute in float32; beyond that, forward() and fit() are the same network.
  const double scale = std::max(first.cwiseAbs().maxCoeff(), 1e-300);
  const Index numbers = first.size() / std::max<Index>(rows.rows(), 1);  // of a sample
  left.get("activations").for_each([&](std::int64_t i, double value) {
    if (i < first.size() && std::abs(first.data()[i] - value) > 1e-4 * scale)
      throw OutputFault("forward() of sample " + std::to_string(i / numbers) +
                        " is not what fit() left as its activations: " +
                        std::to_string(first.data()[i]) + " and " + std::to_string(value));
  });
  if (!model.answers("forward_gradient")) return;
  report.stage("forward_gradient");
  // Beside the inputs: where two pixels are equal, as in a white background, a max pool has no derivative.
  Matrix beside = rows;
  sdk::Random noise(sdk::Seed(1).child("beside"));
  const double near = 0.05 * rows.cwiseAbs().maxCoeff();
  for (Index i = 0; i < beside.size(); ++i) beside.data()[i] += near * noise.normal();
  check_derivative(
      "forward_gradient()", "forward()", beside,
      [&](const Matrix& inputs) {
        const Matrix out = forward(inputs);
        return Matrix(Eigen::Map<const Matrix>(out.data(), inputs.rows(), numbers));
      },
      [&](const Matrix& cotangents) {
        return model.call("forward_gradient", {beside, cotangents});
      });
}

void try_intervention(FittedPlugin& model, const ArrayBag& left) {
  Matrix rows = to_matrix(left.get("concept_scores"), 1, kTrialRows);
  const Index k = left.get("concept_scores").shape(1);
  const auto intervene = [&](const Matrix& from) {
    return model.call("intervene", {from, Matrix::Ones(from.rows(), k)});
  };
  check_function("intervene()", rows, intervene);
  rows.setConstant(rows.maxCoeff());  // an edit that no sample has
  intervene(rows);
}

}  // namespace

void alter_input(ArrayBag& bag, std::string_view trial, bool indexed) {
  if (trial == trial::kStrided || trial == trial::kNan)
    for (const char* name : {"activations", "inputs", "head_weight"}) {
      const auto tensor = bag.find(name);
      if (!tensor) continue;
      if (tensor->dtype() == CONO_F16) alter<sdk::Half>(bag, *tensor, trial, indexed);
      if (tensor->dtype() == CONO_F32) alter<float>(bag, *tensor, trial, indexed);
      if (tensor->dtype() == CONO_F64) alter<double>(bag, *tensor, trial, indexed);
    }
  if (trial == trial::kNoRows)
    for (const std::string& name : bag.names())
      if (is_by_sample(name, Bringer::kDataset) || is_by_sample(name, Bringer::kModel) ||
          contains(kWorkedOut, name)) {
        cono_tensor none = bag.get(name).raw();
        none.shape[0] = 0;
        bag.add(name, none);
      }
}

void try_function(std::string_view trial, FittedPlugin& plugin, const ArrayBag& left,
                  const ArrayBag& input, const Reporter& report) {
  if (!plugin.answers(trial) && !contains(plugin.metadata().offers, trial))
    throw CallFault(CONO_NOT_APPLICABLE,
                    "it has no " + std::string(trial) + "()" +
                        (trial == "project" ? ": the projection is linear" : ""));
  report.stage(std::string(trial));
  if (trial == "project" || trial == "reconstruct")
    try_explainer(plugin, left, input, trial == "reconstruct");
  else if (trial == "forward")
    try_forward(plugin, left, input, report);
  else if (trial == "intervene")
    try_intervention(plugin, left);
  else if (trial == "decode")
    check_function("decode()", to_matrix(left.get("codes"), 1, kTrialRows),
                   [&](const Matrix& codes) { return plugin.call("decode", {codes}); });
  else
    throw std::logic_error("nothing tries " + std::string(trial) + "()");
}

}  // namespace conoscope::core
