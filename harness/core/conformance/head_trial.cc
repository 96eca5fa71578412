#include "harness/core/conformance/head_trial.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/core/border/output_check.h"
#include "harness/core/conformance/derivative_check.h"
#include "harness/core/plan/names.h"

namespace conoscope::core {

using metrics::Matrix;

namespace {

constexpr std::int64_t kRows = 32;
// Networks compute in float32: head() and fit() may differ by that.
constexpr double kSame = 1e-4;

/// Numbers with the shape that they cross the border with.
struct Block {
  std::vector<std::int64_t> shape;
  std::vector<double> values;

  explicit Block(std::vector<std::int64_t> extents) : shape(std::move(extents)) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    values.resize(static_cast<std::size_t>(size));
  }
  cono_tensor raw() const {
    return sdk::make_tensor(const_cast<double*>(values.data()), CONO_F64, shape);
  }
};

/// A sample's numbers in a row.
Matrix by_sample(const Block& block) {
  const auto size = static_cast<metrics::Index>(block.values.size());
  return Eigen::Map<const Matrix>(block.values.data(), block.shape[0], size / block.shape[0]);
}

double largest(const std::vector<double>& values) {
  double out = 0.0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

/// What the head view says of the first samples, whose activations are given: its logits, or where
/// the layer is the last one b + W z, z the pooled activations.
Block logits_of(const ArrayBag& model, const Block& activations) {
  if (const auto logits = model.find("logits")) {
    Block out({activations.shape[0], logits->shape(1)});
    logits->row_block(0, activations.shape[0]).copy_to(std::span(out.values));
    return out;
  }
  const auto weight = model.get("head_weight");
  const std::int64_t outputs = weight.rows(), columns = weight.shape(1);
  const std::int64_t size = activations.shape[1] * activations.shape[2];
  const std::string pooling = model.text("pooling", "none");
  const double share = pooling == "mean" ? 1.0 / static_cast<double>(activations.shape[1]) : 1.0;
  Block out({activations.shape[0], outputs});
  model.get("head_bias").for_each([&](std::int64_t c, double b) {
    for (std::int64_t i = 0; i < out.shape[0]; ++i)
      out.values[static_cast<std::size_t>(i * outputs + c)] = b;
  });
  weight.for_each([&](std::int64_t at, double w) {
    const std::int64_t c = at / columns, q = at % columns;
    for (std::int64_t i = 0; i < out.shape[0]; ++i)
      for (std::int64_t j = q; j < size; j += columns)
        out.values[static_cast<std::size_t>(i * outputs + c)] +=
            share * w * activations.values[static_cast<std::size_t>(i * size + j)];
  });
  return out;
}

}  // namespace

void check_head(const LoadedPlugin& plugin, void* instance, HostCalls& host,
                const ArrayBag& model) {
  const bool offered = contains(plugin.metadata().offers, std::string("head"));
  const auto table = plugin.optional_table<cono_head>(CONO_HEAD_INTERFACE);
  if (!offered && !table) throw CallFault(CONO_NOT_APPLICABLE, "it has no head()");
  if (!offered)
    throw OutputFault("it has a head(), but its metadata do not say offers = [\"head\"]");
  if (!table)
    throw OutputFault("its metadata offer head, but it has no " + std::string(CONO_HEAD_INTERFACE));

  const sdk::Tensor all = model.get("activations");
  Block activations({std::min(all.rows(), kRows), all.dimensions() == 3 ? all.shape(1) : 1,
                     all.shape(all.dimensions() - 1)});
  all.row_block(0, activations.shape[0]).copy_to(std::span(activations.values));
  const auto head = [&](const Block& from) {
    Block out({from.shape[0], model.get("head_weight").rows()});
    std::fill(out.values.begin(), out.values.end(), std::nan(""));
    const cono_tensor in = from.raw();
    cono_tensor to = out.raw();
    call_plugin(host, [&](const cono_host* raw) {
      return table->head(instance, model.raw(), &in, raw, &to);
    });
    for (const double value : out.values)
      if (!std::isfinite(value)) throw OutputFault("head() left NaN or infinity");
    return out;
  };
  const Block outputs = head(activations);
  if (head(activations).values != outputs.values)
    throw OutputFault("head() gives different results for equal activations");
  const Block expected = logits_of(model, activations);
  const double scale = std::max(largest(expected.values), 1e-300);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    if (std::abs(outputs.values[i] - expected.values[i]) > kSame * scale)
      throw OutputFault(
          "head() of the activations that fit() left is not what the head view says: " +
          std::to_string(outputs.values[i]) + " and " + std::to_string(expected.values[i]) +
          " for output " + std::to_string(i % static_cast<std::size_t>(outputs.shape[1])));
  if (table->vjp == nullptr) return;

  const auto with_shape = [](const Matrix& rows, const std::vector<std::int64_t>& shape) {
    Block out(shape);
    std::copy_n(rows.data(), rows.size(), out.values.begin());
    return out;
  };
  check_derivative(
      "vjp()", "head()", by_sample(activations),
      [&](const Matrix& rows) { return by_sample(head(with_shape(rows, activations.shape))); },
      [&](const Matrix& cotangents) {
        const Block unit = with_shape(cotangents, outputs.shape);
        Block gradients(activations.shape);
        std::fill(gradients.values.begin(), gradients.values.end(), std::nan(""));
        const cono_tensor at = activations.raw(), along = unit.raw();
        cono_tensor to = gradients.raw();
        call_plugin(host, [&](const cono_host* raw) {
          return table->vjp(instance, model.raw(), &at, &along, raw, &to);
        });
        return by_sample(gradients);
      });
}

}  // namespace conoscope::core
