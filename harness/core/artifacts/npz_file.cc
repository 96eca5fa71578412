#include "harness/core/artifacts/npz_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/work_folders.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

using ChecksumTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Table k is of a byte with k zero bytes behind it.
constexpr ChecksumTables checksum_tables() {
  ChecksumTables out{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0xedb88320U : 0);
    out[0][byte] = state;
  }
  for (std::size_t k = 1; k < out.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      out[k][byte] = out[k - 1][byte] >> 8 ^ out[0][out[k - 1][byte] & 255];
  return out;
}

/// The CRC-32 that zip has, of what came before (`state`, which begins as 0xffffffff and ends
/// inverted) and these bytes: eight at a time.
std::uint32_t checksum_of(std::span<const char> bytes, std::uint32_t state) {
  static constexpr ChecksumTables kTables = checksum_tables();
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint32_t first =
        state ^ (at[0] | at[1] << 8 | at[2] << 16 | std::uint32_t{at[3]} << 24);
    state = 0;
    for (std::size_t i = 0; i < 4; ++i)
      state ^= kTables[7 - i][first >> 8 * i & 255] ^ kTables[3 - i][at[4 + i]];
  }
  for (; left > 0; ++at, --left) state = state >> 8 ^ kTables[0][(state ^ *at) & 255];
  return state;
}

struct Member {
  std::string name;
  std::uint32_t checksum = 0;
  std::uint64_t size = 0, offset = 0;
};

/// The fields of a record, little-endian as this machine is.
class Record {
 public:
  explicit Record(std::uint32_t signature) { add(signature); }
  template <typename... Fields>
  Record& add(Fields... fields) {
    (bytes_.append(reinterpret_cast<const char*>(&fields), sizeof(fields)), ...);
    return *this;
  }
  Record& add_text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// PKWARE's APPNOTE 6.3.10. Every size and offset has 64 bits (its section 4.5.3): one way for
// arrays of any size.
constexpr std::uint16_t kVersion = 45, kByUnix = 3 << 8 | kVersion, kUtf8 = 1 << 11, kStored = 0;
constexpr std::uint16_t kZip64 = 1, kSee64 = 0xffff, kNone = 0;
constexpr std::uint16_t kMidnight = 0, kFirstDay = 0x21;  // 1 January 1980, where its time begins
constexpr std::uint32_t kSeeZip64 = 0xffffffff, kFirstDisk = 0, kReadable = 0100644U << 16;

std::string local_header(const Member& member) {
  return Record(0x04034b50)
      .add(kVersion, kUtf8, kStored, kMidnight, kFirstDay, member.checksum, kSeeZip64, kSeeZip64)
      .add(static_cast<std::uint16_t>(member.name.size()), std::uint16_t{20})
      .add_text(member.name)
      .add(kZip64, std::uint16_t{16}, member.size, member.size)
      .bytes();
}

std::string directory_entry(const Member& member) {
  return Record(0x02014b50)
      .add(kByUnix, kVersion, kUtf8, kStored, kMidnight, kFirstDay, member.checksum)
      .add(kSeeZip64, kSeeZip64, static_cast<std::uint16_t>(member.name.size()), std::uint16_t{28})
      .add(kNone, kNone, kNone, kReadable, kSeeZip64)
      .add_text(member.name)
      .add(kZip64, std::uint16_t{24}, member.size, member.size, member.offset)
      .bytes();
}

/// What closes a file whose directory lies at `offset`.
std::string end_of_directory(std::uint64_t members, std::uint64_t size, std::uint64_t offset) {
  return Record(0x06064b50)
             .add(std::uint64_t{44}, kByUnix, kVersion, kFirstDisk, kFirstDisk, members, members)
             .add(size, offset)
             .bytes() +
         Record(0x07064b50).add(kFirstDisk, offset + size, std::uint32_t{1}).bytes() +
         Record(0x06054b50).add(kNone, kNone, kSee64, kSee64, kSeeZip64, kSeeZip64, kNone).bytes();
}

/// Appends the file's bytes behind a header that is known once they are.
/// throws  std::runtime_error: it cannot be read
Member append(const fs::path& file, std::ofstream& out) {
  Member member{file.filename().string()};
  member.offset = static_cast<std::uint64_t>(out.tellp());
  out << local_header(member);
  std::ifstream in(file, std::ios::binary);
  std::uint32_t checksum = 0xffffffff;
  std::vector<char> part(std::size_t{1} << 20);
  while (out &&
         (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0)) {
    const std::span<const char> bytes(part.data(), static_cast<std::size_t>(in.gcount()));
    checksum = checksum_of(bytes, checksum);
    member.size += bytes.size();
    out.write(bytes.data(), in.gcount());
  }
  if (out && !in.eof()) throw std::runtime_error(file.string() + ": cannot be read");
  member.checksum = ~checksum;
  const auto end = out.tellp();
  out.seekp(static_cast<std::streamoff>(member.offset));
  out << local_header(member);
  out.seekp(end);
  return member;
}

}  // namespace

void write_npz(const fs::path& artifact, const fs::path& file) {
  const std::vector<fs::path> files = artifact_files(artifact);
  const fs::path part = file.string() + '.' + random_name();
  std::error_code error;
  try {
    errno = 0;
    std::ofstream out(part, std::ios::binary);
    std::string directory;
    for (const auto& one : files)
      if (out) directory += directory_entry(append(one, out));
    const auto begin = static_cast<std::uint64_t>(out.tellp());
    out << directory << end_of_directory(files.size(), directory.size(), begin);
    out.close();
    if (!out)
      throw std::runtime_error(file.string() + ": cannot be written: " + std::strerror(errno));
    fs::rename(part, file, error);
    if (error) throw std::runtime_error(file.string() + ": cannot be written: " + error.message());
  } catch (...) {
    fs::remove(part, error);
    throw;
  }
}

}  // namespace conoscope::core
