// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/status.h"
#include "harness/core/border/float_guard.h"
#include "harness/core/border/locale_guard.h"
#include "harness/core/border/metadata.h"
#include "harness/core/border/param_table.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// The file cannot be used as the plugin that its metadata promise.
class LoadFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why a plugin built for another version of the border is not loaded, and what to do.
std::string border_refusal(std::uint32_t major, std::uint32_t minor);

/// Of the table that every plugin of the kind has.
const char* interface_id(Kind kind);

/// What the plugin says of itself.
/// throws  PluginRefused; LoadFault: nothing
Metadata metadata_in(const std::filesystem::path& file);

/// What a plugin answered, when that was not CONO_OK.
class CallFault : public std::runtime_error {
 public:
  CallFault(cono_status status, const std::string& text)
      : std::runtime_error(text), status_(status) {}
  cono_status status() const { return status_; }

 private:
  cono_status status_;
};

/// What a plugin's calls are told, and who hears what is said in them.
struct Host {
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  std::string scratch;
  std::function<void(double)> progress;
  std::function<void(const std::string&)> log;
  std::function<bool()> cancelled;
  /// Called in the process that is to run a plugin, before it is loaded there, with its scratch folder.
  std::function<void(const PluginUse&, const Metadata&, const std::string&)> before_load;
};

/// The host's side of one call. A plugin may use it from threads of its own, so its functions take
/// turns: what is assigned to progress, log and cancelled need not be safe to call from several.
class HostCalls : public Host {
 public:
  HostCalls() = default;
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  const cono_host* raw();
  std::string take_error();

 private:
  cono_host raw_{};
  std::mutex turn_;
  std::string error_;
};

/// A plugin in this process, until the end of this object; that of a plugin's own process ends with it.
class LoadedPlugin {
 public:
  /// throws  LoadFault: cannot be loaded, no entry symbol, tables that contradict the metadata, or
  ///         loading it changed the floating-point control word
  LoadedPlugin(const std::filesystem::path& file, const Metadata& metadata);
  const Metadata& metadata() const { return metadata_; }

  /// nullptr: not supported.
  const void* interface(const char* id) const;

  /// The kind's main table; slots that the plugin's own table is too short for are NULL.
  /// throws  LoadFault: missing, too small, or without create, destroy or `main`
  template <typename Table, typename Slot>
  Table table(Slot Table::*main) const {
    Table out{};
    read_table(interface(interface_id(metadata_.kind)), &out, sizeof(out));
    if (out.create == nullptr || out.destroy == nullptr || out.*main == nullptr)
      throw LoadFault(metadata_.id + ": its " + interface_id(metadata_.kind) +
                      " table is incomplete");
    return out;
  }
  /// An optional interface; nullopt: not supported, or without its first slot.
  template <typename Table>
  std::optional<Table> optional_table(const char* id) const {
    struct {
      std::uint32_t struct_size, reserved;
      void (*slot)();
    } first{};
    Table out{};
    static_assert(sizeof(out) >= sizeof(first));
    const void* const table = interface(id);
    if (table == nullptr) return std::nullopt;
    read_table(table, &first, sizeof(first));
    read_table(table, &out, sizeof(out));
    return first.slot == nullptr ? std::nullopt : std::optional(out);
  }

 private:
  /// No further than the table's own struct_size: what an older plugin's lacks stays as it is.
  static void read_table(const void* table, void* to, std::size_t size);

  Metadata metadata_;
  std::shared_ptr<const void> library_;
  const cono_plugin* plugin_ = nullptr;
};

inline constexpr std::string_view kLocaleChanged =
    "the call changed the locale of the process, which was put back";

/// Runs one call across the border under a FloatGuard and a LocaleGuard.
/// throws  CallFault with the plugin's text
template <typename Call>
void call_plugin(HostCalls& host, Call&& call) {
  cono_status status = CONO_INTERNAL;
  {
    const FloatGuard guard;
    const LocaleGuard locale;
    status = call(host.raw());
    if (locale.changed() && host.log) host.log(std::string(kLocaleChanged));
  }
  if (status != CONO_OK) throw CallFault(status, host.take_error());
}

}  // namespace conoscope::core
