// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"

// What the formats for machines (csv, json and ndjson) share.

namespace conoscope::results {

/// Estimates and coverages become plain columns: x, x_half_width, x_n and x_message; x_n, x_asked.
Table expanded(const Table& table);

bool is_number(const Field& field);

/// The shortest digits that give the same number back.
std::string machine_number(const Field& field);

}  // namespace conoscope::results
