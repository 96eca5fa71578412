#pragma once

#include <filesystem>

#include "harness/core/border/loader.h"
#include "harness/core/border/metadata.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// What the plugin says of itself.
/// throws  PluginRefused; LoadFault: nothing
inline Metadata metadata_in(const std::filesystem::path& file) {
  const auto note = read_metadata_note(file);
  if (!note) throw LoadFault(file.string() + ": has no metadata");
  return parse_metadata(*note, file.string());
}

/// A plugin of this process with an instance of it, ready to be called.
template <typename Table>
struct ReadyPlugin {
  /// host  is used in create() only
  /// throws  PluginRefused, LoadFault; CallFault: the plugin does not take its parameters
  ReadyPlugin(const PluginUse& use, HostCalls& host)
      : metadata(announced(use, host)),
        plugin(use.file, metadata),
        params(metadata, use.values),
        instance(plugin.table<Table>(), params, host) {}

  static Metadata announced(const PluginUse& use, const HostCalls& host) {
    Metadata out = metadata_in(use.file);
    if (host.before_load) host.before_load(use, out);
    return out;
  }

  Metadata metadata;
  LoadedPlugin plugin;
  ParamTable params;
  Instance<Table> instance;
};

}  // namespace conoscope::core
