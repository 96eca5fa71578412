// SPDX-License-Identifier: Apache-2.0
// Reads a library's notes, and what its loader is told, by its program headers: they survive strip,
// section headers may not.

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"
#include "harness/core/border/needed_libraries.h"
#include "harness/core/path_fault.h"

namespace conoscope::core {

namespace {

#if defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_X86_64;
#endif

template <typename T>
T taken(const std::string& bytes, std::uint64_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

/// A library, of which only what is asked for is read: each worker looks into its plugin more than
/// once, and plugins may be large.
class Library {
 public:
  /// throws  PluginRefused: it cannot be opened
  explicit Library(const std::filesystem::path& file) : name_(file.string()) {
    errno = 0;
    in_.open(file, std::ios::binary | std::ios::ate);
    if (!in_) throw PluginRefused(name_ + ": cannot be read: " + std::strerror(errno));
    size_ = static_cast<std::uint64_t>(in_.tellg());
  }

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  bool has(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }

  /// throws  PluginRefused: they lie behind its end, or are more than any note or table has
  std::string bytes(std::uint64_t offset, std::uint64_t count) {
    constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
    std::string out;
    if (count > kMost)
      throw PluginRefused(name_ + ": an ELF header promises a note or a table of " +
                          std::to_string(count) + " bytes");
    if (has(offset, count)) {
      out.resize(count);
      in_.seekg(static_cast<std::streamoff>(offset));
      in_.read(out.data(), static_cast<std::streamsize>(count));
    }
    if (out.size() != count || !in_) cut_short();
    return out;
  }
  [[noreturn]] void cut_short() const {
    throw PluginRefused(name_ + ": cut short: an ELF header points behind the end of the file");
  }
  Elf64_Ehdr header() { return taken<Elf64_Ehdr>(bytes(0, sizeof(Elf64_Ehdr)), 0); }
  std::vector<Elf64_Phdr> segments(const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> out(header.e_phnum);
    if (out.empty()) return out;
    const std::uint64_t step = header.e_phentsize;
    const auto table = bytes(header.e_phoff, (out.size() - 1) * step + sizeof(Elf64_Phdr));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = taken<Elf64_Phdr>(table, i * step);
    return out;
  }
  /// Up to the next zero byte.
  std::string text(std::uint64_t offset) {
    std::string out;
    in_.seekg(static_cast<std::streamoff>(offset));
    std::getline(in_, out, '\0');
    in_.clear();
    return out;
  }

 private:
  std::string name_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
};

std::uint64_t padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// What the first note of this owner (with its zero) and type holds.
std::optional<std::string> note_in(Library& library, const Elf64_Phdr& segment,
                                   std::string_view owner, Elf64_Word type) {
  const std::uint64_t left =
      library.size() - std::min<std::uint64_t>(segment.p_offset, library.size());
  const std::string notes =
      library.bytes(segment.p_offset, std::min<std::uint64_t>(segment.p_filesz, left));
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.p_filesz;) {
    if (at + sizeof(Elf64_Nhdr) > notes.size()) library.cut_short();
    const auto note = taken<Elf64_Nhdr>(notes, at);
    const std::uint64_t name = at + sizeof(Elf64_Nhdr);
    const std::uint64_t descriptor = name + padded(note.n_namesz);
    if (note.n_type == type && note.n_namesz == owner.size() &&
        notes.compare(name, note.n_namesz, owner) == 0) {
      if (descriptor + note.n_descsz > notes.size())
        throw PluginRefused(library.name() + ": cut short inside its metadata");
      return notes.substr(descriptor, note.n_descsz);
    }
    at = descriptor + padded(note.n_descsz);
  }
  return std::nullopt;
}

/// The folders of a run path, with $ORIGIN filled in.
std::vector<std::filesystem::path> folders_in(const std::string& run_path,
                                              const std::filesystem::path& file) {
  std::vector<std::filesystem::path> out;
  std::istringstream list(run_path);
  for (std::string folder; std::getline(list, folder, ':');) {
    for (const std::string origin : {"$ORIGIN", "${ORIGIN}"})
      if (const auto at = folder.find(origin); at != folder.npos)
        folder.replace(at, origin.size(), file.parent_path().string());
    if (!folder.empty()) out.emplace_back(folder);
  }
  return out;
}

std::string hexadecimal(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes)
    for (const int shift : {4, 0}) out += kDigits[static_cast<unsigned char>(byte) >> shift & 15];
  return out;
}

}  // namespace

