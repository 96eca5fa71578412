// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace conoscope::numerics {

/// SHA-256 (FIPS 180-4), by the processor's own instructions where it has them.
class Sha256 {
 public:
  void update(std::span<const char> bytes);
  /// Adds a text with its length, so that ("ab", "c") and ("a", "bc") differ.
  Sha256& field(std::string_view text);
  /// 64 lower-case hexadecimal digits. The object is used up.
  std::string hex();

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;
};

/// 32 hexadecimal digits of the hash over fields: the key of a component, an artifact, a cell or an
/// environment.
template <typename... Fields>
std::string make_key(const Fields&... fields) {
  Sha256 hash;
  (hash.field(fields), ...);
  return hash.hex().substr(0, 32);
}

}  // namespace conoscope::numerics
