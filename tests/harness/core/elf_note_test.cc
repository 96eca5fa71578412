// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/border/metadata.h"
#include "tests/support/bytes_of.h"
#include "tests/support/fake_plugin.h"
#include "tests/support/plugin_driver.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::bytes_of;
using conoscope::testing::elf_file;
using conoscope::testing::elf_note;
using conoscope::testing::fake_plugin;
using conoscope::testing::Scratch;

namespace {

template <typename T>
void patch(std::string& bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

constexpr std::size_t kLoadSegment = sizeof(Elf64_Ehdr);
constexpr std::size_t kNoteSegment = kLoadSegment + sizeof(Elf64_Phdr);

}  // namespace

TEST_CASE("the note is found among others, without its padding") {
  const Scratch scratch;
  const std::string ours = elf_note("conoscope", 1, "id = \"x\"");
  const auto read = [&](const std::string& notes) {
    return read_metadata_note(scratch.write("p.so", elf_file(notes)));
  };
  CHECK(read(ours) == "id = \"x\"");
  CHECK(read(elf_note("GNU", 3, "build id") + ours) == "id = \"x\"");
  CHECK(read(elf_note("GNU", 1, "abi") + elf_note("conoscope", 2, "later") + ours) == "id = \"x\"");
  CHECK(read(elf_note("conoscopf", 1, "not ours") + ours) == "id = \"x\"");
}

TEST_CASE("a library without our note is no plugin, and no fault") {
  const Scratch scratch;
  CHECK_FALSE(read_metadata_note(scratch.write("a.so", elf_file(""))).has_value());
  CHECK_FALSE(
      read_metadata_note(scratch.write("b.so", elf_file(elf_note("GNU", 1, "x")))).has_value());
  // A real one: the C library that this test runs with.
  std::ifstream maps("/proc/self/maps");
  std::string library;
  for (std::string line; library.empty() && std::getline(maps, line);)
    if (line.find("/libc.so") != line.npos || line.find("/libc-") != line.npos)
      library = line.substr(line.find('/'));
  REQUIRE_FALSE(library.empty());
  CHECK_FALSE(read_metadata_note(library).has_value());
}

TEST_CASE("what is not a shared library is refused in words") {
  const Scratch scratch;
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    const auto file = scratch.write("p.so", bytes);
    CHECK_THROWS_SAYING(read_metadata_note(file), PluginRefused, file, why);
  };
  refused("", "not a shared library: it does not start as an ELF file");
  refused("INPUT(libx.so.1)\n", "not a shared library");
  std::string bytes = fake_plugin("x");
  bytes[EI_CLASS] = ELFCLASS32;
  refused(bytes, "not a 64-bit little-endian ELF file");
  bytes = fake_plugin("x");
  bytes[EI_DATA] = ELFDATA2MSB;
  refused(bytes, "not a 64-bit little-endian ELF file");
  bytes = fake_plugin("x");
  patch(bytes, offsetof(Elf64_Ehdr, e_type), Elf64_Half{ET_REL});
  refused(bytes, "not a shared library (ELF type 1)");
  bytes = fake_plugin("x");
  patch(bytes, offsetof(Elf64_Ehdr, e_machine), Elf64_Half{EM_RISCV});
  refused(bytes, "built for another processor (ELF machine 243, this one is ");
  CHECK_THROWS_SAYING(read_metadata_note(scratch.path("none.so")), PluginRefused, "none.so",
                      "No such file");
  CHECK_THROWS_SAYING(read_metadata_note(scratch.path("")), PluginRefused, "a folder, not a file");
}

TEST_CASE("what no note can be is not read, however large the file") {
  const Scratch scratch;
  std::string bytes = fake_plugin("x");
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;
  patch(bytes, kNoteSegment + offsetof(Elf64_Phdr, p_filesz), kHuge);
  const auto file = scratch.write("sparse.so", bytes);
  std::filesystem::resize_file(file, kHuge);  // takes no room
  CHECK_THROWS_SAYING(read_metadata_note(file), PluginRefused, file,
                      "an ELF header promises a note or a table of ");
}

