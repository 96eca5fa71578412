#pragma once

// An explainer finds concepts in a trained head view and says how much each matters to each output.
//
//   class MyMethod final : public sdk::Explainer { void fit(...) override; };
//   CONOSCOPE_EXPLAINER(MyMethod, "my_method", "1.0.0", R"toml(summary = "...")toml", kParameters)

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

/// The model itself, for inputs that the dataset does not hold.
class ModelCall {
 public:
  explicit ModelCall(const cono_forward_call* raw) : raw_(raw) {}

  /// inputs m x ..., as the dataset's but for m -> activations m x P x D, row-major, to be filled.
  /// throws  by what the model says, see status.h; let it pass, the host knows the reason
  void forward(const Tensor& inputs, std::span<double> activations, std::int64_t positions,
               std::int64_t width) const {
    const std::int64_t shape[] = {inputs.rows(), positions, width};
    cono_tensor out = make_tensor(activations.data(), CONO_F64, shape);
    if (static_cast<std::int64_t>(activations.size()) != shape[0] * positions * width)
      throw std::invalid_argument("forward: room for " + std::to_string(activations.size()) +
                                  " numbers, expected " +
                                  std::to_string(shape[0] * positions * width));
    throw_unless_ok(raw_->forward(raw_->self, &inputs.raw(), &out),
                    "the model's forward call failed");
  }

 private:
  const cono_forward_call* raw_;
};

/// Derive from it too when inputs of the explainer's own making are to be run through the model,
/// and say so in the metadata: needs = ["forward"], or "... or forward" where the fit of Explainer
/// can do without. Where the model offers it, the host calls this fit and not the other.
class ForwardUser {
 public:
  virtual ~ForwardUser() = default;
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
  if constexpr (std::is_base_of_v<ForwardUser, Plugin>) {
    static const cono_explainer_forward forward = {
        sizeof(cono_explainer_forward), 0,
        [](void* self, const cono_arrays* head, const cono_forward_call* model,
           const cono_host* host, const cono_sink* sink) noexcept {
          return guard(host, [&] {
            ExplanationOut out(sink);
            static_cast<Plugin*>(self)->fit_with_model(HeadView(head), ModelCall(model),
                                                       Context(host), out);
          });
        }};
    if (std::strcmp(id, CONO_EXPLAINER_FORWARD_INTERFACE) == 0) return &forward;
  }
  return nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_EXPLAINER(Plugin, id, version, ...)                                      \
  CONOSCOPE_PLUGIN_(Plugin, explainer_interface, "explainer", CONO_EXPLAINER, id, version, \
                    __VA_ARGS__)
