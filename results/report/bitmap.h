#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conoscope::results {

/// A small square picture as a data: address, in the BMP format, which every browser reads.
///
/// colours  65536 red + 256 green + blue, row after row from the top; their number is a square
std::string bitmap_address(const std::vector<std::uint32_t>& colours);

}  // namespace conoscope::results
