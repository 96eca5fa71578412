// SPDX-License-Identifier: Apache-2.0
// No six lines are in two rooms: read off the sources of the whole tree. A line is code without
// its comment and its spaces; blank lines, braces, preprocessor, namespace and using lines, and
// labels such as `private:` do not count.

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/capture_binding.h"
#include "tests/support/scratch.h"

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTwin = 6;

const std::vector<std::string> kRooms = {"numerics", "metrics",     "datasets",     "plugins",
                                         "results",  "harness/app", "harness/core", "harness/sdk"};

struct Line {
  int number = 0;
  std::string code;
};

bool counts(const std::string& code) {
  const auto begins = [&](const char* word) { return code.rfind(word, 0) == 0; };
  return !begins("#") && !begins("namespace") && !begins("using") && code != "public:" &&
         code != "private:" && code != "protected:" &&
         std::ranges::any_of(code, [](unsigned char c) { return std::isalnum(c) != 0; });
}

std::vector<Line> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<Line> out;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.erase(std::min(line.find("//"), line.size()));
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    if (counts(line)) out.push_back({number, line});
  }
  return out;
}

struct Tree {
  std::map<std::string, std::map<std::string, std::vector<Line>>> rooms;  ///< by room and file

  explicit Tree(const fs::path& root) {
    const std::set<std::string> extensions = {".h", ".c", ".cc", ".in"};
    for (const auto& room : kRooms) {
      if (!fs::exists(root / room)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root / room))
        if (entry.is_regular_file() && extensions.contains(entry.path().extension().string()))
          rooms[room][fs::relative(entry.path(), root).generic_string()] = lines_of(entry.path());
    }
  }
};

struct Twin {
  std::string one, other;  ///< files of two rooms
  int line = 0, other_line = 0;
};

/// The first six lines that each two files have in common.
std::vector<Twin> twins(const Tree& tree) {
  struct Place {
    std::string room, file;
    int line;
  };
  std::map<std::string, std::vector<Place>> seen;
  for (const auto& [room, files] : tree.rooms)
    for (const auto& [file, lines] : files)
      for (std::size_t first = 0; first + kTwin <= lines.size(); ++first) {
        std::string text;
        for (std::size_t i = 0; i < kTwin; ++i) text += lines[first + i].code + '\n';
        seen[text].push_back({room, file, lines[first].number});
      }
  std::map<std::pair<std::string, std::string>, Twin> found;
  for (const auto& [text, places] : seen)
    for (const auto& a : places)
      for (const auto& b : places)
        if (a.room < b.room) {
          Twin& twin = found.try_emplace({a.file, b.file}, Twin{a.file, b.file, a.line, b.line})
                           .first->second;
          if (a.line < twin.line) twin = {a.file, b.file, a.line, b.line};
        }
  std::vector<Twin> out;
  for (const auto& [files, twin] : found) out.push_back(twin);
  return out;
}

}  // namespace

TEST_CASE("no six lines are in two rooms") {
  const Tree tree(CONOSCOPE_SOURCE_DIR);
  REQUIRE(tree.rooms.size() == kRooms.size());
  for (const auto& [room, files] : tree.rooms) {  // the tree was found, and its lines were read
    std::size_t lines = 0;
    for (const auto& [file, of_file] : files) lines += of_file.size();
    CAPTURE_BINDING(room);
    CHECK(lines > 1000);
  }
  for (const Twin& twin : twins(tree))
    FAIL_CHECK(twin.one << ":" << twin.line << " and " << twin.other << ":" << twin.other_line);
}

TEST_CASE("six lines in two rooms are found, whatever their spaces and comments") {
  const conoscope::testing::Scratch scratch;
  const auto put = [&](const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(scratch.path(file)).parent_path());
    scratch.write(file, text);
  };
  put("numerics/a.cc", "int z;\nint a;\nint b;\nint c;\n\nint d;\nint e;\nint f;\n");
  put("metrics/x/b.cc",
      "#include <span>\n{\nint a;\n  int   b;  // why\n// not code\nint c;\nint d;\n}\nprivate:\n"
      "int e;\nint f;\n");
  put("metrics/five.cc", "int a;\nint b;\nint c;\nint d;\nint e;\n");
  put("plugins/own.cc", "int p;\nint q;\nint r;\nint s;\nint t;\nint u;\n");
  put("plugins/other.cc", "int p;\nint q;\nint r;\nint s;\nint t;\nint u;\n");
  const auto found = twins(Tree(scratch.path("")));
  REQUIRE(found.size() == 1);
  CHECK(found[0].one == "metrics/x/b.cc");
  CHECK(found[0].line == 3);
  CHECK(found[0].other == "numerics/a.cc");
  CHECK(found[0].other_line == 2);
}
