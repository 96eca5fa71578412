// SPDX-License-Identifier: Apache-2.0
// Fills its scratch with files of a MiB, each of which would be allowed.

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("small_files_without_end", {
  const std::string text(1 << 20, 'x');
  for (int i = 0;; ++i) {
    std::ofstream(context.scratch() + "/" + std::to_string(i)) << text;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it is only to be seen
  }
})
