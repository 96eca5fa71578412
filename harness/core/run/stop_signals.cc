// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/stop_signals.h"

namespace conoscope::core {

namespace {

volatile sig_atomic_t stop_signal = 0;
volatile sig_atomic_t stop_count = 0;

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  stop_count = 0;
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    stop_signal = signal;
    stop_count = stop_count + 1;
  };
  sigaction(SIGINT, &action, &int_);
  sigaction(SIGTERM, &action, &term_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &int_, nullptr);
  sigaction(SIGTERM, &term_, nullptr);
}

int StopSignals::last() { return stop_signal; }

int StopSignals::count() { return stop_count; }

}  // namespace conoscope::core
