// Reads the plugin's ELF note by its program headers: they survive strip, section headers may not.

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>
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
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || std::filesystem::is_directory(file))
    throw PluginRefused(name + ": cannot be read: " + std::strerror(errno != 0 ? errno : EISDIR));
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

}  // namespace conoscope::core
