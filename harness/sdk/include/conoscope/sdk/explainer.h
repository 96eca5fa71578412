// SPDX-License-Identifier: Apache-2.0
#pragma once

// An explainer finds concepts in a trained head view and says how much each matters to each output.
//
//   class MyMethod final : public sdk::Explainer { void fit(...) override; };
//   CONOSCOPE_EXPLAINER(MyMethod, "my_method", "1.0.0", R"toml(summary = "...")toml", kParameters)

#include <initializer_list>
#include <type_traits>

#include "conoscope/sdk/plugin.h"

namespace conoscope::sdk {

/// The training split of a model's head view, and what the model makes of it.
class HeadView {
 public:
  explicit HeadView(const cono_arrays* raw) : arrays_(raw) {}

  Tensor activations() const { return arrays_.get("activations"); }  ///< n x P x D
  Tensor weight() const { return arrays_.get("head_weight"); }       ///< C x D; flatten: C x P*D
  Tensor bias() const { return arrays_.get("head_bias"); }           ///< C
  Tensor logits() const { return arrays_.get("logits"); }            ///< n x C, the model's own
  /// n, the model's own argmax: class membership for concept discovery. Softmax outputs only.
  Tensor predictions() const { return arrays_.get("predictions"); }

  std::int64_t samples() const { return activations().shape(0); }
  std::int64_t positions() const { return activations().shape(1); }
  std::int64_t width() const { return activations().shape(2); }
  std::int64_t outputs() const { return weight().shape(0); }
  std::string pooling() const { return arrays_.text("pooling", "none"); }  ///< mean, none, flatten
  std::string output() const { return arrays_.text("output", "softmax"); }

  /// Everything else that came along: inputs, labels, concepts, ...
  const Arrays& arrays() const { return arrays_; }

 private:
  Arrays arrays_;
};

/// The CAVs and importances to fill, in the host's memory (float64, row-major).
struct Explanation {
  std::span<double> cavs;        ///< M x D
  std::span<double> importance;  ///< class-specific: M; class-agnostic: C x M
};

class ExplanationOut : public Sink {
 public:
  using Sink::Sink;

  /// counts[c] CAVs for output c; its rows come after those of outputs 0 ... c-1.
  Explanation class_specific(std::span<const std::int64_t> counts, std::int64_t width) {
    text("scope", "class_specific");
    std::int64_t total = 0;
    auto out = create<std::int64_t>("counts", {static_cast<std::int64_t>(counts.size())});
    for (std::size_t c = 0; c < counts.size(); ++c) total += (out[c] = counts[c]);
    return {create<double>("cavs", {total, width}), create<double>("importance", {total})};
  }

  /// k CAVs that all outputs share.
  Explanation class_agnostic(std::int64_t k, std::int64_t outputs, std::int64_t width) {
    text("scope", "class_agnostic");
    return {create<double>("cavs", {k, width}), create<double>("importance", {outputs, k})};
  }
};

/// What fit() left, handed back to project() and reconstruct().
class ExplanationIn : public Arrays {
 public:
  using Arrays::Arrays;

  Tensor cavs() const { return get("cavs"); }
  bool class_agnostic() const { return text("scope") == "class_agnostic"; }

  /// The rows of cavs() that belong to the output: [first, last).
  std::pair<std::int64_t, std::int64_t> rows_of(std::int64_t output) const {
    if (class_agnostic()) return {0, cavs().rows()};
    const auto counts = get("counts").values<const std::int64_t>();
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < output; ++c) first += counts[static_cast<std::size_t>(c)];
    return {first, first + counts[static_cast<std::size_t>(output)]};
  }
};

/// A method of explanation. Without Projection, psi(h) = <h, cav>.
class Explainer {
 public:
  virtual ~Explainer() = default;
  virtual void fit(const HeadView& head, const Context& context, ExplanationOut& out) = 0;
};

/// The model itself: up to the layer for inputs that the dataset does not hold, and above it for
/// activations that no input has. What the metadata do not need, or the model does not offer, is
/// not there.
///
/// All calls throw by what the model says, see status.h; let it pass, the host knows the reason.
class ModelCall {
 public:
  explicit ModelCall(const cono_model_call* raw) : raw_(raw) {}

  bool offers_forward() const { return raw_->forward != nullptr; }
  bool offers_head() const { return raw_->head != nullptr; }
  bool offers_vjp() const { return raw_->vjp != nullptr; }

  /// inputs m x ..., as the dataset's but for m -> activations m x P x D, row-major, to be filled.
  void forward(const Tensor& inputs, std::span<double> activations, std::int64_t positions,
               std::int64_t width) const {
    require(offers_forward(), "forward");
    cono_tensor out = room("forward", activations, {inputs.rows(), positions, width});
    throw_unless_ok(raw_->forward(raw_->self, &inputs.raw(), &out),
                    "the model's forward call failed");
  }

  /// activations m x P x D, as the head view's but for m -> outputs m x C before softmax or sigmoid,
  /// to be filled.
  void head(const Tensor& activations, std::span<double> outputs, std::int64_t classes) const {
    require(offers_head(), "head");
    cono_tensor out = room("head", outputs, {activations.rows(), classes});
    throw_unless_ok(raw_->head(raw_->self, &activations.raw(), &out),
                    "the model's head call failed");
  }

