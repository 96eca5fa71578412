// SPDX-License-Identifier: Apache-2.0
// Takes memory without end, in mappings that are shared with nobody.

#include <sys/mman.h>

#include <cstring>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("shared_memory", {
  constexpr std::size_t kSize = 1 << 24;
  while (true) {
    void* taken = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (taken != MAP_FAILED) std::memset(taken, 1, kSize);
  }
})
