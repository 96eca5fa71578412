#pragma once

#include <filesystem>

#include "harness/core/border/loader.h"
#include "harness/core/border/metadata.h"
#include "harness/core/border/process_plugin.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// What the plugin says of itself.
/// throws  PluginRefused; LoadFault: nothing
inline Metadata metadata_in(const std::filesystem::path& file) {
  auto out = read_metadata(file);
  if (!out) throw LoadFault(file.string() + ": has no metadata");
  return std::move(*out);
}

/// A plugin of this process with an instance of it, ready to be called.
template <typename Table>
struct ReadyPlugin {
  /// host  is used in create() only
  /// throws  PluginRefused, LoadFault; CallFault: the plugin does not take its parameters
  ReadyPlugin(const PluginUse& use, HostCalls& host)
      : metadata(metadata_in(use.file)),
        plugin(loaded(use, metadata, host)),
        params(metadata, use.values),
        instance(plugin.table<Table>(), params, host) {}

  static LoadedPlugin loaded(const PluginUse& use, const Metadata& metadata,
                             const HostCalls& host) {
    const auto announce = [&] {
      if (host.before_load) host.before_load(use, metadata);
    };
    if (!use.command.empty()) return {process_plugin(use, metadata, announce), metadata};
    announce();
    return {use.file, metadata};
  }

  Metadata metadata;
  LoadedPlugin plugin;
  ParamTable params;
  Instance<Table> instance;
};

}  // namespace conoscope::core
