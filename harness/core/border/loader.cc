// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace conoscope::core {

const char* interface_id(Kind kind) {
  switch (kind) {
    case Kind::kDataset:
      return CONO_DATASET_INTERFACE;
    case Kind::kModel:
      return CONO_MODEL_INTERFACE;
    case Kind::kExplainer:
      return CONO_EXPLAINER_INTERFACE;
    case Kind::kMetric:
      return CONO_METRIC_INTERFACE;
  }
  return "";
}

std::string border_refusal(std::uint32_t major, std::uint32_t minor) {
  return "built for plugin border " + std::to_string(major) + "." + std::to_string(minor) +
         ", this conoscope has " + std::to_string(CONO_ABI_MAJOR) + "." +
         std::to_string(CONO_ABI_MINOR) +
         "; build it again: cmake --fresh -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build "
         "build, where PREFIX is where this conoscope is installed";
}

Metadata metadata_in(const std::filesystem::path& file) {
  auto out = read_metadata(file);
  if (!out) throw LoadFault(file.string() + ": has no metadata");
  return std::move(*out);
}

const cono_host* HostCalls::raw() {
  const std::lock_guard turn(turn_);
  error_.clear();
  raw_.struct_size = sizeof(raw_);
  raw_.threads = threads;
  raw_.seed = seed;
  raw_.scratch = scratch.c_str();
  raw_.self = this;
  raw_.set_error = [](void* self, const char* text) {
    auto& host = *static_cast<HostCalls*>(self);
    const std::lock_guard mine(host.turn_);
    host.error_ = text == nullptr ? "" : text;
  };
  raw_.progress = [](void* self, double done) {
    auto& host = *static_cast<HostCalls*>(self);
    const std::lock_guard mine(host.turn_);
    if (host.progress) host.progress(done);
  };
  raw_.cancelled = [](void* self) -> std::int32_t {
    auto& host = *static_cast<HostCalls*>(self);
    const std::lock_guard mine(host.turn_);
    return host.cancelled && host.cancelled() ? 1 : 0;
  };
  raw_.log = [](void* self, const char* text) {
    auto& host = *static_cast<HostCalls*>(self);
    const std::lock_guard mine(host.turn_);
    if (host.log && text != nullptr) host.log(text);
  };
  return &raw_;
}

std::string HostCalls::take_error() {
  const std::lock_guard turn(turn_);
  return error_.empty() ? "the plugin gave no reason" : std::move(error_);
}

LoadedPlugin::LoadedPlugin(const std::filesystem::path& file, const Metadata& metadata)
    : metadata_(metadata) {
  const std::string name = file.string();
  const auto refuse = [&name](const std::string& why) { throw LoadFault(name + ": " + why); };

  cono_plugin_entry_fn entry = nullptr;
  {
    const FloatGuard guard;
    const LocaleGuard locale;
    const auto library = std::make_shared<boost::dll::shared_library>();
    std::error_code error;
    library->load(name, error, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (error) {
      const char* const why = ::dlerror();
      refuse("cannot be loaded: " + (why != nullptr ? std::string(why) : error.message()));
    }
    if (library->has(CONO_ENTRY_SYMBOL))
      entry = &library->get<std::remove_pointer_t<cono_plugin_entry_fn>>(CONO_ENTRY_SYMBOL);
    library_ = library;
    if (guard.changed())
      refuse(
          "loading it changed the floating-point control word of the process (flush-to-zero): it, "
          "or "
          "a library it needs, was linked with -Ofast or -ffast-math; build it without");
  }
  if (entry == nullptr)
    refuse(std::string("exports no symbol ") + CONO_ENTRY_SYMBOL + " although it has metadata");
  {
    const FloatGuard guard;
    const LocaleGuard locale;
    plugin_ = entry(CONO_ABI_MAJOR, CONO_ABI_MINOR);
  }
  if (plugin_ == nullptr) refuse("its entry function returned no table");
  if (plugin_->struct_size < offsetof(cono_plugin, get_interface) + sizeof(void*))
    refuse("its plugin table has " + std::to_string(plugin_->struct_size) +
           " bytes, too few for plugin border " + std::to_string(CONO_ABI_MAJOR));
  if (plugin_->abi_major != CONO_ABI_MAJOR || plugin_->abi_minor > CONO_ABI_MINOR)
    refuse("its table is " + border_refusal(plugin_->abi_major, plugin_->abi_minor));
  if (plugin_->kind != static_cast<int>(metadata_.kind) + CONO_DATASET || plugin_->id == nullptr ||
      metadata_.id != plugin_->id || plugin_->version == nullptr ||
      metadata_.version != plugin_->version)
    refuse("its table contradicts its metadata in kind, id or version");
  if (plugin_->get_interface == nullptr || interface(interface_id(metadata_.kind)) == nullptr)
    refuse(std::string("offers no interface ") + interface_id(metadata_.kind));
}

const void* LoadedPlugin::interface(const char* id) const {
  const FloatGuard guard;
  return plugin_->get_interface(id);
}

void LoadedPlugin::read_table(const void* table, void* to, std::size_t size) {
  std::uint32_t own_size = 0;
  std::memcpy(&own_size, table, sizeof(own_size));
  std::memcpy(to, table, std::min<std::size_t>(own_size, size));
}

}  // namespace conoscope::core
