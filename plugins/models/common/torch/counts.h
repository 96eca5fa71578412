#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conoscope::models {

/// Numbers of channels or of units, layer by layer, from a text like "32,64".
///
/// name    who asks and for what, as in "cnn: channels": the beginning of the error
/// throws  std::invalid_argument: not counts from 1 to 4096 with commas between
std::vector<std::int64_t> parse_counts(const std::string& name, const std::string& text);

}  // namespace conoscope::models
