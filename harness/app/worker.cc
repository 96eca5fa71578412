#include "harness/core/run/worker.h"

#include "harness/app/command.h"

namespace conoscope::app {

int worker_command(const Arguments& arguments) {
  if (arguments.size() != 1) throw UsageError("worker: started by `conoscope run`, not by hand");
  return core::run_worker(arguments[0]);
}

}  // namespace conoscope::app
