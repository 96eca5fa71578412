// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace conoscope::models {

/// For training loops. A step frees about as much as the next one takes; where the C library gives
/// that back to the kernel in between, each of its pages is mapped and cleared anew. From here on
/// this process keeps it.
void keep_freed_memory();

}  // namespace conoscope::models
