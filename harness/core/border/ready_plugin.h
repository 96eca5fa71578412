#pragma once

#include <filesystem>

#include "harness/core/border/loader.h"
#include "harness/core/border/metadata.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// A plugin of this process with an instance of it, ready to be called.
template <typename Table>
struct ReadyPlugin {
  /// host  is used in create() only
  /// throws  PluginRefused, LoadFault; CallFault: the plugin does not take its parameters
  ReadyPlugin(const PluginUse& use, HostCalls& host)
      : metadata(read_metadata(use.file)),
        plugin(use.file, metadata),
        params(metadata, use.values),
        instance(plugin.table<Table>(), params, host) {}

  static Metadata read_metadata(const std::filesystem::path& file) {
    const auto note = read_metadata_note(file);
    if (!note) throw LoadFault(file.string() + ": has no metadata");
    return parse_metadata(*note, file.string());
  }

  Metadata metadata;
  LoadedPlugin plugin;
  ParamTable params;
  Instance<Table> instance;
};

}  // namespace conoscope::core
