// SPDX-License-Identifier: Apache-2.0
#include "harness/app/command.h"
#include "harness/app/options.h"

namespace conoscope::app {

int dataset_command(const Arguments& arguments) {
  constexpr Command kActions[] = {
      {"list", "the datasets of the search path", dataset_list_command},
      {"info", "what one says of itself, and what it holds", dataset_info_command},
      {"export", "its arrays as .npz or .npy files", dataset_export_command},
  };
  return run_action("dataset", kActions, arguments);
}

}  // namespace conoscope::app
