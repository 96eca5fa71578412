// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model is trained on a dataset (or loaded) and offers views: head, concept or latent view.
//
//   class MyModel final : public sdk::Model { void fit(...) override; };
//   CONOSCOPE_MODEL(MyModel, "my_model", "1.0.0", R"toml(summary = "...")toml", kParameters)

#include <algorithm>
#include <type_traits>

#include "conoscope/sdk/plugin.h"

namespace conoscope::sdk {

class Model {
 public:
  virtual ~Model() = default;
  /// Trains on dataset's train_index rows only, then writes the offered views for all rows.
  virtual void fit(const Arrays& dataset, const Context& context, Sink& out) = 0;
};

/// Derive from it too when new inputs can be run through the model.
class Forward {
 public:
  virtual ~Forward() = default;
  /// inputs m x ... -> activations m x P x D (float64, contiguous, to be filled).
  virtual void forward(const Arrays& model, const Tensor& inputs, const Context& context,
                       std::span<double> activations) = 0;
};

/// Derive from it too, beside Forward, when the derivative of forward() is known.
class ForwardGradient {
 public:
  virtual ~ForwardGradient() = default;
  /// cotangents m x P x D -> gradients of the inputs' shape (float64, contiguous, to be filled):
  /// g_iq = sum_pd u_ipd d activation_ipd / d input_iq, at these inputs.
  virtual void forward_gradient(const Arrays& model, const Tensor& inputs, const Tensor& cotangents,
                                const Context& context, std::span<double> gradients) = 0;
};

/// Derive from it too when the model has a concept view: the task head on edited concepts.
class Intervene {
 public:
  virtual ~Intervene() = default;
  /// concepts m x k x w -> task outputs m x C (float64, contiguous, to be filled).
  virtual void intervene(const Arrays& model, const Tensor& concepts, const Context& context,
                         std::span<double> outputs) = 0;
};

/// Derive from it instead when what is told of some concepts changes the others.
class InterveneTold {
 public:
  virtual ~InterveneTold() = default;
  /// And told m x k: 1 where the concept of a row was told, 0 where its score is the model's own.
  virtual void intervene(const Arrays& model, const Tensor& concepts, const Tensor& told,
                         const Context& context, std::span<double> outputs) = 0;
};

/// Derive from it too when the model has a latent view and a decoder.
class Decode {
 public:
  virtual ~Decode() = default;
  /// codes m x L -> inputs m x ..., as the dataset's (float64, contiguous, to be filled).
  virtual void decode(const Arrays& model, const Tensor& codes, const Context& context,
                      std::span<double> inputs) = 0;
};

/// Derive from it too when what lies above the watched layer can be run on other activations.
class Head {
 public:
  virtual ~Head() = default;
  /// activations m x P x D -> outputs m x C before softmax or sigmoid (float64, contiguous, to be
  /// filled). Must be a function of its arguments alone.
  virtual void head(const Arrays& model, const Tensor& activations, const Context& context,
                    std::span<double> outputs) = 0;
};

/// Derive from it instead when the head's derivative is known, too.
class DifferentiableHead : public Head {
 public:
  /// cotangents m x C -> gradients m x P x D (float64, contiguous, to be filled):
  /// g_ipd = sum_c u_ic d output_ic / d activation_ipd, at these activations.
  virtual void vjp(const Arrays& model, const Tensor& activations, const Tensor& cotangents,
                   const Context& context, std::span<double> gradients) = 0;
};

/// Derive from it too when everything above the watched layer can be drawn anew: head() and vjp() of
/// such a network, which the seed of the context draws. For the control random_model.
class RedrawnHead {
 public:
  virtual ~RedrawnHead() = default;
  virtual void redrawn_head(const Arrays& model, const Tensor& activations, const Context& context,
                            std::span<double> outputs) = 0;
  virtual void redrawn_vjp(const Arrays& model, const Tensor& activations, const Tensor& cotangents,
                           const Context& context, std::span<double> gradients) = 0;
};

namespace detail {

inline constexpr char kInputs[] = "inputs", kActivations[] = "activations",
                      kCotangents[] = "cotangents", kConcepts[] = "concepts", kTold[] = "told",
                      kCodes[] = "codes";

/// An optional function as its slot of a table: tensors of these names in, one out.
template <typename Plugin, auto Function, const auto& Name>
cono_status slot_of_one(void* self, const cono_arrays* model, const cono_tensor* in,
                        const cono_host* host, cono_tensor* out) noexcept {
  return guard(host, [&] {
    (static_cast<Plugin*>(self)->*Function)(Arrays(model), Tensor(*in, Name), Context(host),
                                            Tensor(*out, "answer").values<double>());
  });
}

template <typename Plugin, auto Function, const auto& First, const auto& Second>
cono_status slot_of_two(void* self, const cono_arrays* model, const cono_tensor* first,
                        const cono_tensor* second, const cono_host* host,
                        cono_tensor* out) noexcept {
  return guard(host, [&] {
    (static_cast<Plugin*>(self)->*Function)(Arrays(model), Tensor(*first, First),
                                            Tensor(*second, Second), Context(host),
                                            Tensor(*out, "answer").values<double>());
  });
}

/// W with the mean over positions folded in: 1/P on each.
struct LinearHeadWeights {
  std::int64_t samples, size, outputs, columns;  // size: P*D of one sample
  std::vector<double> values;                    // C x D, flatten: C x P*D

