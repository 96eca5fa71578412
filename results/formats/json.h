// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// A text, number or null; no estimate and no coverage.
std::string json_field(const Field& field);

/// One row as a JSON object.
std::string json_object(const Table& table, const std::vector<Field>& row);

}  // namespace conoscope::results
