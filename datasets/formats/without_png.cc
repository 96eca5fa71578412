// SPDX-License-Identifier: Apache-2.0
// In the place of png.cc where the library is not there.

#include <stdexcept>

#include "datasets/formats/image.h"

namespace conoscope::formats {

bool reads_png() { return false; }

Image detail::read_png(std::span<const char>, const std::string& path, Colour) {
  throw std::invalid_argument(
      path + ": this build does not read PNG (Debian: libpng-dev, then build again)");
}

}  // namespace conoscope::formats
