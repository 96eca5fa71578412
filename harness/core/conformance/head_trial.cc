#include "harness/core/conformance/head_trial.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/core/border/output_check.h"
#include "harness/core/conformance/derivative_check.h"
#include "harness/core/names.h"

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

/// head() and vjp() of one table on the activations of the first samples.
class Calls {
 public:
  Calls(const cono_head& table, void* instance, HostCalls& host, const ArrayBag& model,
        const std::string& name)
      : table_(table), instance_(instance), host_(host), model_(model), name_(name) {}

  Block outputs(const Block& activations) const {
    Block out({activations.shape[0], model_.get("head_weight").rows()});
    std::fill(out.values.begin(), out.values.end(), std::nan(""));
    const cono_tensor in = activations.raw();
    cono_tensor to = out.raw();
    call_plugin(host_, [&](const cono_host* raw) {
      return table_.head(instance_, model_.raw(), &in, raw, &to);
    });
    for (const double value : out.values)
      if (!std::isfinite(value)) throw OutputFault(name_ + "() left NaN or infinity");
    return out;
  }

  /// Twice the same.
  Block repeated(const Block& activations) const {
    const Block out = outputs(activations);
    if (outputs(activations).values != out.values)
      throw OutputFault(name_ + "() gives different results for equal activations");
    return out;
  }

  /// That vjp(), if there is one, is the derivative.
  void check_product(const Block& activations) const;

 private:
  const cono_head& table_;
  void* instance_;
  HostCalls& host_;
  const ArrayBag& model_;
  std::string name_;
};

void Calls::check_product(const Block& activations) const {
  if (table_.vjp == nullptr) return;
  const auto with_shape = [](const Matrix& rows, const std::vector<std::int64_t>& shape) {
    Block out(shape);
    std::copy_n(rows.data(), rows.size(), out.values.begin());
    return out;
  };
  check_derivative(
      "vjp()", name_ + "()", by_sample(activations),
      [&](const Matrix& rows) { return by_sample(outputs(with_shape(rows, activations.shape))); },
      [&](const Matrix& cotangents) {
        const Block unit = with_shape(cotangents, {cotangents.rows(), cotangents.cols()});
        Block gradients(activations.shape);
        std::fill(gradients.values.begin(), gradients.values.end(), std::nan(""));
        const cono_tensor at = activations.raw(), along = unit.raw();
        cono_tensor to = gradients.raw();
        call_plugin(host_, [&](const cono_host* raw) {
          return table_.vjp(instance_, model_.raw(), &at, &along, raw, &to);
        });
        return by_sample(gradients);
      });
}

/// The interface, if the plugin has it, which is what its metadata say.
/// throws  OutputFault: they disagree; CallFault (not applicable): both say no
cono_head offered_head(const LoadedPlugin& plugin, const std::string& name, const char* interface) {
  const bool offered = contains(plugin.metadata().offers, name);
  const auto table = plugin.optional_table<cono_head>(interface);
  if (!offered && !table) throw CallFault(CONO_NOT_APPLICABLE, "it has no " + name + "()");
  if (!offered)
    throw OutputFault("it has a " + name + "(), but its metadata do not say offers = [\"" + name +
                      "\"]");
  if (!table) throw OutputFault("its metadata offer " + name + ", but it has no " + interface);
  return *table;
}

Block first_activations(const ArrayBag& model) {
  const sdk::Tensor all = model.get("activations");
  Block activations({std::min(all.rows(), kRows), all.dimensions() == 3 ? all.shape(1) : 1,
                     all.shape(all.dimensions() - 1)});
  all.row_block(0, activations.shape[0]).copy_to(std::span(activations.values));
  return activations;
}

}  // namespace

void check_head(const LoadedPlugin& plugin, void* instance, HostCalls& host,
                const ArrayBag& model) {
  const cono_head table = offered_head(plugin, "head", CONO_HEAD_INTERFACE);
  const Calls calls(table, instance, host, model, "head");
  const Block activations = first_activations(model);
  const Block outputs = calls.repeated(activations);
  const Block expected = logits_of(model, activations);
  const double scale = std::max(largest(expected.values), 1e-300);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    if (std::abs(outputs.values[i] - expected.values[i]) > kSame * scale)
      throw OutputFault(
          "head() of the activations that fit() left is not what the head view says: " +
          std::to_string(outputs.values[i]) + " and " + std::to_string(expected.values[i]) +
          " for output " + std::to_string(i % static_cast<std::size_t>(outputs.shape[1])));
  calls.check_product(activations);
}

void check_redrawn_head(const LoadedPlugin& plugin, void* instance, HostCalls& host,
                        const ArrayBag& model) {
  const cono_head table = offered_head(plugin, "redrawn_head", CONO_REDRAWN_HEAD_INTERFACE);
  if (table.vjp == nullptr)
    throw OutputFault("redrawn_head() has no vjp, which random_model needs");
  const Calls calls(table, instance, host, model, "redrawn_head");
  const Block activations = first_activations(model);
  const std::uint64_t seed = host.seed;
  const Block outputs = calls.repeated(activations);
  const Block own = logits_of(model, activations);
  double most = 0.0;
  for (std::size_t i = 0; i < own.values.size(); ++i)
    most = std::max(most, std::abs(outputs.values[i] - own.values[i]));
  if (most <= kSame * std::max(largest(own.values), 1e-300))
    throw OutputFault("redrawn_head() answers as the network that was not drawn anew");
  calls.check_product(activations);
  host.seed = seed + 1;
  const Block others = calls.outputs(activations);
  host.seed = seed;
  if (others.values == outputs.values) throw OutputFault("redrawn_head() ignores the seed");
}

}  // namespace conoscope::core
