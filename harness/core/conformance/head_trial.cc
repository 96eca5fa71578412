#include "harness/core/conformance/head_trial.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "harness/core/border/output_check.h"
#include "harness/core/plan/names.h"

namespace conoscope::core {

namespace {

constexpr std::int64_t kRows = 32;
// Networks compute in float32: head() and fit() may differ by that, and it is what differences of
// its outputs over a step of 1e-3 leave of their digits. A wrong derivative is off by a factor.
constexpr double kSame = 1e-4, kDerivative = 1e-2, kStep = 1e-3;

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

  /// That vjp(), if there is one, is the derivative along a random direction.
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
  sdk::Random random(sdk::Seed(1).child("head trial"));
  Block cotangents({activations.shape[0], model_.get("head_weight").rows()}),
      gradients(activations.shape), direction(activations.shape);
  for (double& u : cotangents.values) u = random.normal();
  for (double& v : direction.values) v = random.normal();
  std::fill(gradients.values.begin(), gradients.values.end(), std::nan(""));
  const cono_tensor at = activations.raw(), along = cotangents.raw();
  cono_tensor to = gradients.raw();
  call_plugin(host_, [&](const cono_host* raw) {
    return table_.vjp(instance_, model_.raw(), &at, &along, raw, &to);
  });
  const double step = kStep * std::max(largest(activations.values), 1e-3);
  Block ahead = activations, behind = activations;
  for (std::size_t i = 0; i < direction.values.size(); ++i) {
    ahead.values[i] += step * direction.values[i];
    behind.values[i] -= step * direction.values[i];
  }
  const Block up = outputs(ahead), down = outputs(behind);
  // Of each sample: <u, J v> by differences, <J^T u, v> by the plugin.
  const auto samples = static_cast<std::size_t>(activations.shape[0]);
  const std::size_t size = direction.values.size() / samples, outs = up.values.size() / samples;
  std::vector<double> by_difference(samples), by_plugin(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t c = i * outs; c < (i + 1) * outs; ++c)
      by_difference[i] += cotangents.values[c] * (up.values[c] - down.values[c]) / (2.0 * step);
    for (std::size_t j = i * size; j < (i + 1) * size; ++j)
      by_plugin[i] += gradients.values[j] * direction.values[j];
  }
  const double size_of_all = std::max(largest(by_difference), 1e-300);
  for (std::size_t i = 0; i < samples; ++i)
    if (!(std::abs(by_plugin[i] - by_difference[i]) <= kDerivative * size_of_all))
      throw OutputFault("vjp() of sample " + std::to_string(i) + " is not the derivative of " +
                        name_ + "(): " + std::to_string(by_plugin[i]) + " along a direction, " +
                        std::to_string(by_difference[i]) + " by differences");
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
  const Calls calls(table, instance, host, model, "redrawn_head");
  const Block activations = first_activations(model);
  const std::uint64_t seed = host.seed;
  const Block outputs = calls.repeated(activations);
  calls.check_product(activations);
  host.seed = seed + 1;
  const Block others = calls.outputs(activations);
  host.seed = seed;
  if (others.values == outputs.values) throw OutputFault("redrawn_head() ignores the seed");
  if (outputs.values == logits_of(model, activations).values)
    throw OutputFault("redrawn_head() answers as the network that was not drawn anew");
}

}  // namespace conoscope::core
