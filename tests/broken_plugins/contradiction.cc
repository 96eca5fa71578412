// SPDX-License-Identifier: Apache-2.0
// Its metadata and its table name different ids.

#include "conoscope/sdk/abi.h"
#include "conoscope/sdk/plugin.h"
#include "tests/broken_plugins/note.h"

BROKEN_NOTE("abi = \"2.0\"\nkind = \"explainer\"\nid = \"contradiction\"\nversion = \"1.0.0\"\n")

extern "C" __attribute__((visibility("default"))) const cono_plugin* conoscope_plugin_entry(
    std::uint32_t, std::uint32_t) noexcept {
  static const cono_plugin plugin = {sizeof(cono_plugin),
                                     CONO_ABI_MAJOR,
                                     CONO_ABI_MINOR,
                                     CONO_EXPLAINER,
                                     "somebody_else",
                                     "1.0.0",
                                     [](const char*) noexcept -> const void* { return nullptr; }};
  return &plugin;
}
