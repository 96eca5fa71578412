// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/worker.h"

#include "harness/app/command.h"
#include "harness/core/conformance/trials.h"

namespace conoscope::app {

int worker_command(const Arguments& arguments) {
  if (arguments.size() == 3)
    return core::run_trial(arguments[0], arguments[1], std::stod(arguments[2]));
  if (arguments.size() != 1) throw UsageError("worker: started by `conoscope run`, not by hand");
  return core::run_worker(arguments[0]);
}

}  // namespace conoscope::app
