#pragma once

#include <string>

namespace conoscope::core {

/// "0.1.0"
std::string version_text();
/// Version, commit, compiler and flags, a line each: what is needed to repeat a result.
std::string build_text();

}  // namespace conoscope::core
