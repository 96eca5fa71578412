// SPDX-License-Identifier: Apache-2.0
// Commands on a terminal, which script(1) is for them: tables fit its width. What is piped does not
// change.

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "results/formats/utf8.h"
#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;
namespace results = conoscope::results;

namespace {

/// Standard output and error on a terminal of this width.
std::string on_terminal(const Workspace& here, int width, const std::string& setting,
                        const std::vector<std::string>& arguments) {
  const std::string as = "stty cols " + std::to_string(width) + "; " + setting + " $*";
  const Ended ended =
      here.conoscope_after("exec script -qec \"" + as + "\" /dev/null", arguments).run();
  REQUIRE(ended.code == 0);
  std::string out = ended.out;
  std::erase(out, '\r');
  return out;
}

int widest(const std::string& text) {
  int out = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out = std::max(out, results::display_width(line));
  return out;
}

}  // namespace

TEST_CASE("terminal: tables fit 80 and 120 columns, and what is piped stays as it is") {
  const Workspace here;
  const std::string file = here.write(
      "r.toml", digits_run("metrics = [\"surf_mae\", \"surf_emd\", \"surf_top1\"]\ncontrols = "
                           "[\"none\", \"random_concepts\"]",
                           {"svd"}));
  here.run({"run", file, "--no-board"});
  const std::string cell = here.json({"plan", file, "--cells"})[0]["cell"];
  for (const int width : {80, 120, 200})
    for (const std::vector<std::string>& command : {std::vector<std::string>{"board"},
                                                    {"status"},
                                                    {"show", cell},
                                                    {"history", "surf_emd"},
                                                    {"metric"},
                                                    {"plugin", "list"},
                                                    {"dataset", "list"}}) {
      CAPTURE(width);
      CAPTURE(command[0]);
      CHECK(widest(on_terminal(here, width, "NO_COLOR=1", command)) <= width);
    }
  const std::string plain = on_terminal(here, 80, "NO_COLOR=1", {"board"});
  CHECK(plain.find("↓") != std::string::npos);
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(on_terminal(here, 80, "TERM=xterm", {"board"}).find("\x1b[1m") != std::string::npos);
  const std::string piped = here.run({"board"}).out;
  CHECK(piped.find("↓") == std::string::npos);
  CHECK(piped == here.run({"board", "--format", "table"}).out);
  CHECK(widest(piped) > 100);
}

TEST_CASE("terminal: an audit, and a board read with it, fit 80 columns") {
  const Workspace here;
  here.run({"run",
            here.write("r.toml", digits_run("seeds = [0, 1, 2]\nmetrics = [\"surf\", "
                                            "\"completeness\"]\ncontrols = [\"none\", "
                                            "\"random_concepts\", \"random_importance\"]",
                                            {"svd", "kmeans", "random_concepts"})),
            "--no-board", "-j", "2"});
  for (const int width : {80, 120})
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"audit"}, {"audit", "--entries"}, {"board", "--audit"}}) {
      CAPTURE(width);
      CAPTURE(command.back());
      CHECK(widest(on_terminal(here, width, "NO_COLOR=1", command)) <= width);
    }
}

TEST_CASE("help fits 80 columns, but for commands to copy") {
  const Workspace here;
  for (const std::vector<std::string>& command : {std::vector<std::string>{"--help"},
                                                  {"run", "--help"},
                                                  {"board", "--help"},
                                                  {"audit", "--help"},
                                                  {"measure", "--help"},
                                                  {"dataset", "--help"},
                                                  {"site", "--help"}}) {
    std::istringstream lines(here.run(command).out);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("  conoscope ") && !line.starts_with("usage: "))
        CHECK_MESSAGE(results::display_width(line) <= 80, line);
  }
}
