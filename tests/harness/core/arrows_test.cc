// SPDX-License-Identifier: Apache-2.0
// Which folder may know which: read off the #include lines of the whole tree, and off the queries that
// it runs by name.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/bytes_of.h"
#include "tests/support/scratch.h"

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;  ///< relative to the root
  int line = 0;
  std::string target;
};

/// What `line` includes, or the query that it runs by name, as a file below the root; empty: neither.
std::string target_of(const std::string& line, const fs::path& root) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  static const std::regex kQuery(R"re(.*\bquery_text\("(\w+)"\).*)re");
  std::smatch match;
  if (std::regex_match(line, match, kInclude)) return match[1];
  if (std::regex_match(line, match, kQuery))
    for (const char* folder : {"results/boards/", "results/store/"})
      if (fs::exists(root / (folder + match.str(1) + ".sql")))
        return folder + match.str(1) + ".sql";
  return "";
}

/// What the C and C++ files below the root include and run; build folders and tests left out.
std::vector<Include> includes_below(const fs::path& root, const std::vector<std::string>& folders) {
  const std::set<std::string> extensions = {".h", ".hh", ".hpp", ".c", ".cc", ".cpp", ".in"};
  std::vector<Include> out;
  for (const auto& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || extensions.count(entry.path().extension().string()) == 0)
        continue;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.find("include") == line.npos && line.find("query_text") == line.npos) continue;
        if (const std::string target = target_of(line, root); !target.empty())
          out.push_back({fs::relative(entry.path(), root).generic_string(), number, target});
      }
    }
  }
  return out;
}

bool begins(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

bool begins_any(const std::string& text, const std::vector<std::string>& prefixes) {
  for (const auto& prefix : prefixes)
    if (begins(text, prefix)) return true;
  return false;
}

/// Files of `folder` must include nothing of `targets`.
struct Never {
  std::string folder;
  std::vector<std::string> targets;
};

const std::vector<Never> kNever = {
    {"numerics/",
     {"conoscope/sdk", "harness/", "plugins/", "datasets/", "results/", "metrics/", "tests/"}},
    {"metrics/", {"conoscope/sdk", "harness/", "plugins/", "datasets/", "results/", "tests/"}},
    {"results/", {"conoscope/sdk", "harness/", "plugins/", "datasets/", "metrics/", "tests/"}},
    {"plugins/", {"harness/", "results/", "metrics/", "tests/"}},
    {"datasets/", {"harness/", "results/", "metrics/", "plugins/", "tests/"}},
    {"harness/sdk/", {"harness/", "results/", "metrics/", "plugins/", "datasets/", "tests/"}},
    {"harness/core/", {"harness/app/", "plugins/", "datasets/", "tests/"}},
    // Inside: measure > run > conformance > plan > border > artifacts and processes.
    {"harness/core/run/", {"harness/core/measure/", "harness/core/conformance/"}},
    {"harness/core/conformance/", {"harness/core/measure/"}},
    {"harness/core/plan/",
     {"harness/core/measure/", "harness/core/run/", "harness/core/conformance/"}},
    {"harness/core/border/",
     {"harness/core/measure/", "harness/core/run/", "harness/core/conformance/",
      "harness/core/plan/", "results/"}},
    {"harness/core/artifacts/",
     {"harness/core/measure/", "harness/core/run/", "harness/core/conformance/",
      "harness/core/plan/", "harness/core/border/", "harness/core/processes/", "results/"}},
    {"harness/core/processes/",
     {"harness/core/measure/", "harness/core/run/", "harness/core/conformance/",
      "harness/core/plan/", "harness/core/border/", "harness/core/artifacts/"}},
    // Inside: site > report > analysis > boards > store > formats.
    {"results/report/", {"results/site/"}},
    {"results/analysis/", {"results/site/", "results/report/"}},
    {"results/boards/", {"results/site/", "results/report/", "results/analysis/"}},
    {"results/store/",
     {"results/site/", "results/report/", "results/analysis/", "results/boards/"}},
    {"results/formats/",
     {"results/site/", "results/report/", "results/analysis/", "results/boards/",
      "results/store/"}},
    {"harness/app/", {"plugins/", "datasets/", "tests/"}},
};

/// The families of metrics, the lowest first: each may know those before it.
const std::vector<std::string> kFamilies = {
    "information", "factors",   "alignment", "faithfulness", "disentanglement",
    "robustness",  "purity",    "leakage",   "causal",       "posterior",
    "readability", "stability", "truth",     "summaries"};

/// The place of a path metrics/FAMILY/...; `otherwise`: of a family that is not listed. Files of
/// metrics/ itself are below all.
std::ptrdiff_t family_of(const std::string& path, std::ptrdiff_t otherwise) {
  const std::size_t begin = std::string("metrics/").size(), end = path.find('/', begin);
  if (end == path.npos) return -1;
  const auto found = std::ranges::find(kFamilies, path.substr(begin, end - begin));
  return found == kFamilies.end() ? otherwise : found - kFamilies.begin();
}

/// A library that only some folders know.
struct Only {
  std::string target;
  std::vector<std::string> folders;
};

const std::vector<Only> kOnly = {
    {"boost/algorithm", {"harness/app/", "harness/core/", "results/", "datasets/"}},
    {"boost/program_options", {"harness/app/"}},
    {"toml++", {"harness/core/", "harness/app/ledger.cc"}},
    {"boost/dll", {"harness/core/border/"}},
    {"boost/graph", {"harness/core/plan/"}},
    {"boost/math", {"numerics/"}},
    {"seccomp.h", {"harness/core/processes/"}},
    {"sqlite3", {"results/store/"}},
};

/// An author has only the sdk, so the random numbers of all are there; numerics knows nothing else of it.
constexpr const char* kRandom = "harness/sdk/include/conoscope/sdk/random.h";

std::vector<std::string> offenders(const std::vector<Include>& includes) {
  std::vector<std::string> out;
  for (const auto& include : includes) {
    if (include.file == "numerics/random.h" && include.target == kRandom) continue;
    const std::string said =
        include.file + ":" + std::to_string(include.line) + ": includes " + include.target;
    for (const auto& never : kNever)
      if (begins(include.file, never.folder) && begins_any(include.target, never.targets))
        out.push_back(said + ", which " + never.folder + " must not know");
    for (const auto& only : kOnly)
      if (begins(include.target, only.target) && !begins_any(include.file, only.folders))
        out.push_back(said + ", which only " + only.folders[0] + " may know");
    if (begins(include.target, "boost/") && std::ranges::none_of(kOnly, [&](const Only& o) {
          return begins(include.target, o.target);
        }))
      out.push_back(said + ", which no folder may know");
    if (begins(include.file, "metrics/") && begins(include.target, "metrics/") &&
        family_of(include.target, std::ssize(kFamilies)) > family_of(include.file, -1))
      out.push_back(said + ", a family that is not below");
    // The sdk is the standard library, itself, and Eigen for those who ask for it.
    if (begins(include.file, "harness/sdk/include/") && !begins(include.target, "conoscope/sdk/") &&
        include.target.find('/') != std::string::npos && include.target != "Eigen/Core")
      out.push_back(said + ", which an author may not have");
  }
  return out;
}

const std::vector<std::string> kFolders = {"datasets", "harness", "metrics",
                                           "numerics", "plugins", "results"};

}  // namespace

