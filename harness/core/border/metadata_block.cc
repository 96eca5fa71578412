// SPDX-License-Identifier: Apache-2.0
// The metadata of a process plugin: TOML in a comment block of its source.
//
//   # /// conoscope
//   # kind = "explainer"
//   # ///

#include <cerrno>
#include <cstring>
#include <fstream>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"
#include "harness/core/path_fault.h"

namespace conoscope::core {

namespace {

// A source file has its block near its beginning; what is larger than this is no source.
constexpr std::size_t kMostSourceBytes = std::size_t{16} << 20;

std::string without_end_blanks(std::string line) {
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

bool starts_as(const std::filesystem::path& file, std::string_view start) {
  std::ifstream in(file, std::ios::binary);
  std::string head(start.size(), '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == start;
}

/// The block as TOML whose lines have the numbers that they have in the file.
std::optional<std::string> read_block(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (std::filesystem::file_size(file, error) > kMostSourceBytes || error) return std::nullopt;
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw PluginRefused(name + ": cannot be read: " + std::strerror(errno));
  std::string toml;
  std::size_t number = 0, begin = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = without_end_blanks(std::move(line));
    const std::string where = name + ":" + std::to_string(number) + ": ";
    if (line == "# /// conoscope") {
      if (begin > 0)
        throw PluginRefused(where + "a second block; the first one begins in line " +
                            std::to_string(begin));
      begin = number;
      inside = true;
      // Line 1 is never one of the block's own, so there is room for what a library's note says.
      toml = "abi = \"" + std::to_string(CONO_ABI_MAJOR) + "." + std::to_string(CONO_ABI_MINOR) +
             "\"" + std::string(number, '\n');
    } else if (inside && line == "# ///") {
      inside = false;
    } else if (inside) {
      if (line.empty() || line[0] != '#')
        throw PluginRefused(where + "the block that begins in line " + std::to_string(begin) +
                            " has no end, `# ///`");
      toml += line.substr(line.starts_with("# ") ? 2 : 1) + '\n';
    }
  }
  if (inside)
    throw PluginRefused(name + ":" + std::to_string(begin) +
                        ": the block that begins here has no end, `# ///`");
  return begin > 0 ? std::optional(toml) : std::nullopt;
}

}  // namespace

bool is_library(const std::filesystem::path& file) {
  return file.extension() == ".so" || starts_as(file, "\177ELF");
}

std::filesystem::path plugin_content(const std::filesystem::path& file) {
  return file.filename() == kPackageMain ? file.parent_path() : file;
}

std::optional<Metadata> read_metadata(const std::filesystem::path& file) {
  // Its type first: to open a FIFO waits.
  if (!fault_of_file(file).empty() || is_library(file)) {
    const auto note = read_metadata_note(file);
    return note ? std::optional(parse_metadata(*note, file.string())) : std::nullopt;
  }
  const auto block = read_block(file);
  return block ? std::optional(parse_metadata(*block, file.string(), MetadataFrom::kBlock))
               : std::nullopt;
}

}  // namespace conoscope::core
