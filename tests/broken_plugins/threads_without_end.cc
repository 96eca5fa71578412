// SPDX-License-Identifier: Apache-2.0
// Starts threads for as long as it may, and keeps them.

#include <pthread.h>
#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("threads_without_end", {
  const auto wait = [](void*) -> void* {
    while (true) ::pause();
  };
  while (true) {
    pthread_t thread;
    if (::pthread_create(&thread, nullptr, wait, nullptr) != 0) ::usleep(1000);
  }
})
