// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plugin files that are never loaded: just enough of an ELF file to carry a metadata note. With
// them a test can have any plugin, and one whose bytes, and so whose hash, are the same everywhere.

#include <elf.h>

#include <cstring>
#include <string>

#include "conoscope/sdk/abi.h"

namespace conoscope::testing {

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// One note: owner, type, text, padded to four bytes.
inline std::string elf_note(const std::string& owner, std::uint32_t type, const std::string& text) {
  Elf64_Nhdr head{};
  head.n_namesz = static_cast<Elf64_Word>(owner.size() + 1);
  head.n_descsz = static_cast<Elf64_Word>(text.size() + 1);
  head.n_type = type;
  std::string out;
  append(out, head);
  for (const std::string* part : {&owner, &text}) {
    out += *part;
    out += '\0';
    while (out.size() % 4 != 0) out += '\0';
  }
  return out;
}

/// A 64-bit shared library with one loadable segment over everything and one of notes.
inline std::string elf_file(const std::string& notes) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  const std::uint64_t at = sizeof(header) + 2 * sizeof(Elf64_Phdr);
  Elf64_Phdr load{}, note{};
  load.p_type = PT_LOAD;
  load.p_filesz = load.p_memsz = at + notes.size();
  note.p_type = PT_NOTE;
  note.p_offset = at;
  note.p_filesz = note.p_memsz = notes.size();
  note.p_align = 4;
  std::string out;
  append(out, header);
  append(out, load);
  append(out, note);
  return out + notes;
}

/// A file with this metadata text.
inline std::string fake_plugin(const std::string& metadata) {
  return elf_file(elf_note(CONO_NOTE_NAME, CONO_NOTE_TYPE, metadata));
}

/// The four keys that every metadata text begins with, and what follows.
inline std::string metadata_text(const std::string& kind, const std::string& id,
                                 const std::string& rest = "",
                                 const std::string& version = "1.0.0") {
  return "abi = \"2.0\"\nkind = \"" + kind + "\"\nid = \"" + id + "\"\nversion = \"" + version +
         "\"\n" + rest;
}

}  // namespace conoscope::testing
