// SPDX-License-Identifier: Apache-2.0
// Takes memory until it is stopped.

#include <cstring>

#include "tests/broken_plugins/base.h"

namespace {

char* volatile taken = nullptr;  // without it the compiler takes the allocation away

}  // namespace

BROKEN_EXPLAINER("leak_without_end", {
  while (true) {
    taken = new char[1 << 20];
    std::memset(taken, 1, 1 << 20);
  }
})
