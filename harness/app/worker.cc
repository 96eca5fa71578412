#include "harness/core/run/worker.h"

#include <cerrno>
#include <cstring>

#include "harness/app/command.h"
#include "harness/core/processes/starter.h"
#include "metrics/catalogue.h"

namespace conoscope::app {

namespace {

/// Where this process's command line holds its second argument: the C library knows where it begins.
char* second_argument() {
  char* const command = program_invocation_name + std::strlen(program_invocation_name) + 1;
  return command + std::strlen(command) + 1;
}

}  // namespace

int worker_command(const Arguments& arguments) {
  if (arguments.size() != 1) throw UsageError("worker: started by `conoscope run`, not by hand");
  if (arguments[0] == core::starter_argument()) {
    metrics::catalogue();  // made once, for all that score
    core::serve_starts(second_argument(), core::run_worker);
  }
  return core::run_worker(arguments[0]);
}

}  // namespace conoscope::app
