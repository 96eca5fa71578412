// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/quarantine_policy.h"

#include <doctest/doctest.h>

#include <csignal>

using namespace conoscope::core;
using conoscope::results::Status;

TEST_CASE(
    "quarantine: what dies as it is loaded, but for what others ended and a limit too short") {
  const auto died = [](Status status, const char* step, std::int64_t signal, double limit = 60) {
    JobEnd end;
    end.status = status;
    end.step = step;
    if (signal != 0) end.signal = signal;
    return died_by_loading(end, limit);
  };
  CHECK(died(Status::crashed, "load", SIGSEGV));
  CHECK(died(Status::crashed, "load", SIGSEGV, 0.5));
  CHECK(died(Status::crashed, "load", 0));  // it exited
  CHECK_FALSE(died(Status::crashed, "fit", SIGSEGV));
  CHECK_FALSE(died(Status::crashed, "load", SIGKILL));
  CHECK_FALSE(died(Status::crashed, "load", SIGTERM));
  CHECK(died(Status::timeout, "load", SIGKILL));
  CHECK(died(Status::timeout, "load", SIGKILL, 2.0));
  CHECK_FALSE(died(Status::timeout, "load", SIGKILL, 1.9));
  CHECK_FALSE(died(Status::timeout, "fit", SIGKILL));
  for (const Status status : {Status::failed, Status::out_of_memory, Status::invalid_output})
    CHECK_FALSE(died(status, "load", 0));
}
