// SPDX-License-Identifier: Apache-2.0
// Takes space on the disk beyond the ends of empty files.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("space_beyond_end", {
  for (int i = 0;; ++i) {
    const std::string file = context.scratch() + "/" + std::to_string(i);
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20) != 0)
      throw std::runtime_error("no fallocate() here");
    ::close(fd);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
})
