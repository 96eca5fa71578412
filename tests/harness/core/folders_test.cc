// SPDX-License-Identifier: Apache-2.0
#include "harness/app/folders.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::app;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

namespace {

/// Sets a variable of the environment for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

}  // namespace

TEST_CASE("folders: command line, then environment, then run file, then the user's; no doubles") {
  const Scratch scratch;
  const auto folder = [&](const std::string& name) {
    fs::create_directories(scratch.path(name));
    return fs::canonical(scratch.path(name));
  };
  const auto a = folder("a"), b = folder("b"), c = folder("c"), d = folder("d");
  const auto home = folder("home");
  const auto user = folder("home/conoscope/plugins");
  const Environment path("CONOSCOPE_PLUGIN_PATH", b.string() + "::" + a.string() + ":/nowhere/x:");
  const Environment data("XDG_DATA_HOME", home.string());
  auto found = plugin_folders({a}, {c, b, a / ".." / "d"});
  REQUIRE(found.size() >= 5);
  found.resize(5);  // the install folder comes last, when there is one
  CHECK(found == std::vector<fs::path>{a, b, c, d, user});
}

TEST_CASE("a folder of the command line must exist") {
  const Scratch scratch;
  CHECK_THROWS_SAYING(plugin_folders({scratch.path("none")}, {}), std::invalid_argument,
                      "--plugin-path", scratch.path("none"), "not a folder");
  CHECK_THROWS_SAYING(plugin_folders({scratch.write("file", "")}, {}), std::invalid_argument,
                      "not a folder");
}

TEST_CASE("data are sought where the environment says, whatever the working folder") {
  const Environment folder("CONOSCOPE_DATA_DIR", "some/data");
  CHECK(data_folder() == fs::current_path() / "some/data");
  const Environment none("CONOSCOPE_DATA_DIR", "");
  CHECK(data_folder().empty());
}
