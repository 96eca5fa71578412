// SPDX-License-Identifier: Apache-2.0
#include "harness/app/command.h"
#include "harness/app/options.h"

namespace conoscope::app {

int plugin_command(const Arguments& arguments) {
  constexpr Command kActions[] = {
      {"list", "the plugins of the search path", plugin_list_command},
      {"info", "what one says of itself", plugin_info_command},
      {"check", "run the conformance suite on a file", plugin_check_command},
      {"new", "start a plugin of your own", plugin_new_command},
  };
  return run_action("plugin", kActions, arguments);
}

}  // namespace conoscope::app
