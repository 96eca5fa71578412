// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/head_trial.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/fitted_plugin.h"
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

/// A head and its product, under the names that they have on the wire.
struct Head {
  Head(const PluginUse& use, const Host& host, const ArrayBag& left, std::string head,
       std::string vjp, const char* interface)
      : name(std::move(head)),
        product(std::move(vjp)),
        plugin(use, Kind::kModel, host, left, Extents::of_arrays(left)) {
    const bool offered = contains(plugin.metadata().offers, name), answers = plugin.answers(name);
    if (!offered && !answers) throw CallFault(CONO_NOT_APPLICABLE, "it has no " + name + "()");
    if (!offered)
      throw OutputFault("it has a " + name + "(), but its metadata do not say offers = [\"" + name +
                        "\"]");
    if (!answers) throw OutputFault("its metadata offer " + name + ", but it has no " + interface);
  }

  Matrix operator()(const Matrix& activations) { return plugin.call(name, {activations}); }

  /// Twice the same.
  Matrix repeated(const Matrix& activations) {
    const Matrix out = (*this)(activations);
    if ((*this)(activations) != out)
      throw OutputFault(name + "() gives different results for equal activations");
    return out;
  }

  /// That the product, if there is one, is the derivative.
  void check_product(const Matrix& activations) {
    if (!plugin.answers(product)) return;
    check_derivative(
        "vjp()", name + "()", activations, [&](const Matrix& rows) { return (*this)(rows); },
        [&](const Matrix& cotangents) {
          const Matrix out = plugin.call(product, {activations, cotangents});
          return Matrix(
              Eigen::Map<const Matrix>(out.data(), activations.rows(), activations.cols()));
        });
  }

  std::string name, product;
  FittedPlugin plugin;
};

/// A sample's numbers in a row.
Matrix first_activations(const ArrayBag& model) {
  return to_matrix(model.get("activations"), 1, kRows);
}

/// What the head view says of these samples.
Matrix first_logits(const ArrayBag& model, const Matrix& activations) {
  return metrics::model_logits(make_head_view(model)).topRows(activations.rows());
}

}  // namespace

void try_head(const PluginUse& use, const Host& host, const ArrayBag& left) {
  Head head(use, host, left, "head", "vjp", CONO_HEAD_INTERFACE);
  const Matrix activations = first_activations(left);
  const Matrix outputs = head.repeated(activations);
  const Matrix expected = first_logits(left, activations);
  const double bound = kSame * largest(expected);
  for (Index i = 0; i < expected.rows(); ++i)
    for (Index c = 0; c < expected.cols(); ++c)
      if (std::abs(outputs(i, c) - expected(i, c)) > bound)
        throw OutputFault(
            "head() of the activations that fit() left is not what the head view says: " +
            std::to_string(outputs(i, c)) + " and " + std::to_string(expected(i, c)) +
            " for output " + std::to_string(c));
  head.check_product(activations);
}

void try_redrawn_head(const PluginUse& use, const Host& host, const ArrayBag& left) {
  const auto drawn = [&](std::uint64_t seed) {
    Host other = host;
    other.seed = seed;
    return Head(use, other, left, "redrawn_head", "redrawn_vjp", CONO_REDRAWN_HEAD_INTERFACE);
  };
  Head head = drawn(host.seed);
  if (!head.plugin.answers("redrawn_vjp"))
    throw OutputFault("redrawn_head() has no vjp, which random_model needs");
  const Matrix activations = first_activations(left);
  const Matrix outputs = head.repeated(activations);
  const Matrix own = first_logits(left, activations);
  if ((outputs - own).cwiseAbs().maxCoeff() <= kSame * largest(own))
    throw OutputFault("redrawn_head() answers as the network that was not drawn anew");
  head.check_product(activations);
  Head other = drawn(host.seed + 1);
  if (other(activations) == outputs) throw OutputFault("redrawn_head() ignores the seed");
}

}  // namespace conoscope::core
