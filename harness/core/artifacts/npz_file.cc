// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/npz_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/artifacts/manifest.h"
#include "harness/core/artifacts/work_folders.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

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
  std::vector<char> part(std::size_t{1} << 20);
  while (out &&
         (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0)) {
    const auto read = static_cast<uInt>(in.gcount());
    member.checksum = static_cast<std::uint32_t>(
        crc32(member.checksum, reinterpret_cast<const Bytef*>(part.data()), read));
    member.size += read;
    out.write(part.data(), in.gcount());
  }
  if (out && !in.eof()) throw std::runtime_error(file.string() + ": cannot be read");
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
