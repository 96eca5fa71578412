#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace conoscope::core {

/// SHA-256 (FIPS 180-4): the content identity of plugins, data files and everything derived from
/// them.
class Sha256 {
 public:
  void update(std::span<const char> bytes);
  /// Adds a text with its length, so that ("ab", "c") and ("a", "bc") differ.
  Sha256& field(std::string_view text);
  /// 64 lower-case hexadecimal digits. The object is used up.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;
};

/// The hash of a file's bytes.
/// throws  std::runtime_error: the file cannot be read (names it and says why)
std::string sha256_of_file(const std::filesystem::path& file);

/// 32 hexadecimal digits of the hash over fields: the key of a component, an artifact or a cell.
template <typename... Fields>
std::string make_key(const Fields&... fields) {
  Sha256 hash;
  (hash.field(fields), ...);
  return hash.hex().substr(0, 32);
}

}  // namespace conoscope::core
