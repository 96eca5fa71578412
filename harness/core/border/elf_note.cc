// Reads the plugin's ELF note by its program headers: they survive strip, section headers may not.

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"

namespace conoscope::core {

namespace {

#if defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_X86_64;
#endif

template <typename T>
T take(const std::vector<char>& bytes, std::uint64_t offset, const std::string& file) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw PluginRefused(file + ": cut short: an ELF header points behind the end of the file");
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

std::uint64_t padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

}  // namespace

std::optional<std::string> read_metadata_note(const std::filesystem::path& file) {
  const std::string name = file.string();
  // Before it is opened: to open a FIFO waits, and a device has no end.
  if (std::error_code error;
      std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    throw PluginRefused(
        name + ": cannot be read: " +
        (std::filesystem::is_directory(file, error) ? std::strerror(EISDIR) : "not a file"));
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) throw PluginRefused(name + ": cannot be read: " + std::strerror(errno));
  std::vector<char> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    throw PluginRefused(name + ": not a shared library: it does not start as an ELF file");
  const auto header = take<Elf64_Ehdr>(bytes, 0, name);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    throw PluginRefused(name + ": not a 64-bit little-endian ELF file");
  if (header.e_machine != kMachine)
    throw PluginRefused(name + ": built for another processor (ELF machine " +
                        std::to_string(header.e_machine) + ", this one is " +
                        std::to_string(kMachine) + ")");
  if (header.e_type != ET_DYN)
    throw PluginRefused(name + ": not a shared library (ELF type " + std::to_string(header.e_type) +
                        ")");

  std::optional<std::string> text;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = take<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize, name);
    // The loader maps what the headers promise; behind the end of the file that is a SIGBUS.
    if (segment.p_type == PT_LOAD &&
        (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset))
      throw PluginRefused(name + ": cut short: it has " + std::to_string(bytes.size()) +
                          " bytes, but promises " + std::to_string(segment.p_filesz) + " from " +
                          std::to_string(segment.p_offset) + " on");
    if (segment.p_type != PT_NOTE || text) continue;
    std::uint64_t at = segment.p_offset;
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    while (at + sizeof(Elf64_Nhdr) <= end && !text) {
      const auto note = take<Elf64_Nhdr>(bytes, at, name);
      const std::uint64_t owner = at + sizeof(Elf64_Nhdr);
      const std::uint64_t descriptor = owner + padded(note.n_namesz);
      if (note.n_type == CONO_NOTE_TYPE && note.n_namesz == sizeof(CONO_NOTE_NAME) &&
          owner + note.n_namesz <= bytes.size() &&
          std::memcmp(bytes.data() + owner, CONO_NOTE_NAME, sizeof(CONO_NOTE_NAME)) == 0) {
        if (descriptor + note.n_descsz > bytes.size())
          throw PluginRefused(name + ": cut short inside its metadata");
        text.emplace(bytes.data() + descriptor, note.n_descsz);
        while (!text->empty() && text->back() == '\0') text->pop_back();
      }
      at = descriptor + padded(note.n_descsz);
    }
  }
  return text;
}

std::vector<std::filesystem::path> library_folders(const std::filesystem::path& file) try {
  const std::string name = file.string();
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(in ? static_cast<std::size_t>(in.tellg()) : 0);
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto header = take<Elf64_Ehdr>(bytes, 0, name);
  std::vector<Elf64_Phdr> segments;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i)
    segments.push_back(take<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize, name));
  std::uint64_t strings = 0;  // an address
  std::vector<std::uint64_t> found;
  for (const auto& segment : segments)
    for (std::uint64_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      const auto entry = take<Elf64_Dyn>(bytes, segment.p_offset + at, name);
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) found.push_back(entry.d_un.d_val);
    }
  std::vector<std::filesystem::path> out;
  for (const std::uint64_t place : found)
    for (const auto& segment : segments) {
      if (segment.p_type != PT_LOAD || strings < segment.p_vaddr ||
          strings >= segment.p_vaddr + segment.p_filesz)
        continue;
      const std::uint64_t start = strings - segment.p_vaddr + segment.p_offset + place;
      if (start >= bytes.size()) continue;
      const auto end =
          std::find(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end(), 0);
      std::istringstream list({bytes.begin() + static_cast<std::ptrdiff_t>(start), end});
      for (std::string folder; std::getline(list, folder, ':');) {
        for (const std::string origin : {"$ORIGIN", "${ORIGIN}"})
          if (const auto at = folder.find(origin); at != folder.npos)
            folder.replace(at, origin.size(), file.parent_path().string());
        if (!folder.empty()) out.emplace_back(folder);
      }
    }
  return out;
} catch (const PluginRefused&) {
  return {};
}

}  // namespace conoscope::core
