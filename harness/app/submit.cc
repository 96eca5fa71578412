// SPDX-License-Identifier: Apache-2.0
#include "harness/app/command.h"
#include "harness/app/options.h"

namespace conoscope::app {

int submit_command(const Arguments& arguments) {
  static constexpr Command kActions[] = {
      {"board", "make a submission to the shared leaderboard of a run", submit_board_command},
      {"slurm", "hand a run to a Slurm cluster, and say how far it is", submit_slurm_command},
  };
  return run_action("submit", kActions, arguments);
}

}  // namespace conoscope::app
