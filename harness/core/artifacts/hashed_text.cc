// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/hashed_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "harness/core/artifacts/sha256.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

std::string hash_line(const std::string& text) { return sha256_of_text(text) + '\n'; }

}  // namespace

void write_hashed(const fs::path& file, const std::string& text) {
  fs::remove(file);  // a link, whatever else a plugin may have put there
  if (text.empty()) return;
  std::ofstream out(file, std::ios::binary);
  out << hash_line(text) << text;
  out.close();
  if (!out)
    throw std::runtime_error(file.string() + ": cannot be written: " + std::strerror(errno));
}

std::string read_hashed(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t first = text.find('\n');
  if (first == text.npos) return "";
  const std::string rest = text.substr(first + 1);
  return hash_line(rest) == text.substr(0, first + 1) ? rest : "";
}

}  // namespace conoscope::core
