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
#include "conoscope/sdk/random.h"
#include "conoscope/sdk/tensor.h"

namespace conoscope::sdk {

/// Throw it when the plugin, by design, does not work on such input (a factorisation that needs
/// non-negative activations, say). The cell is then listed as not applicable, not as failed.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by Context::check_cancelled(); let it pass.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// The plugin's parameters: exactly those of its metadata, checked by the host, defaults filled in.
class Params {
 public:
  explicit Params(const cono_params* raw) : raw_(raw) {}

  std::int64_t integer(std::string_view name) const { return at(name, CONO_PARAM_INTEGER).integer; }
  double real(std::string_view name) const { return at(name, CONO_PARAM_REAL).real; }
  bool boolean(std::string_view name) const { return at(name, CONO_PARAM_BOOLEAN).integer != 0; }
  std::string text(std::string_view name) const { return at(name, CONO_PARAM_TEXT).text; }
  /// An absolute path, of a file or a folder; empty when an optional one was not given.
  std::string file(std::string_view name) const { return at(name, CONO_PARAM_FILE).text; }

 private:
  const cono_param& at(std::string_view name, std::int32_t type) const {
    for (std::uint32_t i = 0; i < raw_->count; ++i)
      if (name == raw_->items[i].name) {
        if (raw_->items[i].type != type)
          throw std::logic_error("parameter " + std::string(name) +
                                 " is read as another type than its metadata says");
        return raw_->items[i];
      }
    throw std::logic_error("parameter " + std::string(name) + " is not in the plugin's metadata");
  }

  const cono_params* raw_;
};

/// Arrays and texts by name, as abi.h lists them for each view. Read-only.
class Arrays {
 public:
  explicit Arrays(const cono_arrays* raw) : raw_(raw) {}

  std::optional<Tensor> find(std::string_view name) const {
    for (std::uint32_t i = 0; i < raw_->array_count; ++i) {
      const auto* item = reinterpret_cast<const cono_array*>(
          reinterpret_cast<const char*>(raw_->arrays) + std::size_t{i} * raw_->array_size);
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
    for (std::uint32_t i = 0; i < raw_->text_count; ++i)
      if (key == raw_->texts[i].key) return raw_->texts[i].value;
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
    if (status == CONO_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status != CONO_OK) throw std::invalid_argument("the host refused output " + name);
  }

  const cono_sink* raw_;
};

/// Runs body and turns whatever it throws into a status and a text. Nothing escapes.
template <typename Body>
cono_status guard(const cono_host* host, Body&& body) noexcept {
  const auto fail = [host](cono_status status, const char* text) {
    if (host != nullptr) host->set_error(host->self, text);
    return status;
  };
  try {
    body();
    return CONO_OK;
  } catch (const NotApplicable& e) {
    return fail(CONO_NOT_APPLICABLE, e.what());
  } catch (const Cancelled& e) {
    return fail(CONO_CANCELLED, e.what());
  } catch (const std::invalid_argument& e) {
    return fail(CONO_INVALID_ARGUMENT, e.what());
  } catch (const std::domain_error& e) {
    return fail(CONO_UNDEFINED, e.what());
  } catch (const std::bad_alloc&) {
    return fail(CONO_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return fail(CONO_INTERNAL, e.what());
  } catch (...) {
    return fail(CONO_INTERNAL, "threw something that is not a std::exception");
  }
}

/// The create and destroy slots of every kind.
template <typename Plugin>
cono_status create_instance(const cono_params* params, const cono_host* host,
                            void** instance) noexcept {
  return guard(host, [&] { *instance = new Plugin(Params(params)); });
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

  constexpr explicit MetadataNote(const char (&toml)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = toml[i];
  }
};

}  // namespace conoscope::sdk

#define CONOSCOPE_STRINGIZE_(x) #x
#define CONOSCOPE_STRINGIZE(x) CONOSCOPE_STRINGIZE_(x)

#define CONOSCOPE_METADATA_(kind_name, plugin_id, plugin_version, metadata) \
  "abi = \"" CONOSCOPE_STRINGIZE(CONO_ABI_MAJOR) "." CONOSCOPE_STRINGIZE(CONO_ABI_MINOR) "\"\n" \
  "kind = \"" kind_name "\"\nid = \"" plugin_id "\"\nversion = \"" plugin_version "\"\n" metadata

/// The note that is read without loading the file, and the one exported symbol.
/// metadata is a TOML text; docs/plugins.md lists its keys.
#define CONOSCOPE_PLUGIN_(Plugin, kind_name, kind_value, plugin_id, plugin_version, metadata)      \
  namespace {                                                                                      \
  __attribute__((section(".note.conoscope"), used, aligned(4))) constinit const ::conoscope::sdk:: \
      MetadataNote<sizeof(CONOSCOPE_METADATA_(kind_name, plugin_id, plugin_version, metadata))>    \
          conoscope_metadata_note(CONOSCOPE_METADATA_(kind_name, plugin_id, plugin_version,        \
                                                      metadata));                                  \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) const cono_plugin* conoscope_plugin_entry(     \
      std::uint32_t, std::uint32_t) noexcept {                                                     \
    static const cono_plugin plugin = {                                                            \
        sizeof(cono_plugin),                                                                       \
        CONO_ABI_MAJOR,                                                                            \
        CONO_ABI_MINOR,                                                                            \
        kind_value,                                                                                \
        plugin_id,                                                                                 \
        plugin_version,                                                                            \
        [](const char* interface_id) noexcept -> const void* {                                     \
          return ::conoscope::sdk::find_interface<Plugin>(interface_id);                           \
        }};                                                                                        \
    return &plugin;                                                                                \
  }
