#pragma once

// A model is trained on a dataset (or loaded) and offers views: head, concept or latent view.
//
//   class MyModel final : public sdk::Model { void fit(...) override; };
//   CONOSCOPE_MODEL(MyModel, "my_model", "1.0.0", R"toml(summary = "...")toml")

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

/// Derive from it too when the model has a concept view: the task head on edited concepts.
class Intervene {
 public:
  virtual ~Intervene() = default;
  /// concepts m x k x w -> task outputs m x C (float64, contiguous, to be filled).
  virtual void intervene(const Arrays& model, const Tensor& concepts, const Context& context,
                         std::span<double> outputs) = 0;
};

template <typename Plugin>
const void* find_interface(const char* id) noexcept {
  static_assert(std::is_base_of_v<Model, Plugin>, "derive from conoscope::sdk::Model");
  static const cono_model table = [] {
    cono_model t{};
    t.struct_size = sizeof(t);
    t.create = create_instance<Plugin>;
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
  if constexpr (std::is_base_of_v<Forward, Plugin>) {
    static const cono_forward forward = {
        sizeof(cono_forward), 0,
        [](void* self, const cono_arrays* model, const cono_tensor* inputs, const cono_host* host,
           cono_tensor* activations) noexcept {
          return guard(host, [&] {
            static_cast<Plugin*>(self)->forward(
                Arrays(model), Tensor(*inputs, "inputs"), Context(host),
                Tensor(*activations, "activations").values<double>());
          });
        }};
    if (std::strcmp(id, CONO_FORWARD_INTERFACE) == 0) return &forward;
  }
  if constexpr (std::is_base_of_v<Intervene, Plugin>) {
    static const cono_intervene intervene = {
        sizeof(cono_intervene), 0,
        [](void* self, const cono_arrays* model, const cono_tensor* concepts, const cono_host* host,
           cono_tensor* outputs) noexcept {
          return guard(host, [&] {
            static_cast<Plugin*>(self)->intervene(Arrays(model), Tensor(*concepts, "concepts"),
                                                  Context(host),
                                                  Tensor(*outputs, "outputs").values<double>());
          });
        }};
    if (std::strcmp(id, CONO_INTERVENE_INTERFACE) == 0) return &intervene;
  }
  return nullptr;
}

}  // namespace conoscope::sdk

#define CONOSCOPE_MODEL(Plugin, id, version, metadata) \
  CONOSCOPE_PLUGIN_(Plugin, "model", CONO_MODEL, id, version, metadata)
