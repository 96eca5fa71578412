#include "harness/app/command.h"

namespace conoscope::app {

int plugin_check_command(const Arguments&) {
  throw UsageError("plugin check: not part of this build");
}

}  // namespace conoscope::app
