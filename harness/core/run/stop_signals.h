// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace conoscope::core {

/// While it lives, SIGINT and SIGTERM ask the run to stop instead of killing it. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The last one since the latest was made; 0: none.
  static int last();
  /// How many came.
  static int count();

 private:
  struct sigaction int_ {
  }, term_{};
};

}  // namespace conoscope::core
