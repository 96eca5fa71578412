// SPDX-License-Identifier: Apache-2.0
// Has children hold the memory that it may not take itself.

#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "tests/broken_plugins/base.h"

namespace {

char* volatile taken = nullptr;  // without it the compiler takes the allocation away

}  // namespace

BROKEN_EXPLAINER("memory_of_children", {
  constexpr std::size_t kSize = std::size_t{200} << 20;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no children: not permitted");
    if (child > 0) continue;
    taken = new char[kSize];
    std::memset(taken, 1, kSize);
    while (true) ::pause();
  }
  while (true) ::pause();
})
