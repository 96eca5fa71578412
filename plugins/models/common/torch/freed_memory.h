#pragma once

namespace conoscope::models {

/// For training loops. A step frees about as much as the next one takes; where the C library gives
/// that back to the kernel in between, each of its pages is mapped and cleared anew, which cost
/// more than half of the time with images of 64 x 64. From here on this process keeps it.
void keep_freed_memory();

}  // namespace conoscope::models
