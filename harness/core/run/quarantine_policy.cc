// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/quarantine_policy.h"

#include <csignal>

namespace conoscope::core {

namespace {

constexpr double kShortestTelling = 2;

}  // namespace

bool ended_by_others(const JobEnd& end) { return end.signal == SIGKILL || end.signal == SIGTERM; }

bool died_by_loading(const JobEnd& end, double seconds) {
  if (!end.died() || end.step != "load") return false;
  return end.status == results::Status::crashed ? !ended_by_others(end)
                                                : seconds >= kShortestTelling;
}

}  // namespace conoscope::core