std::optional<std::string> read_metadata_note(const std::filesystem::path& file) {
  const std::string name = file.string();
  // Before it is opened: to open a FIFO waits, and a device has no end.
  if (const auto fault = fault_of_file(file); !fault.empty() && fault_of_path(file).empty())
    throw PluginRefused(name + ": cannot be read: " + fault);
  Library library(file);
  if (library.size() < SELFMAG || library.bytes(0, SELFMAG) != ELFMAG)
    throw PluginRefused(name + ": not a shared library: it does not start as an ELF file");
  const auto header = library.header();
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
  for (const auto& segment : library.segments(header)) {
    // The loader maps what the headers promise; behind the end of the file that is a SIGBUS.
    if (segment.p_type == PT_LOAD && !library.has(segment.p_offset, segment.p_filesz))
      throw PluginRefused(name + ": cut short: it has " + std::to_string(library.size()) +
                          " bytes, but promises " + std::to_string(segment.p_filesz) + " from " +
                          std::to_string(segment.p_offset) + " on");
    if (segment.p_type != PT_NOTE || text) continue;
    text = note_in(library, segment, {CONO_NOTE_NAME, sizeof(CONO_NOTE_NAME)}, CONO_NOTE_TYPE);
    while (text && !text->empty() && text->back() == '\0') text->pop_back();
  }
  return text;
}

LoaderNeeds loader_needs(const std::filesystem::path& file) try {
  LoaderNeeds out;
  Library library(file);
  if (library.size() < SELFMAG || library.bytes(0, SELFMAG) != ELFMAG) return {};
  const auto header = library.header();
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return {};
  const auto segments = library.segments(header);
  std::uint64_t strings = 0;  // an address
  std::vector<Elf64_Dyn> found;
  for (const auto& segment : segments) {
    if (segment.p_type == PT_NOTE && out.build_id.empty())
      if (const auto id =
              note_in(library, segment, {ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)}, NT_GNU_BUILD_ID))
        out.build_id = hexadecimal(*id);
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::string entries = library.bytes(segment.p_offset, segment.p_filesz);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = taken<Elf64_Dyn>(entries, at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH || entry.d_tag == DT_NEEDED)
        found.push_back(entry);
    }
  }
  for (const Elf64_Dyn& entry : found)
    for (const auto& segment : segments) {
      if (segment.p_type != PT_LOAD || strings < segment.p_vaddr ||
          strings >= segment.p_vaddr + segment.p_filesz)
        continue;
      const std::uint64_t start = strings - segment.p_vaddr + segment.p_offset + entry.d_un.d_val;
      if (!library.has(start, 1)) continue;
      const std::string text = library.text(start);
      if (entry.d_tag == DT_NEEDED)
        out.libraries.push_back(text);
      else
        std::ranges::copy(folders_in(text, file),
                          std::back_inserter(entry.d_tag == DT_RPATH ? out.rpath : out.runpath));
    }
  return out;
} catch (const PluginRefused&) {
  return {};
}

std::vector<std::filesystem::path> library_folders(const std::filesystem::path& file) {
  LoaderNeeds needs = loader_needs(file);
  std::ranges::copy(needs.runpath, std::back_inserter(needs.rpath));
  return needs.rpath;
}

}  // namespace conoscope::core