TEST_CASE("the arrows between the folders hold") {
  const auto includes = includes_below(CONOSCOPE_SOURCE_DIR, kFolders);
  CHECK(includes.size() > 500);  // the tree was found
  for (const auto& offender : offenders(includes)) FAIL_CHECK(offender);
}

TEST_CASE("an arrow that points the wrong way is found") {
  const conoscope::testing::Scratch scratch;
  const auto put = [&](const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(scratch.path(file)).parent_path());
    scratch.write(file, text);
  };
  put("metrics/a/x.h", "// why\n#include \"conoscope/sdk/tensor.h\"\n");
  put("numerics/random.h", "#include \"" + std::string(kRandom) + "\"\n");
  put("numerics/x.h", "#include \"" + std::string(kRandom) + "\"\n");
  put("plugins/x/x.cc", "#  include \"harness/core/plan/plan.h\"\n#include <toml++/toml.h>\n");
  put("harness/sdk/include/conoscope/sdk/x.h", "#include <boost/optional.hpp>\n#include <span>\n");
  put("harness/core/x.cc", "#include <toml++/toml.h>\n#include <boost/program_options.hpp>\n");
  put("harness/core/plan/x.cc", "#include \"harness/core/run/worker.h\"\n");
  put("harness/core/run/x.cc", "#include \"harness/core/plan/plan.h\"\n");
  put("results/store/x.cc",
      "#include <sqlite3.h>\nStatement(store, query_text(\"x\"));\nquery_text(\"y\");\n");
  put("results/boards/x.sql", "");
  put("results/store/y.sql", "");
  put("metrics/causal/x.cc",
      "#include \"metrics/stability/x.h\"\n#include \"metrics/purity/x.h\"\n#include "
      "<boost/any.hpp>\n");
  put("metrics/x.cc", "#include \"metrics/causal/x.h\"\n");
  const auto found = offenders(includes_below(scratch.path(""), kFolders));
  std::set<std::string> said(found.begin(), found.end());
  CHECK(
      said ==
      std::set<std::string>{
          "metrics/a/x.h:2: includes conoscope/sdk/tensor.h, which metrics/ must not know",
          "numerics/x.h:1: includes harness/sdk/include/conoscope/sdk/random.h, which numerics/ "
          "must not know",
          "plugins/x/x.cc:1: includes harness/core/plan/plan.h, which plugins/ must not know",
          "plugins/x/x.cc:2: includes toml++/toml.h, which only harness/core/ may know",
          "harness/sdk/include/conoscope/sdk/x.h:1: includes boost/optional.hpp, which an author "
          "may not have",
          "harness/sdk/include/conoscope/sdk/x.h:1: includes boost/optional.hpp, which no folder "
          "may know",
          "harness/core/plan/x.cc:1: includes harness/core/run/worker.h, which "
          "harness/core/plan/ must not know",
          "harness/core/x.cc:2: includes boost/program_options.hpp, which only harness/app/ may "
          "know",
          "results/store/x.cc:2: includes results/boards/x.sql, which results/store/ must not know",
          "metrics/causal/x.cc:1: includes metrics/stability/x.h, a family that is not below",
          "metrics/causal/x.cc:3: includes boost/any.hpp, which no folder may know",
          "metrics/x.cc:1: includes metrics/causal/x.h, a family that is not below"});
}

TEST_CASE("only the command reads the environment") {
  const fs::path root = CONOSCOPE_SOURCE_DIR;
  for (const char* folder : {"harness/core", "harness/sdk", "metrics", "numerics", "results"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      const std::string text = conoscope::testing::bytes_of(entry.path());
      CHECK_MESSAGE(text.find("getenv") == text.npos, entry.path().string());
    }
}