  /// And cotangents u, m x C -> gradients of the activations' shape, to be filled:
  /// g_ipd = sum_c u_ic d output_ic / d activation_ipd.
  void vjp(const Tensor& activations, const Tensor& cotangents, std::span<double> gradients) const {
    require(offers_vjp(), "vjp");
    cono_tensor out =
        room("vjp", gradients, {activations.rows(), activations.shape(1), activations.shape(2)});
    throw_unless_ok(raw_->vjp(raw_->self, &activations.raw(), &cotangents.raw(), &out),
                    "the model's vjp call failed");
  }

 private:
  static void require(bool offered, const char* call) {
    if (!offered)
      throw NotApplicable(std::string(call) +
                          ": the model does not offer it, or needs does not say it");
  }
  static cono_tensor room(const char* call, std::span<double> values,
                          std::initializer_list<std::int64_t> shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    if (static_cast<std::int64_t>(values.size()) != size)
      throw std::invalid_argument(std::string(call) + ": room for " +
                                  std::to_string(values.size()) + " numbers, expected " +
                                  std::to_string(size));
    return make_tensor(values.data(), CONO_F64, std::span(shape.begin(), shape.size()));
  }

  const cono_model_call* raw_;
};

/// Derive from it too when inputs or activations of the explainer's own making are to be run through
/// the model, and say so in the metadata: needs = ["forward"], ["head"] or both, or "... or forward"
/// where the fit of Explainer can do without. Where the model offers it, the host calls this fit and
/// not the other.
class ModelUser {
 public:
  virtual ~ModelUser() = default;
  virtual void fit_with_model(const HeadView& head, const ModelCall& model, const Context& context,
                              ExplanationOut& out) = 0;
};

/// Derive from it too when psi is not linear. Must be a function of its arguments alone.
class Projection {
 public:
  virtual ~Projection() = default;
  /// rows m x D -> scores m x K_c (float64, contiguous, to be filled).
  virtual void project(const ExplanationIn& explanation, std::int64_t output, const Tensor& rows,
                       std::span<double> scores) = 0;
};

/// Derive from it too when the explanation can be turned back into activations.
class Reconstruction {
 public:
  virtual ~Reconstruction() = default;
  /// scores m x K_c -> rows m x D (float64, contiguous, to be filled).
  virtual void reconstruct(const ExplanationIn& explanation, std::int64_t output,
                           const Tensor& scores, std::span<double> rows) = 0;
};

template <typename Plugin, const auto&... List>
const void* explainer_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Explainer, Plugin>, "derive from conoscope::sdk::Explainer");
  static const cono_explainer table = [] {
    cono_explainer t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin, List...>;
    t.destroy = destroy_instance<Plugin>;
    t.fit = [](void* self, const cono_arrays* head, const cono_host* host,
               const cono_sink* sink) noexcept {
      return guard(host, [&] {
        ExplanationOut out(sink);
        static_cast<Plugin*>(self)->fit(HeadView(head), Context(host), out);
      });
    };
    if constexpr (std::is_base_of_v<Projection, Plugin>)
      t.project = [](void* self, const cono_arrays* explanation, std::int64_t output,
                     const cono_tensor* rows, const cono_host* host, cono_tensor* scores) noexcept {
        return guard(host, [&] {
          static_cast<Plugin*>(self)->project(ExplanationIn(explanation), output,
                                              Tensor(*rows, "rows"),
                                              Tensor(*scores, "scores").values<double>());
        });
      };
    if constexpr (std::is_base_of_v<Reconstruction, Plugin>)
      t.reconstruct = [](void* self, const cono_arrays* explanation, std::int64_t output,
                         const cono_tensor* scores, const cono_host* host,
                         cono_tensor* rows) noexcept {
        return guard(host, [&] {
          static_cast<Plugin*>(self)->reconstruct(ExplanationIn(explanation), output,
                                                  Tensor(*scores, "scores"),
                                                  Tensor(*rows, "rows").values<double>());
        });
      };
    return t;
  }();
  if (std::strcmp(id, CONO_EXPLAINER_INTERFACE) == 0) return &table;
  if constexpr (std::is_base_of_v<ModelUser, Plugin>) {
    static const cono_explainer_model with_model = {
        sizeof(cono_explainer_model), 0,
        [](void* self, const cono_arrays* head, const cono_model_call* model, const cono_host* host,
           const cono_sink* sink) noexcept {
          return guard(host, [&] {
            ExplanationOut out(sink);
            static_cast<Plugin*>(self)->fit_with_model(HeadView(head), ModelCall(model),
                                                       Context(host), out);
          });
        }};
    if (std::strcmp(id, CONO_EXPLAINER_MODEL_INTERFACE) == 0) return &with_model;
  }
  return nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_EXPLAINER(Plugin, id, version, ...)                                      \
  CONOSCOPE_PLUGIN_(Plugin, explainer_interface, "explainer", CONO_EXPLAINER, id, version, \
                    __VA_ARGS__)
