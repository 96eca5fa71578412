// SPDX-License-Identifier: Apache-2.0
#include "numerics/sha256_of_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "numerics/sha256.h"

namespace conoscope::numerics {

std::string sha256_of_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() +
                             ": cannot be read: " + std::strerror(errno != 0 ? errno : EISDIR));
  Sha256 hash;
  // A worker hashes a dozen small files: a larger buffer's pages would be cleared for each of them.
  std::array<char, 1 << 16> buffer;
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.update({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) throw std::runtime_error(file.string() + ": reading failed");
  return hash.hex();
}

}  // namespace conoscope::numerics
