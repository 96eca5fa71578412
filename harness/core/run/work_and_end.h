// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a worker's process ends, and what it says of it.

#include <functional>

#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// Does `work`, and reports that it is done, or why there is no result. Ends the process.
[[noreturn]] void work_and_end(const Reporter& report, const std::function<void()>& work);

}  // namespace conoscope::core
