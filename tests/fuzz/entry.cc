// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way into one of the targets.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return conoscope::fuzz::CONOSCOPE_FUZZ_TARGET(
      std::string_view(reinterpret_cast<const char*>(data), size));
}
