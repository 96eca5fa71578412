// SPDX-License-Identifier: Apache-2.0
// In the place of jpeg.cc where the library is not there.

#include <stdexcept>

#include "datasets/formats/image.h"

namespace conoscope::formats {

bool reads_jpeg() { return false; }

Image detail::read_jpeg(std::span<const char>, const std::string& path, Colour) {
  throw std::invalid_argument(
      path + ": this build does not read JPEG (Debian: libjpeg-dev, then build again)");
}

}  // namespace conoscope::formats
