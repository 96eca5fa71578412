#include "harness/core/conformance/head_trial.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/calls.h"
#include "harness/core/border/output_check.h"
#include "harness/core/conformance/derivative_check.h"
#include "harness/core/names.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::core {

using metrics::Index;
using metrics::Matrix;

namespace {

constexpr Index kRows = 32;
// Networks compute in float32: head() and fit() may differ by that.
constexpr double kSame = 1e-4;

double largest(const Matrix& values) { return std::max(values.cwiseAbs().maxCoeff(), 1e-300); }

/// throws  OutputFault: the metadata say another thing than the interfaces; CallFault (not
///         applicable): both say no
void check_offer(const FittedModel& model, const std::string& name, const char* interface) {
  const bool offered = contains(model.metadata().offers, name);
  if (!offered && !model.answers_head())
    throw CallFault(CONO_NOT_APPLICABLE, "it has no " + name + "()");
  if (!offered)
    throw OutputFault("it has a " + name + "(), but its metadata do not say offers = [\"" + name +
                      "\"]");
  if (!model.answers_head())
    throw OutputFault("its metadata offer " + name + ", but it has no " + interface);
}

/// Twice the same.
Matrix repeated(FittedModel& model, const std::string& name, const Matrix& activations) {
  const Matrix out = model.head(activations);
  if (model.head(activations) != out)
    throw OutputFault(name + "() gives different results for equal activations");
  return out;
}

/// That vjp(), if there is one, is the derivative.
void check_product(FittedModel& model, const std::string& name, const Matrix& activations) {
  if (!model.answers_vjp()) return;
  check_derivative(
      "vjp()", name + "()", activations, [&](const Matrix& rows) { return model.head(rows); },
      [&](const Matrix& cotangents) {
        Matrix both(activations.rows(), activations.cols() + cotangents.cols());
        both << activations, cotangents;
        return model.vjp(both);
      });
}

/// A sample's numbers in a row.
Matrix first_activations(const ArrayBag& model) {
  return to_matrix(model.get("activations"), 1, kRows);
}

/// What the head view says of these samples.
Matrix first_logits(const ArrayBag& model, const Matrix& activations) {
  return metrics::model_logits(make_head_view(model)).topRows(activations.rows());
}

}  // namespace

void check_head(const PluginUse& use, const HostCalls& host, const ArrayBag& artifact) {
  FittedModel model(use, artifact, host);
  check_offer(model, "head", CONO_HEAD_INTERFACE);
  const Matrix activations = first_activations(artifact);
  const Matrix outputs = repeated(model, "head", activations);
  const Matrix expected = first_logits(artifact, activations);
  const double bound = kSame * largest(expected);
  for (Index i = 0; i < expected.rows(); ++i)
    for (Index c = 0; c < expected.cols(); ++c)
      if (std::abs(outputs(i, c) - expected(i, c)) > bound)
        throw OutputFault(
            "head() of the activations that fit() left is not what the head view says: " +
            std::to_string(outputs(i, c)) + " and " + std::to_string(expected(i, c)) +
            " for output " + std::to_string(c));
  check_product(model, "head", activations);
}

void check_redrawn_head(const PluginUse& use, const HostCalls& host, const ArrayBag& artifact) {
  FittedModel model(use, artifact, host, host.seed);
  check_offer(model, "redrawn_head", CONO_REDRAWN_HEAD_INTERFACE);
  if (!model.answers_vjp())
    throw OutputFault("redrawn_head() has no vjp, which random_model needs");
  const Matrix activations = first_activations(artifact);
  const Matrix outputs = repeated(model, "redrawn_head", activations);
  const Matrix own = first_logits(artifact, activations);
  if ((outputs - own).cwiseAbs().maxCoeff() <= kSame * largest(own))
    throw OutputFault("redrawn_head() answers as the network that was not drawn anew");
  check_product(model, "redrawn_head", activations);
  FittedModel other(use, artifact, host, host.seed + 1);
  if (other.head(activations) == outputs) throw OutputFault("redrawn_head() ignores the seed");
}

}  // namespace conoscope::core