  LinearHeadWeights(const Arrays& model, const Tensor& activations)
      : samples(activations.rows()),
        outputs(model.get("head_weight").rows()),
        columns(model.get("head_weight").shape(1)) {
    const std::int64_t positions = activations.dimensions() == 3 ? activations.shape(1) : 1;
    const std::int64_t width = activations.shape(activations.dimensions() - 1);
    size = positions * width;
    const std::string pooling = model.text("pooling", "none");
    if (columns != (pooling == "flatten" ? size : width) || (pooling == "none" && positions != 1))
      throw std::invalid_argument("head: activations are " + activations.shape_text() +
                                  " for a head of " + std::to_string(columns) +
                                  " columns with pooling " + pooling);
    const double share = pooling == "mean" ? 1.0 / static_cast<double>(positions) : 1.0;
    model.get("head_weight").for_each([&](std::int64_t, double value) {
      values.push_back(value * share);
    });
  }
  double of(std::int64_t c, std::int64_t q) const {
    return values[static_cast<std::size_t>(c * columns + q)];
  }
  std::size_t at(std::int64_t sample, std::int64_t c) const {
    return static_cast<std::size_t>(sample * outputs + c);
  }
};

}  // namespace detail

/// The head of every model in which nothing but pooling and one linear layer lies above the watched
/// layer: what the head view says, as a call.
///
///   output_ic = b_c + sum_q W_cq z_iq,   z_i = activations of sample i, pooled (flatten: P*D long)
class LinearHead : public DifferentiableHead {
 public:
  void head(const Arrays& model, const Tensor& activations, const Context&,
            std::span<double> outputs) override {
    const detail::LinearHeadWeights w(model, activations);
    if (static_cast<std::int64_t>(outputs.size()) != w.samples * w.outputs)
      throw std::invalid_argument("head: room for " + std::to_string(outputs.size()) +
                                  " outputs, expected " + std::to_string(w.samples * w.outputs));
    model.get("head_bias").for_each([&](std::int64_t c, double b) {
      for (std::int64_t i = 0; i < w.samples; ++i) outputs[w.at(i, c)] = b;
    });
    activations.for_each([&](std::int64_t at, double h) {
      const std::int64_t sample = at / w.size, q = at % w.size % w.columns;
      for (std::int64_t c = 0; c < w.outputs; ++c) outputs[w.at(sample, c)] += w.of(c, q) * h;
    });
  }

