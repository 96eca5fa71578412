// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace conoscope::core {

// Two texts of what made an artifact (border/provenance.h), or of where that was and where this is.

/// "by openblas SkylakeX, here Haswell": what decides and is not the same; empty `there`: it is not
/// recorded.
std::string difference_text(const std::string& there, const std::string& here);

/// "artifact system: Linux 6.1.0 x86_64": the lines in which the places differ without a change of
/// any bit, as they are there.
std::set<std::string> lines_of_elsewhere(const std::string& there, const std::string& here);

}  // namespace conoscope::core
