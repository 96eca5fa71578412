#include "harness/core/border/calls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "conoscope/sdk/model.h"
#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"

namespace conoscope::core {

namespace {

using metrics::Index;
using metrics::Matrix;
using metrics::MatrixRef;

std::unique_ptr<HostCalls> with_settings_of(const HostCalls& from) {
  auto host = std::make_unique<HostCalls>();
  host->seed = from.seed;
  host->threads = from.threads;
  host->scratch = from.scratch;
  host->log = from.log;
  host->cancelled = from.cancelled;
  host->before_load = from.before_load;
  return host;
}

cono_tensor tensor_of(const MatrixRef& matrix) {
  cono_tensor out = sdk::make_tensor(const_cast<double*>(matrix.data()), CONO_F64,
                                     std::vector<std::int64_t>{matrix.rows(), matrix.cols()});
  out.strides[0] = matrix.outerStride();
  return out;
}

/// m x (P * D) as m x P x D.
cono_tensor as_cube(cono_tensor rows, const HeadShape& shape) {
  rows.ndim = 3;
  rows.shape[1] = shape.positions;
  rows.shape[2] = shape.width;
  rows.strides[1] = shape.width;
  rows.strides[2] = 1;
  return rows;
}

/// A slot that maps one matrix to another.
template <typename Call>
Matrix map_matrix(const char* name, HostCalls& host, const MatrixRef& in, Index columns,
                  Call&& call) {
  Matrix out = Matrix::Constant(in.rows(), columns, std::numeric_limits<double>::quiet_NaN());
  const cono_tensor from = tensor_of(in);
  cono_tensor to = tensor_of(out);
  call_plugin(host, [&](const cono_host* raw) { return call(&from, raw, &to); });
  if (!out.allFinite()) throw OutputFault(std::string(name) + "() left NaN or infinity");
  return out;
}

}  // namespace

ForwardShape ForwardShape::of(const ArrayBag& dataset, const ArrayBag& model) {
  const sdk::Tensor inputs = dataset.get("inputs"), activations = model.get("activations");
  ForwardShape out;
  for (int axis = 1; axis < inputs.dimensions(); ++axis) out.input.push_back(inputs.shape(axis));
  out.positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
  out.width = activations.shape(activations.dimensions() - 1);
  return out;
}

HeadShape HeadShape::of(const ArrayBag& model) {
  const sdk::Tensor activations = model.get("activations");
  return {activations.dimensions() == 3 ? activations.shape(1) : 1,
          activations.shape(activations.dimensions() - 1), model.get("head_weight").rows()};
}

metrics::HeadCalls linear_head(const ArrayBag& head_view) {
  const auto cube = [](const Matrix& activations, const HeadShape& shape) {
    return sdk::make_tensor(const_cast<double*>(activations.data()), CONO_F64,
                            std::vector<std::int64_t>{activations.rows() / shape.positions,
                                                      shape.positions, shape.width});
  };
  const HeadShape shape = HeadShape::of(head_view);
  const sdk::Arrays view(head_view.raw());
  const sdk::Context nobody(nullptr);
  metrics::HeadCalls calls;
  calls.outputs = [=](const MatrixRef& activations) {
    const Matrix rows = activations;
    Matrix out(rows.rows() / shape.positions, shape.outputs);
    sdk::LinearHead().head(view, sdk::Tensor(cube(rows, shape)), nobody,
                           {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  };
  calls.vjp = [=](const MatrixRef& activations, const MatrixRef& cotangents) {
    const Matrix rows = activations, along = cotangents;
    Matrix out(rows.rows(), rows.cols());
    sdk::LinearHead().vjp(view, sdk::Tensor(cube(rows, shape)), sdk::Tensor(tensor_of(along)),
                          nobody, {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  };
  return calls;
}

Forward::Forward(Function function, ForwardShape shape, Gradient gradient)
    : function_(std::move(function)), shape_(std::move(shape)), gradient_(std::move(gradient)) {}

void Forward::operator()(const cono_tensor& inputs, cono_tensor& activations) const {
  const sdk::Tensor in(inputs, "forward: inputs"), out(activations, "forward: activations");
  bool same = in.dimensions() == static_cast<int>(shape_.input.size()) + 1;
  std::string expected = "m";
  for (std::size_t axis = 0; axis < shape_.input.size(); ++axis) {
    same = same && in.shape(static_cast<int>(axis) + 1) == shape_.input[axis];
    expected += " x " + std::to_string(shape_.input[axis]);
  }
  if (!same)
    throw std::invalid_argument(in.name() + " are " + in.shape_text() + ", expected " + expected);
  if (out.dimensions() != 3 || out.rows() != in.rows() || out.shape(1) != shape_.positions ||
      out.shape(2) != shape_.width)
    throw std::invalid_argument(
        out.name() + " are " + out.shape_text() + ", expected " + std::to_string(in.rows()) +
        " x " + std::to_string(shape_.positions) + " x " + std::to_string(shape_.width));
  const auto values = out.values<double>();
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  if (in.rows() == 0) return;
  if (inputs.row_index == nullptr) {
    function_(inputs, activations);
  } else {  // an explainer hands on what it was given; models are spared the index
    Matrix packed = to_matrix(in, 1);
    cono_tensor rows = sdk::make_tensor(
        packed.data(), CONO_F64, std::span(inputs.shape, static_cast<std::size_t>(inputs.ndim)));
    function_(rows, activations);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw OutputFault("forward() left NaN or infinity at number " + std::to_string(i) + " of " +
                        out.shape_text());
}

Matrix Forward::operator()(const MatrixRef& inputs) const {
  const Matrix packed = inputs;
  Matrix out(packed.rows() * shape_.positions, shape_.width);
  std::vector<std::int64_t> extents = shape_.input;
  extents.insert(extents.begin(), packed.rows());
  const cono_tensor in = sdk::make_tensor(const_cast<double*>(packed.data()), CONO_F64, extents);
  cono_tensor activations =
      sdk::make_tensor(out.data(), CONO_F64,
                       std::vector<std::int64_t>{packed.rows(), shape_.positions, shape_.width});
  (*this)(in, activations);
  return out;
}

Matrix Forward::gradient(const MatrixRef& inputs, const MatrixRef& cotangents) const {
  const Matrix rows = inputs, along = cotangents;
  Matrix out = Matrix::Constant(rows.rows(), rows.cols(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::int64_t> extents = shape_.input;
  extents.insert(extents.begin(), rows.rows());
  const auto tensor = [](const Matrix& matrix, const std::vector<std::int64_t>& shape) {
    return sdk::make_tensor(const_cast<double*>(matrix.data()), CONO_F64, shape);
  };
  cono_tensor gradients = tensor(out, extents);
  gradient_(tensor(rows, extents), tensor(along, {rows.rows(), shape_.positions, shape_.width}),
            gradients);
  if (!out.allFinite()) throw OutputFault("forward_gradient() left NaN or infinity");
  return out;
}

FittedModel::FittedModel(const PluginUse& use, const ArrayBag& artifact, const HostCalls& host,
                         std::optional<std::uint64_t> redraw)
    : artifact_(artifact),
      host_(with_settings_of(host)),
      plugin_(use, *host_),
      forward_(plugin_.plugin.optional_table<cono_forward>(CONO_FORWARD_INTERFACE)),
      forward_gradient_(
          plugin_.plugin.optional_table<cono_forward_gradient>(CONO_FORWARD_GRADIENT_INTERFACE)),
      intervene_(plugin_.plugin.optional_table<cono_intervene>(CONO_INTERVENE_INTERFACE)),
      head_(plugin_.plugin.optional_table<cono_head>(redraw ? CONO_REDRAWN_HEAD_INTERFACE
                                                            : CONO_HEAD_INTERFACE)),
      head_name_(redraw ? "redrawn_head" : "head") {
  if (redraw) host_->seed = *redraw;
}

Forward FittedModel::forward(const ArrayBag& dataset) {
  if (!forward_)
    throw LoadFault(plugin_.metadata.id + ": its metadata offer forward, but it has no " +
                    CONO_FORWARD_INTERFACE);
  Forward::Gradient gradient;
  if (forward_gradient_)
    gradient = [this](const cono_tensor& inputs, const cono_tensor& cotangents,
                      cono_tensor& gradients) {
      call_plugin(*host_, [&](const cono_host* raw) {
        return forward_gradient_->forward_gradient(plugin_.instance.get(), artifact_.raw(), &inputs,
                                                   &cotangents, raw, &gradients);
      });
    };
  return {[this](const cono_tensor& inputs, cono_tensor& activations) {
            call_plugin(*host_, [&](const cono_host* raw) {
              return forward_->forward(plugin_.instance.get(), artifact_.raw(), &inputs, raw,
                                       &activations);
            });
          },
          ForwardShape::of(dataset, artifact_), std::move(gradient)};
}

Matrix FittedModel::intervene(const MatrixRef& concepts) {
  const sdk::Tensor scores = artifact_.get("concept_scores");
  const std::int64_t width = scores.dimensions() == 3 ? scores.shape(2) : 1;
  return map_matrix("intervene", *host_, concepts, artifact_.get("task_outputs").shape(1),
                    [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                      cono_tensor cube = *in;  // n x (k * w) as n x k x w
                      cube.ndim = 3;
                      cube.shape[1] = in->shape[1] / width;
                      cube.shape[2] = width;
                      cube.strides[1] = width;
                      cube.strides[2] = 1;
                      return intervene_->intervene(plugin_.instance.get(), artifact_.raw(), &cube,
                                                   raw, out);
                    });
}

Matrix FittedModel::head(const MatrixRef& activations) {
  const HeadShape shape = HeadShape::of(artifact_);
  return map_matrix(head_name_, *host_, activations, shape.outputs,
                    [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                      const cono_tensor cube = as_cube(*in, shape);
                      return head_->head(plugin_.instance.get(), artifact_.raw(), &cube, raw, out);
                    });
}

Matrix FittedModel::vjp(const MatrixRef& activations_and_cotangents) {
  const HeadShape shape = HeadShape::of(artifact_);
  const Matrix cotangents = activations_and_cotangents.rightCols(shape.outputs);
  return map_matrix("vjp", *host_, activations_and_cotangents.leftCols(shape.size()), shape.size(),
                    [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                      const cono_tensor cube = as_cube(*in, shape), u = tensor_of(cotangents);
                      cono_tensor gradients = as_cube(*out, shape);
                      return head_->vjp(plugin_.instance.get(), artifact_.raw(), &cube, &u, raw,
                                        &gradients);
                    });
}

std::string functions_text(const cono_explainer& table) {
  if (table.project == nullptr) return table.reconstruct == nullptr ? kNoFunctions : "reconstruct";
  return table.reconstruct == nullptr ? "project" : "project,reconstruct";
}

FittedExplainer::FittedExplainer(const PluginUse& use, const ArrayBag& artifact,
                                 const HostCalls& host)
    : artifact_(artifact),
      explanation_(make_explanation(artifact)),
      host_(with_settings_of(host)),
      plugin_(use, *host_) {}

Matrix FittedExplainer::project(Index output, const MatrixRef& rows) {
  if (!answers_project()) return explanation_.linear_scores(output, rows);
  return map_matrix("project", *host_, rows, explanation_.concepts(output),
                    [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                      return plugin_.instance.table().project(
                          plugin_.instance.get(), artifact_.raw(), output, in, raw, out);
                    });
}

Matrix FittedExplainer::reconstruct(Index output, const MatrixRef& scores) {
  return map_matrix("reconstruct", *host_, scores, explanation_.cavs.cols(),
                    [&](const cono_tensor* in, const cono_host* raw, cono_tensor* out) {
                      return plugin_.instance.table().reconstruct(
                          plugin_.instance.get(), artifact_.raw(), output, in, raw, out);
                    });
}

}  // namespace conoscope::core