TEST_CASE("a plugin cut short anywhere is refused or no plugin, never a crash") {
  const Scratch scratch;
  const std::string small =
      elf_file(elf_note("GNU", 3, "build") + elf_note("conoscope", 1, "text"));
  for (std::size_t length = 0; length < small.size(); ++length) {
    const auto file = scratch.write("cut.so", small.substr(0, length));
    CHECK_THROWS_AS(read_metadata_note(file), PluginRefused);
  }
  // A real one, whose segments the loader would map: at a thousand places.
  const std::string real = bytes_of(conoscope::testing::plugin_file("random_concepts"));
  REQUIRE(real.size() > 1000);
  // What the loader would map ends here; behind it are section headers and debugging information.
  Elf64_Ehdr header;
  std::memcpy(&header, real.data(), sizeof(header));
  std::uint64_t mapped = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment,
                real.data() + header.e_phoff + sizeof(segment) * static_cast<std::size_t>(i),
                sizeof(segment));
    if (segment.p_type == PT_LOAD) mapped = std::max(mapped, segment.p_offset + segment.p_filesz);
  }
  REQUIRE(mapped > 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t length = real.size() * i / 1000;
    CAPTURE(length);
    const auto file = scratch.write("cut.so", real.substr(0, length));
    if (length < mapped)
      CHECK_THROWS_AS(read_metadata_note(file), PluginRefused);
    else
      CHECK(read_metadata_note(file).has_value());
  }
}

TEST_CASE("headers that lie are refused: no offset or size can lead outside the file") {
  const Scratch scratch;
  const std::string good = fake_plugin("id = \"x\"");
  const std::uint64_t hostile[] = {1,          good.size() - 1,        good.size(),
                                   1u << 31,   ~std::uint64_t{0},      ~std::uint64_t{0} - 11,
                                   1ULL << 63, (1ULL << 63) - 1,       ~std::uint64_t{0} - 63,
                                   0,          ~std::uint64_t{0} - 183};
  const std::size_t fields[] = {
      offsetof(Elf64_Ehdr, e_phoff), kLoadSegment + offsetof(Elf64_Phdr, p_offset),
      kLoadSegment + offsetof(Elf64_Phdr, p_filesz), kNoteSegment + offsetof(Elf64_Phdr, p_offset),
      kNoteSegment + offsetof(Elf64_Phdr, p_filesz)};
  for (const std::size_t field : fields)
    for (const std::uint64_t value : hostile) {
      std::string bytes = good;
      patch(bytes, field, value);
      const auto file = scratch.write("lie.so", bytes);
      try {
        read_metadata_note(file);
      } catch (const PluginRefused&) {
      }
    }
  // Sizes inside the note.
  const std::size_t note = good.size() - elf_note("conoscope", 1, "id = \"x\"").size();
  for (const std::size_t field : {offsetof(Elf64_Nhdr, n_namesz), offsetof(Elf64_Nhdr, n_descsz)})
    for (const std::uint32_t value : {0u, 1u, 9u, 11u, 1000u, 0x7fffffffu, 0xffffffffu}) {
      std::string bytes = good;
      patch(bytes, note + field, value);
      const auto file = scratch.write("lie.so", bytes);
      try {
        read_metadata_note(file);
      } catch (const PluginRefused&) {
      }
    }
}

TEST_CASE("a loadable segment whose end wraps around is cut short too: loading it would crash") {
  const Scratch scratch;
  std::string bytes = fake_plugin("id = \"x\"");
  patch(bytes, kLoadSegment + offsetof(Elf64_Phdr, p_offset), ~std::uint64_t{0} - 15);
  patch(bytes, kLoadSegment + offsetof(Elf64_Phdr, p_filesz), std::uint64_t{64});
  CHECK_THROWS_SAYING(read_metadata_note(scratch.write("p.so", bytes)), PluginRefused, "cut short");
}
