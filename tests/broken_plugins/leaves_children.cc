// SPDX-License-Identifier: Apache-2.0
// Leaves processes behind, named cono_orphan, each in a session of its own and orphaned at once, that
// would sleep for an hour.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("leaves_children", {
  conoscope::broken::explain(head, out);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      if (::fork() != 0) ::_exit(0);
      ::prctl(PR_SET_NAME, "cono_orphan");
      ::sleep(3600);
      ::_exit(0);
    }
    if (child > 0) ::waitpid(child, nullptr, 0);
  }
})
