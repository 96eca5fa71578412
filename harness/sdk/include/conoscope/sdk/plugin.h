// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the four kinds of plugin share: parameters, arrays, the host, error translation and the
// export macro. Authors include explainer.h, dataset.h, model.h or metric.h instead.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "conoscope/sdk/parameters.h"
#include "conoscope/sdk/random.h"
#include "conoscope/sdk/status.h"
#include "conoscope/sdk/tensor.h"

namespace conoscope::sdk {

/// Arrays and texts by name, as abi.h lists them for each view. Read-only.
class Arrays {
 public:
  explicit Arrays(const cono_arrays* raw) : raw_(raw) {}

  std::optional<Tensor> find(std::string_view name) const {
    for (std::uint32_t i = 0; i < raw_->array_count; ++i) {
      const auto* item = reinterpret_cast<const cono_array*>(
          reinterpret_cast<const char*>(raw_->arrays) + std::size_t{i} * raw_->arrays->struct_size);
      if (name == item->name) return Tensor(item->tensor, name);
    }
    return std::nullopt;
  }

  Tensor get(std::string_view name) const {
    if (auto found = find(name)) return *found;
    throw std::invalid_argument("array " + std::string(name) + " is missing");
  }

  bool has(std::string_view name) const { return find(name).has_value(); }

  std::string text(std::string_view key, std::string_view otherwise = "") const {
    for (std::uint32_t i = 0; i < raw_->text_count; ++i) {
      const auto* item = reinterpret_cast<const cono_text*>(
          reinterpret_cast<const char*>(raw_->texts) + std::size_t{i} * raw_->texts->struct_size);
      if (key == item->key) return item->value;
    }
    return std::string(otherwise);
  }

  const cono_arrays* raw() const { return raw_; }

 private:
  const cono_arrays* raw_;
};

/// Seed, threads, progress, cancellation, log: all that a plugin has of the host.
class Context {
 public:
  explicit Context(const cono_host* host) : host_(host) {}

  Seed seed() const { return Seed(host_->seed); }
  int threads() const { return static_cast<int>(host_->threads); }
  std::string scratch() const { return host_->scratch ? host_->scratch : ""; }
  void progress(double done) const { host_->progress(host_->self, done); }
  void log(const std::string& text) const { host_->log(host_->self, text.c_str()); }
  bool cancelled() const { return host_->cancelled(host_->self) != 0; }
  void check_cancelled() const {
    if (cancelled()) throw Cancelled();
  }

 private:
  const cono_host* host_;
};

/// Where results go. The host allocates; the plugin fills.
class Sink {
 public:
  explicit Sink(const cono_sink* raw) : raw_(raw) {}

  Tensor create(const std::string& name, std::int32_t dtype,
                const std::vector<std::int64_t>& shape) {
    cono_tensor tensor{};
    tensor.struct_size = sizeof(tensor);
    check(raw_->create(raw_->self, name.c_str(), dtype, static_cast<std::int32_t>(shape.size()),
                       shape.data(), &tensor),
          name);
    return Tensor(tensor, name);
  }

  template <typename T>
  std::span<T> create(const std::string& name, const std::vector<std::int64_t>& shape) {
    return create(name, dtype_of<T>(), shape).template values<T>();
  }

  void text(const std::string& key, const std::string& value) {
    check(raw_->text(raw_->self, key.c_str(), value.c_str()), key);
  }

 private:
  static void check(cono_status status, const std::string& name) {
    throw_unless_ok(status, "the host refused output " + name);
  }

