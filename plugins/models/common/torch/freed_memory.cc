// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/freed_memory.h"

#include <malloc.h>

#include <climits>

namespace conoscope::models {

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

}  // namespace conoscope::models
