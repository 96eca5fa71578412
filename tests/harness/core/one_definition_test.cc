// SPDX-License-Identifier: Apache-2.0
// No type has two definitions: a program that holds two different ones of one name is undefined, and
// neither compiler nor linker says so. Read off the sources of the whole tree, as clang-format leaves
// them: what is defined in a namespace begins a line. Types of unnamed namespaces are a file's own.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/capture_binding.h"
#include "tests/support/scratch.h"

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kFolders = {"numerics", "metrics", "datasets", "plugins",
                                           "results",  "harness", "tests"};

using Definitions = std::map<std::string, std::set<std::string>>;  ///< files, by qualified name

void read_definitions(const fs::path& file, const std::string& name, Definitions& out) {
  static const std::regex kNamespace(R"(namespace ?([\w:]*) ?\{)");
  static const std::regex kType(
      R"((?:struct|class|union|enum|enum class) (\w+)(?: final)?(?: : .*)? \{.*)");
  std::vector<std::string> namespaces;
  std::ifstream in(file);
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, found, kNamespace)) {
      namespaces.push_back(found[1]);
    } else if (line.rfind("}  // namespace", 0) == 0 && !namespaces.empty()) {
      namespaces.pop_back();
    } else if (std::regex_match(line, found, kType)) {
      std::string type;
      bool own = false;
      for (const auto& part : namespaces) {
        own = own || part.empty();
        type += part + "::";
      }
      if (!own) out[type + found[1].str()].insert(name);
    }
  }
}

Definitions definitions(const fs::path& root) {
  Definitions out;
  for (const auto& folder : kFolders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc")
        read_definitions(entry.path(), fs::relative(entry.path(), root).generic_string(), out);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no type is defined in two files") {
  const Definitions found = definitions(CONOSCOPE_SOURCE_DIR);
  CHECK(found.size() > 400);
  CHECK(found.contains("conoscope::results::Comparison"));
  for (const auto& [type, files] : found) {
    std::string list;
    for (const auto& file : files) list += " " + file;
    CAPTURE_BINDING(type);
    CHECK_MESSAGE(files.size() == 1, "defined in" << list);
  }
}

TEST_CASE("two definitions of a type are found, and what is a file's own is not one") {
  const conoscope::testing::Scratch scratch;
  const auto put = [&](const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(scratch.path(file)).parent_path());
    scratch.write(file, text);
  };
  const std::string open = "namespace conoscope::results {\n",
                    close = "}  // namespace conoscope::results\n";
  put("results/a.h", open + "struct Pair {\n  int a;\n};\nclass Later;\n" + close);
  put("results/b/b.cc", open +
                            "namespace {\nstruct Own { int a; };\n}  // namespace\nclass Pair "
                            "final : public X {\n};\n" +
                            close);
  put("harness/c.cc", open + "namespace {\nstruct Own {};\n}  // namespace\nclass Later {\n};\n" +
                          close + "struct Pair {\n};\n");
  const Definitions found = definitions(scratch.path(""));
  CHECK(found.size() == 3);
  CHECK(found.at("conoscope::results::Pair") ==
        std::set<std::string>{"results/a.h", "results/b/b.cc"});
  CHECK(found.at("conoscope::results::Later") == std::set<std::string>{"harness/c.cc"});
  CHECK(found.at("Pair") == std::set<std::string>{"harness/c.cc"});
}
