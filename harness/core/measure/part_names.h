// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/artifact.h"

namespace conoscope::core {

/// What the parts of a score may be of, by axis (see metrics::Metric::parts): the names of all
/// concepts, factors and outputs, where the data have names, else "concept 0", "concept 1" ...
struct AxisNames {
  std::map<std::string, std::vector<std::string>, std::less<>> of;
  std::set<std::string, std::less<>> given;  ///< axes that have names of their own
};

/// dataset  its annotations, and the texts concept_names, factor_names, target_names and class_names
/// model    the head
AxisNames axis_names(const ArrayBag& dataset, const ArrayBag& model);

/// What one part is of: "wing", "concept 3", "code 1, age"; empty: that is not known.
///
/// axes  Metric::parts
std::string part_name(std::string_view axes, std::int64_t part, const AxisNames& names);
/// The same of a metric's part; empty, too, for those of plugins.
std::string name_of_part(std::string_view metric, std::int64_t part, const AxisNames& names);

}  // namespace conoscope::core
