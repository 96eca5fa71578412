// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace conoscope::results {

/// What a store holds by itself. Parents before children, for the foreign keys; attempts before scores and
/// scores before retractions, for the triggers that keep current_score, which is derived.
inline constexpr std::array<std::string_view, 16> kTables = {
    "plugin",       "component",        "metric_key",    "environment", "run",   "cell",
    "run_cell",     "run_metric",       "run_component", "attempt",     "score", "sample_score",
    "attempt_peer", "attempt_checksum", "retraction",    "event"};

}  // namespace conoscope::results
