// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/provenance.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "harness/core/border/needed_libraries.h"
#include "harness/core/run/made_elsewhere.h"

using namespace conoscope::core;

namespace {

const std::string kHere =
    "cpu: A\nfeatures: M avx2 fma\ncaches: 1 2 3\nsystem: Linux 6\nlibc: glibc 2.36\n"
    "libraries: libm.so.6 00\nopenblas: Haswell\nconfinement: off\nconoscope: 1 (abc)\n";
const std::string kPlugins = "d 1 aa; m 1 bb python=3.11.2 numpy=1.24.2";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("what changes no bit is no part of a making, and all else is") {
  const std::string made = made_by_text(kHere, kPlugins), making = making_of(made);
  CHECK(making.size() == 16);
  for (const char* same : {"cpu: A", "system: Linux 6", "confinement: off"})
    CHECK(making_of(with(made, same, std::string(same) + " other")) == making);
  CHECK(making_of("plugin: /a/mine.py: python 3\nartifact cpu: B\n" + made) == making);
  CHECK(making_of(made_by_text(deciding_lines(kHere), kPlugins)) == making);
  for (const char* decides :
       {"avx2", "1 2 3", "2.36", "libm.so.6 00", "Haswell", "abc", "aa", "numpy=1.24.2"})
    CHECK(making_of(with(made, decides, "else")) != making);
}

TEST_CASE("this environment names what decides, the same each time") {
  const std::string text = environment_text(false);
  for (const char* line : {"cpu: ", "\nfeatures: ", "\nlibc: ", "\nlibraries: libm",
                           "\nopenblas: ", "\nonednn: ", "\naten: ", "\nconfinement: off\n",
                           "\nconoscope: ", "\ncompiler: "})
    CHECK_MESSAGE(text.find(line) != text.npos, line);
  CHECK(environment_text(false) == text);
  CHECK(deciding_lines(environment_text(true)) == deciding_lines(text));
}

TEST_CASE("what made an artifact elsewhere is said by its name") {
  const std::string here = made_by_text(kHere, kPlugins);
  CHECK(difference_text("", here) == "by what is not recorded");
  CHECK(difference_text(with(here, "Haswell", "SkylakeX"), here) ==
        "by openblas SkylakeX, here Haswell");
  CHECK(difference_text(with(here, "numpy=1.24.2", "numpy=1.26.0"), here) ==
        "by numpy of plugin m 1.26.0, here 1.24.2");
  CHECK(difference_text(with(here, "M avx2", std::string(80, 'x')), here) == "by other features");

  CHECK(lines_of_elsewhere(here, here).empty());
  CHECK(lines_of_elsewhere("", here).empty());
  const auto there = with(with(here, "Linux 6", "Linux 5"), "confinement: off", "confinement: on");
  CHECK(lines_of_elsewhere(there, here) ==
        std::set<std::string>{"artifact confinement: on", "artifact system: Linux 5"});
}

TEST_CASE("a program's libraries are found as its loader finds them") {
  const NeededLibraries found = needed_libraries({"/proc/self/exe"});
  for (const auto& library : found.system) {
    CHECK(library.is_absolute());
    CHECK(library_id(library).size() == 16);
  }
  CHECK(needed_libraries({"/etc/passwd"}).system.empty());
  CHECK(needed_libraries({"/no/such/file"}).own.empty());
  CHECK(library_id("/no/such/file").empty());
}
