// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>

namespace conoscope::core {

/// Runs `call` many times and watches the memory, that no file backs, of a process and of all that it
/// has started.
/// seconds  after which no further call begins
/// throws   OutputFault: it grows without end; CallFault (not applicable): too slow to tell
void measure_growth(pid_t process, const std::function<void()>& call, double seconds);

/// The verdict on the resident bytes after each call: by how many it grew steadily, or 0.
/// Steadily: at least 1 MiB from the first quarter's mean to the last's, and in every quarter at
/// least a sixth of it; an allocator that warms up grows and then stops.
std::uint64_t steady_growth(std::span<const std::uint64_t> resident);

}  // namespace conoscope::core
