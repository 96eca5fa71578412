// SPDX-License-Identifier: Apache-2.0
// Explainers that are wrong in one way each, by the definition of ODD. Built without the wrappers:
// with them most of this cannot be written.

#include <cstddef>

#include "conoscope/sdk/plugin.h"
#include "tests/support/float_control.h"

#define GOOD 0
#define NO_ENTRY 1
#define NO_TABLE 2
#define SMALL_TABLE 3
#define NEWER 4
#define OTHER_ID 5
#define NO_INTERFACE 6
#define NO_FIT 7
#define OLDER_EXPLAINER 8
#define UNRESOLVED 9
#define FLUSH 10
#define SMALL_EXPLAINER 11

namespace {

#define METADATA                                                          \
  CONOSCOPE_METADATA_("explainer", "odd", "1.0.0",                        \
                      "[parameters.b]\ntype = \"integer\"\ndefault = 1\n" \
                      "[parameters.a]\ntype = \"text\"\ndefault = \"x\"\n")
__attribute__((section(".note.conoscope"), used,
               aligned(4))) constinit const conoscope::sdk::MetadataNote<sizeof(METADATA)>
    note(METADATA);

#if ODD == UNRESOLVED
extern "C" int conoscope_test_nobody_defines_this();
const int unresolved = conoscope_test_nobody_defines_this();
#endif

#if ODD == FLUSH
__attribute__((constructor)) void flush() { conoscope::test::flush_to_zero(); }
#endif

cono_status create(const cono_params*, const cono_host* host, void** instance) {
  *instance = nullptr;
  if (host->seed == 13) {
    host->set_error(host->self, "thirteen");
    return CONO_INVALID_ARGUMENT;
  }
  if (host->seed == 14) return CONO_UNDEFINED;  // and no reason
  conoscope::test::flush_to_zero();             // the host puts this back
  return CONO_OK;
}
void destroy(void*) {}
cono_status fit(void*, const cono_arrays*, const cono_host*, const cono_sink*) { return CONO_OK; }

[[maybe_unused]] const cono_explainer* explainer() {
  static cono_explainer table{};
  table.struct_size = sizeof(table);
  table.create = create;
  table.destroy = destroy;
  table.fit = ODD == NO_FIT ? nullptr : fit;
  // An older plugin's table ends before these; what lies there is something else.
  if (ODD == OLDER_EXPLAINER) {
    table.struct_size = offsetof(cono_explainer, project);
    table.project = reinterpret_cast<decltype(table.project)>(0x1);
    table.reconstruct = reinterpret_cast<decltype(table.reconstruct)>(0x1);
  }
  if (ODD == SMALL_EXPLAINER) table.struct_size = offsetof(cono_explainer, fit);
  return &table;
}

}  // namespace

#if ODD != NO_ENTRY
extern "C" __attribute__((visibility("default"))) const cono_plugin* conoscope_plugin_entry(
    std::uint32_t, std::uint32_t) noexcept {
  static cono_plugin plugin = {
      sizeof(cono_plugin),
      CONO_ABI_MAJOR,
      CONO_ABI_MINOR,
      CONO_EXPLAINER,
      "odd",
      "1.0.0",
      [](const char* id) -> const void* {
        return ODD != NO_INTERFACE && std::strcmp(id, CONO_EXPLAINER_INTERFACE) == 0 ? explainer()
                                                                                     : nullptr;
      }};
  if (ODD == NO_TABLE) return nullptr;
  if (ODD == SMALL_TABLE) plugin.struct_size = offsetof(cono_plugin, get_interface);
  if (ODD == NEWER) plugin.abi_minor = CONO_ABI_MINOR + 1;
  if (ODD == OTHER_ID) plugin.id = "even";
#if ODD == UNRESOLVED
  if (unresolved != 0) return nullptr;
#endif
  return &plugin;
}
#endif
