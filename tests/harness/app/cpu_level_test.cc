// SPDX-License-Identifier: Apache-2.0
// The launcher before the programs of several levels, and a program that is told of levels.
#include <filesystem>

#include "harness/core/version.h"
#include "tests/harness/app/workspace.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::testing;
namespace fs = std::filesystem;

/// An installation of several levels: this build's program at its own, scripts in place of the others.
class Installation {
 public:
  Installation() {
    fs::create_directories(here.path("bin"));
    fs::copy_file(CONOSCOPE_TEST_LAUNCHER, here.path("bin/conoscope"));
    for (const std::string level : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
      const fs::path program = here.path("lib/conoscope/" + level + "/conoscope");
      fs::create_directories(program.parent_path());
      if (level == core::cpu_level()) {
        fs::copy_file(built_conoscope(), program);
      } else {
        here.write("lib/conoscope/" + level + "/conoscope",
                   "#!/bin/sh\necho " + level + " \"$CONOSCOPE_CPU\" \"$@\"\n");
        fs::permissions(program, fs::perms::owner_all);
      }
    }
  }
  Command command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), here.path("bin/conoscope"));
    return Command(arguments);
  }

  Workspace here;
};

const char* const kRun =
    "[[dataset]]\nid = \"parity\"\n[[model]]\nid = \"ladder_concepts\"\nparams = { step = "
    "[\"perfect\"] }\n";

}  // namespace

TEST_CASE("launcher: the level that is asked for") {
  const Installation there;
  const auto out = [&](const std::vector<std::string>& words) {
    const Ended ended = there.command(words).run();
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    return ended.out;
  };
  CHECK(out({"--cpu", "x86-64", "board", "a b"}) == "x86-64  --cpu x86-64 board a b\n");
  CHECK(out({"board", "--cpu=x86-64"}) == "x86-64  board --cpu=x86-64\n");
  CHECK(there.command({"board"}).set("CONOSCOPE_CPU", "x86-64").run().out ==
        "x86-64 x86-64 board\n");
  // What follows -- is not the launcher's.
  CHECK(there.command({"query", "--", "--cpu=x86-64"}).run().out.find("x86-64  ") ==
        std::string::npos);
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    CHECK(out({"--cpu", "best", "board"}) == "x86-64-v4  --cpu best board\n");
    CHECK(out({"--cpu", "x86-64-v4", "board"}) == "x86-64-v4  --cpu x86-64-v4 board\n");
  } else {
    const Ended refused = there.command({"--cpu", "x86-64-v4", "board"}).run();
    CHECK(refused.code == 2);
    CHECK_SAYS(refused.err,
               "--cpu x86-64-v4: this processor lacks some of AVX-512 (F, BW, CD, DQ, VL); take "
               "--cpu best");
  }
  const Ended unknown = there.command({"--cpu", "fast", "board"}).run();
  CHECK(unknown.code == 2);
  CHECK_SAYS(
      unknown.err,
      "--cpu fast: no such level here (known: portable, best, x86-64-v4, x86-64-v3, x86-64)");
}

TEST_CASE("launcher: a run file's level, which an option overrides") {
  if (core::cpu_level() != "x86-64-v3") SKIP_TEST("a build of another level");
  const Installation there;
  // Without being asked, the program that every processor with AVX2 has, which knows its launcher.
  CHECK_SAYS(there.command({"--version"}).run().out, "-march=x86-64-v3");
  const std::string file = there.here.write("run.toml", "cpu = \"x86-64\"\n" + std::string(kRun));
  const std::string plugins =
      built_conoscope().parent_path().parent_path() / "lib/conoscope/plugins";
  const std::vector<std::string> run = {"run",
                                        file,
                                        "--plugin-path",
                                        plugins,
                                        "--no-board",
                                        "--store",
                                        there.here.store(),
                                        "--cache",
                                        there.here.cache()};
  const Ended other = there.command(run).run();
  CAPTURE(other.err);
  CHECK(other.out.starts_with("x86-64 x86-64 run " + file));
  std::vector<std::string> own = run;
  own.insert(own.end(), {"--cpu", "portable"});
  const Ended stays = there.command(own).run();
  CAPTURE(stays.err);
  CHECK(stays.code == 0);
  CHECK(stays.out.empty());
}

TEST_CASE("a program without others beside it has one level") {
  const Workspace here;
  CHECK(here.conoscope({"--cpu", "best", "--version"}).run().code == 0);
  CHECK(here.conoscope({"--version", "--cpu=portable"}).run().code == 0);
  const Ended other = here.conoscope({"--cpu", "x86-64-v9", "--version"}).run();
  CHECK(other.code == 2);
  CHECK_SAYS(other.err, "--cpu x86-64-v9: this build has ");
  CHECK(here.conoscope({"--version", "--cpu"}).run().code == 2);
  const auto file = here.write("run.toml", "cpu = \"x86-64-v9\"\n" + std::string(kRun));
  CHECK_SAYS(here.run({"run", file}, 2).err, "run.toml: cpu = x86-64-v9: this build has ");
}

}  // namespace conoscope::tests
