// SPDX-License-Identifier: Apache-2.0
// Its result depends on where it lies in memory: the same within a process, another in the next.

#include <cstdint>

#include "tests/broken_plugins/base.h"

namespace {

int anchor = 0;

}  // namespace

BROKEN_EXPLAINER("address_dependent", {
  const auto made = conoscope::broken::explain(head, out);
  const auto address = reinterpret_cast<std::uintptr_t>(&anchor) >> 12;
  made.importance[0] = 1.0 + static_cast<double>(address % 1000003);
})
