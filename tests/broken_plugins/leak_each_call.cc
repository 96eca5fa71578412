// SPDX-License-Identifier: Apache-2.0
// Forgets 32 KiB with every call.

#include <cstring>

#include "tests/broken_plugins/base.h"

namespace {

char* volatile forgotten = nullptr;  // without it the compiler takes the allocation away

}  // namespace

BROKEN_EXPLAINER("leak_each_call", {
  forgotten = new char[1 << 15];
  std::memset(forgotten, 1, 1 << 15);
  conoscope::broken::explain(head, out);
})
