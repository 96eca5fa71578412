// SPDX-License-Identifier: Apache-2.0
// In the place of hdf5_reader.cc where the library is not there.

#include <stdexcept>

#include "datasets/formats/reader_library.h"

CONOSCOPE_READER(const std::string& path) {
  throw std::invalid_argument(
      path + ": this build does not read HDF5 (Debian: libhdf5-dev, then build again)");
}