  void vjp(const Arrays& model, const Tensor& activations, const Tensor& cotangents, const Context&,
           std::span<double> gradients) override {
    const detail::LinearHeadWeights w(model, activations);
    if (cotangents.rows() != w.samples || cotangents.size() != w.samples * w.outputs)
      throw std::invalid_argument("vjp: cotangents are " + cotangents.shape_text() + ", expected " +
                                  std::to_string(w.samples) + " x " + std::to_string(w.outputs));
    std::fill(gradients.begin(), gradients.end(), 0.0);
    cotangents.for_each([&](std::int64_t at, double u) {
      const std::int64_t sample = at / w.outputs, c = at % w.outputs;
      for (std::int64_t j = 0; j < w.size; ++j)
        gradients[static_cast<std::size_t>(sample * w.size + j)] += u * w.of(c, j % w.columns);
    });
  }
};

template <typename Plugin, const auto&... List>
const void* model_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Model, Plugin>, "derive from conoscope::sdk::Model");
  static const cono_model table = [] {
    cono_model t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin, List...>;
    t.destroy = destroy_instance<Plugin>;
    t.fit = [](void* self, const cono_arrays* dataset, const cono_host* host,
               const cono_sink* sink) noexcept {
      return guard(host, [&] {
        Sink out(sink);
        static_cast<Plugin*>(self)->fit(Arrays(dataset), Context(host), out);
      });
    };
    return t;
  }();
  if (std::strcmp(id, CONO_MODEL_INTERFACE) == 0) return &table;
  using namespace detail;
  if constexpr (std::is_base_of_v<Forward, Plugin>) {
    static const cono_forward forward = {sizeof(forward), 0,
                                         slot_of_one<Plugin, &Forward::forward, kInputs>};
    if (std::strcmp(id, CONO_FORWARD_INTERFACE) == 0) return &forward;
  }
  if constexpr (std::is_base_of_v<ForwardGradient, Plugin>) {
    static_assert(std::is_base_of_v<Forward, Plugin>, "a gradient of forward(), which it has not");
    static const cono_forward_gradient gradient = {
        sizeof(gradient), 0,
        slot_of_two<Plugin, &ForwardGradient::forward_gradient, kInputs, kCotangents>};
    if (std::strcmp(id, CONO_FORWARD_GRADIENT_INTERFACE) == 0) return &gradient;
  }
  if constexpr (std::is_base_of_v<Head, Plugin>) {
    static const cono_head head = [] {
      cono_head t = {sizeof(t), 0, slot_of_one<Plugin, &Head::head, kActivations>, nullptr};
      if constexpr (std::is_base_of_v<DifferentiableHead, Plugin>)
        t.vjp = slot_of_two<Plugin, &DifferentiableHead::vjp, kActivations, kCotangents>;
      return t;
    }();
    if (std::strcmp(id, CONO_HEAD_INTERFACE) == 0) return &head;
  }
  if constexpr (std::is_base_of_v<RedrawnHead, Plugin>) {
    static_assert(std::is_base_of_v<Head, Plugin>, "a RedrawnHead is a Head, too");
    static const cono_head redrawn = {
        sizeof(redrawn), 0, slot_of_one<Plugin, &RedrawnHead::redrawn_head, kActivations>,
        slot_of_two<Plugin, &RedrawnHead::redrawn_vjp, kActivations, kCotangents>};
    if (std::strcmp(id, CONO_REDRAWN_HEAD_INTERFACE) == 0) return &redrawn;
  }
  if constexpr (std::is_base_of_v<Intervene, Plugin>) {
    static const cono_intervene intervene = {sizeof(intervene), 0,
                                             slot_of_one<Plugin, &Intervene::intervene, kConcepts>};
    if (std::strcmp(id, CONO_INTERVENE_INTERFACE) == 0) return &intervene;
  }
  if constexpr (std::is_base_of_v<InterveneTold, Plugin>) {
    static const cono_intervene_told intervene = {
        sizeof(intervene), 0, slot_of_two<Plugin, &InterveneTold::intervene, kConcepts, kTold>};
    if (std::strcmp(id, CONO_INTERVENE_TOLD_INTERFACE) == 0) return &intervene;
  }
  if constexpr (std::is_base_of_v<Decode, Plugin>) {
    static const cono_decode decode = {sizeof(decode), 0,
                                       slot_of_one<Plugin, &Decode::decode, kCodes>};
    if (std::strcmp(id, CONO_DECODE_INTERFACE) == 0) return &decode;
  }
  return nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_MODEL(Plugin, id, version, ...) \
  CONOSCOPE_PLUGIN_(Plugin, model_interface, "model", CONO_MODEL, id, version, __VA_ARGS__)
