// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

struct StatusReport {
  Table runs;      ///< per run: asked, good, failed by status, not tried
  Table failures;  ///< each failed cell with stage, signal and message
  Table messages;  ///< what metrics say about their scores, and how often
};

/// How far is a run (key), or with an empty key every run?
StatusReport status(Store& store, const std::string& run = "");

/// How many of a run's cells each version of the program made, and when.
Table origins(Store& store, const std::string& run = "");

}  // namespace conoscope::results
