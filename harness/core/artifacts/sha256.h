// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "numerics/sha256.h"
#include "numerics/sha256_of_file.h"

namespace conoscope::core {

/// The content identity of plugins, data files and everything derived from them.
using numerics::make_key;
using numerics::Sha256;
using numerics::sha256_of_file;

/// The hash of a text's bytes.
inline std::string sha256_of_text(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

}  // namespace conoscope::core
