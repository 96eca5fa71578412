#pragma once

// How a worker's process ends, and what it says of it.

#include <functional>
#include <string>

#include "harness/core/processes/protocol.h"
#include "results/store/rows.h"

namespace conoscope::core {

/// A plugin has said why it gives no result; passed on as it is.
struct PluginFault {
  results::Status status;
  std::string message;
  int code = 1;  ///< for the worker to end with
};

/// Does `work`, and reports `word`, or why there is no result. Ends the process: static destructors
/// and exit handlers are the plugins' code too.
[[noreturn]] void work_and_end(const Reporter& report, const std::string& word,
                               const std::function<void()>& work);

}  // namespace conoscope::core
