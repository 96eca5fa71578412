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

namespace {

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

}  // namespace

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

namespace {

/// No further than struct_size: what an older plugin's table lacks is NULL here.
template <typename Table>
Table read_table(const void* table) {
  std::uint32_t size = 0;
  std::memcpy(&size, table, sizeof(size));
  Table out{};
  std::memcpy(&out, table, std::min<std::size_t>(size, sizeof(Table)));
  return out;
}

bool has_main_slot(const cono_dataset& table) { return table.load != nullptr; }
bool has_main_slot(const cono_model& table) { return table.fit != nullptr; }
bool has_main_slot(const cono_explainer& table) { return table.fit != nullptr; }
bool has_main_slot(const cono_metric& table) { return table.score != nullptr; }
bool has_main_slot(const cono_forward& table) { return table.forward != nullptr; }
bool has_main_slot(const cono_forward_gradient& table) { return table.forward_gradient != nullptr; }
bool has_main_slot(const cono_explainer_model& table) { return table.fit != nullptr; }
bool has_main_slot(const cono_intervene& table) { return table.intervene != nullptr; }
bool has_main_slot(const cono_intervene_told& table) { return table.intervene != nullptr; }
bool has_main_slot(const cono_head& table) { return table.head != nullptr; }

}  // namespace

template <typename Table>
Table LoadedPlugin::table() const {
  const auto out = read_table<Table>(interface(interface_id(metadata_.kind)));
  if (out.create == nullptr || out.destroy == nullptr || !has_main_slot(out))
    throw LoadFault(metadata_.id + ": its " + interface_id(metadata_.kind) +
                    " table is incomplete");
  return out;
}

template <typename Table>
std::optional<Table> LoadedPlugin::optional_table(const char* id) const {
  const void* table = interface(id);
  if (table == nullptr) return std::nullopt;
  const auto out = read_table<Table>(table);
  return has_main_slot(out) ? std::optional<Table>(out) : std::nullopt;
}

template cono_dataset LoadedPlugin::table<cono_dataset>() const;
template cono_model LoadedPlugin::table<cono_model>() const;
template cono_explainer LoadedPlugin::table<cono_explainer>() const;
template cono_metric LoadedPlugin::table<cono_metric>() const;
template std::optional<cono_forward> LoadedPlugin::optional_table(const char*) const;
template std::optional<cono_forward_gradient> LoadedPlugin::optional_table(const char*) const;
template std::optional<cono_explainer_model> LoadedPlugin::optional_table(const char*) const;
template std::optional<cono_intervene> LoadedPlugin::optional_table(const char*) const;
template std::optional<cono_intervene_told> LoadedPlugin::optional_table(const char*) const;
template std::optional<cono_head> LoadedPlugin::optional_table(const char*) const;

}  // namespace conoscope::core
