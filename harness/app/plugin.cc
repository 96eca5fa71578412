#include "harness/app/command.h"

namespace conoscope::app {

int plugin_command(const Arguments&) { throw UsageError("plugin: list, info, check or new"); }

}  // namespace conoscope::app