  const cono_sink* raw_;
};

/// Runs body and turns whatever it throws into a status and a text. Nothing escapes.
template <typename Body>
cono_status guard(const cono_host* host, Body&& body) noexcept {
  try {
    body();
    return CONO_OK;
  } catch (...) {
    const Outcome outcome = current_outcome();
    if (host != nullptr) host->set_error(host->self, outcome.text.c_str());
    return outcome.status;
  }
}

/// The create and destroy slots of every kind.
template <typename Plugin, const auto&... List>
cono_status create_instance(const cono_params* params, const cono_host* host,
                            void** instance) noexcept {
  return guard(host, [&] {
    if constexpr (sizeof...(List) == 0)
      *instance = new Plugin(Params(params));
    else
      *instance = new Plugin(ParamsOf<List...>(params));
  });
}

template <typename Plugin>
void destroy_instance(void* instance) noexcept {
  delete static_cast<Plugin*>(instance);
}

/// An ELF note: owner name, type and descriptor, each padded to four bytes.
template <std::size_t N>
struct MetadataNote {
  std::uint32_t name_size = sizeof(CONO_NOTE_NAME);
  std::uint32_t text_size = N;
  std::uint32_t type = CONO_NOTE_TYPE;
  char name[(sizeof(CONO_NOTE_NAME) + 3) / 4 * 4] = CONO_NOTE_NAME;
  char text[(N + 3) / 4 * 4] = {};

  /// N: the characters of both and a final zero.
  constexpr explicit MetadataNote(std::string_view toml, std::string_view more = {}) {
    std::size_t i = 0;
    for (const char c : toml) text[i++] = c;
    for (const char c : more) text[i++] = c;
  }
};

/// The metadata of a plugin: its own text, then its parameters.
template <std::size_t N, const auto&... List>
consteval auto make_note(const char (&toml)[N]) {
  if constexpr (sizeof...(List) == 0) {
    return MetadataNote<N>({toml, N - 1});
  } else {
    const auto more = parameters_toml<List...>();
    return MetadataNote<N + more.size()>({toml, N - 1}, {more.data(), more.size()});
  }
}

}  // namespace conoscope::sdk

#define CONOSCOPE_STRINGIZE_(x) #x
#define CONOSCOPE_STRINGIZE(x) CONOSCOPE_STRINGIZE_(x)

#define CONOSCOPE_METADATA_(kind_name, plugin_id, plugin_version, metadata) \
  "abi = \"" CONOSCOPE_STRINGIZE(CONO_ABI_MAJOR) "." CONOSCOPE_STRINGIZE(CONO_ABI_MINOR) "\"\n" \
  "kind = \"" kind_name "\"\nid = \"" plugin_id "\"\nversion = \"" plugin_version "\"\n" metadata

/// The note that is read without loading the file, and the one exported symbol.
/// find: the kind's function from an interface's id to its table. metadata: a TOML text whose keys
/// docs/plugins.md lists. Then, where there is one, the list of parameters.
#define CONOSCOPE_PLUGIN_(Plugin, find, kind_name, kind_value, plugin_id, plugin_version,      \
                          metadata, ...)                                                       \
  namespace {                                                                                  \
  constexpr char kConoscopeMetadata[] =                                                        \
      CONOSCOPE_METADATA_(kind_name, plugin_id, plugin_version, metadata);                     \
  __attribute__((section(".note.conoscope"), used,                                             \
                 aligned(4))) constinit const auto conoscope_metadata_note =                   \
      ::conoscope::sdk::make_note<sizeof(kConoscopeMetadata) __VA_OPT__(, ) __VA_ARGS__>(      \
          kConoscopeMetadata);                                                                 \
  }                                                                                            \
  extern "C" __attribute__((visibility("default"))) const cono_plugin* conoscope_plugin_entry( \
      std::uint32_t, std::uint32_t) noexcept {                                                 \
    static const cono_plugin plugin = {                                                        \
        sizeof(cono_plugin),                                                                   \
        CONO_ABI_MAJOR,                                                                        \
        CONO_ABI_MINOR,                                                                        \
        kind_value,                                                                            \
        plugin_id,                                                                             \
        plugin_version,                                                                        \
        [](const char* interface_id) noexcept -> const void* {                                 \
          return ::conoscope::sdk::find<Plugin __VA_OPT__(, ) __VA_ARGS__>(interface_id);      \
        }};                                                                                    \
    return &plugin;                                                                            \
  }
