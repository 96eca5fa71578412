// SPDX-License-Identifier: Apache-2.0
// What `conoscope submit slurm` says and writes without a cluster; tests/slurm has one.

#include <filesystem>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// Every file is below /tmp, which is refused unless one asks for it.
std::vector<std::string> submit(const std::string& file, std::vector<std::string> more) {
  more.insert(more.begin(), {"submit", "slurm", file});
  return more;
}

/// One model, four explanations with two controls each.
const std::string kTwelveCells = digits_run(
    "name = \"mine\"\ncontrols = [\"none\", \"random_importance\", \"random_concepts\"]\n"
    "metrics = [\"surf\"]",
    {"perfect", "svd", "kmeans", "nmf"});

}  // namespace

TEST_CASE("--dry-run and --print say what would be sent, and change nothing") {
  const Workspace here;
  const auto file = here.write("my run.toml", kTwelveCells + R"([limits]
threads = 2
memory = "1 GiB"
[slurm]
shards = 3
partition = "cpu"
time = "00:08:00"
cpus = 4
setup = ["module load 'gcc'"]
without = ["--requeue", "--open-mode"]
)");
  const Ended dry = here.run(submit(file, {"--dry-run", "--one-machine", "--max-running", "2"}));
  CHECK_SAYS(dry.err, "mine: 12 cells, 12 in 3 shards to do");
  CHECK_SAYS(dry.out, "made by 3 shards: model precomputed on digits #0: shards 1, 2, 3\n");
  CHECK_SAYS(dry.out, "sbatch --parsable --array=1%2 prepare.sbatch\n");
  CHECK_SAYS(dry.out, "sbatch --parsable --array=1-3%2 cells.sbatch\n");
  CHECK_SAYS(dry.out, "sbatch --parsable merge.sbatch\n");

  const auto print = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--print", "--one-machine"});
    return here.run(submit(file, more)).out;
  };
  const std::string scripts =
      print({"--account", "physics", "--sbatch", "--mail-type=END", "--sbatch=--comment=\"a b\""});
  for (const char* line :
       {"#SBATCH --partition=cpu\n", "#SBATCH --account=physics\n", "#SBATCH --time=00:08:00\n",
        "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n", "#SBATCH --cpus-per-task=4\n",
        "#SBATCH --signal=B:TERM@120\n",  // a quarter of the time
        "#SBATCH --mem=2560M\n",          // two workers of two threads, and the command
        "#SBATCH --mail-type=END\n", "#SBATCH --comment=\"a b\"\n", "\nmodule load 'gcc'\n",
        "my run.toml'\n", "\nthreads=2\n",
        "options=(--prepare --shard \"$SLURM_ARRAY_TASK_ID/$shards\" '--confine' 'auto')\n"})
    CHECK_SAYS(scripts, line);
  CHECK_FALSE(has(scripts, "#SBATCH --requeue"));
  CHECK_FALSE(has(scripts, "--open-mode"));
  CHECK_FALSE(has(scripts, "srun"));
  CHECK_FALSE(has(print({"--mem", "none"}), "--mem="));
  CHECK_SAYS(print({"--mem-per-cpu", "2G"}), "#SBATCH --mem-per-cpu=2G\n");
  CHECK_SAYS(print({"--time", "1-0"}), "#SBATCH --signal=B:TERM@300\n");

  const auto odd = here.write("odd.toml", "name = \"a b\\n/c\"\n" + whole_run());
  const std::string script = here.run(submit(odd, {"--print"})).out;
  CHECK_SAYS(script, "#SBATCH --job-name=conoscope-a-b--c\n");
  CHECK_SAYS(script, "/slurm/a-b--c-TIME'\n");

  CHECK_FALSE(fs::exists("slurm"));
  CHECK_FALSE(fs::exists(here.store()));
  CHECK_FALSE(fs::exists(here.cache()));
}

TEST_CASE(
    "without a run file it hands over what `run` would do, also where nothing can be trained") {
  const Workspace here;
  const fs::path built = built_conoscope().parent_path().parent_path(), own = here.path("own");
  const fs::path plugins = "lib/conoscope/plugins";
  fs::create_directories(own / "bin");
  fs::create_directories(own / plugins);
  fs::copy_file(built_conoscope(), own / "bin/conoscope");
  fs::create_directory_symlink(built / "share", own / "share");
  for (const auto& entry : fs::directory_iterator(built / plugins))
    if (!has(entry.path().filename(), "cnn"))
      fs::create_symlink(entry.path(), own / plugins / entry.path().filename());
  const Ended ended =
      Command({(own / "bin/conoscope").string(), "submit", "slurm", "--dry-run", "--one-machine",
               "--store", here.store(), "--cache", here.cache(), "--folder", here.path("slurm")})
          .run();
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK_SAYS(ended.err, "quick_precomputed.toml: quick.toml trains the model cnn");
  CHECK_SAYS(ended.err, "quick_precomputed: 42 cells, 42 in");
}

TEST_CASE("cells that are done are not sent") {
  const Workspace here;
  const auto file = here.write(
      "run.toml",
      digits_run("name = \"mine\"\nseeds = [0, 1]\nmetrics = [\"surf_mae\"]", {"perfect", "svd"}));
  here.run({"run", file, "--no-board", "--only", "explainer=svd"});
  CHECK_SAYS(here.run(submit(file, {"--dry-run"})).err, "4 cells, 2 in");
  here.run({"run", file, "--no-board"});
  CHECK_SAYS(here.run(submit(file, {"--dry-run"})).out, "mine: all 4 cells are done");
}

TEST_CASE("metrics over seeds are a job after the merge, which asks for what a shard asks for") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("name = \"mine\"\nseeds = [0, 1]\nmetrics = [\"surf_mae\", "
                                        "\"stability\"]\n[limits]\nmemory = \"1 GiB\"\n",
                                        {"svd"}));
  const std::string merged = "sbatch --parsable merge.sbatch\n";
  CHECK_SAYS(here.run(submit(file, {"--dry-run"})).out,
             merged + "sbatch --parsable --array=1 over_seeds.sbatch\n");
  const std::string scripts = here.run(submit(file, {"--print"})).out;
  const std::string last = scripts.substr(scripts.find("over_seeds.sbatch"));
  for (const char* line : {"#SBATCH --output=log/over_seeds-%a.log\n", "#SBATCH --requeue\n",
                           "#SBATCH --signal=B:TERM@120\n", "#SBATCH --mem=1536M\n",
                           "options=(--over-seeds --no-board --store '"})
    CHECK_SAYS(last, line);

  // Of cells that were done here one was there before its peer. There is nothing to send.
  here.run({"run", file, "--no-board", "--only", "seed=0"});
  here.run({"run", file, "--no-board", "--only", "seed=1"});
  CHECK_SAYS(here.run(submit(file, {"--dry-run"})).out,
             "mine: all 2 cells are done\n1 still to be compared with other seeds: "
             "`conoscope run --over-seeds` does that\n");
}

TEST_CASE("what cannot work is refused before anything is made") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect", "svd"}));
  // A folder that no other machine sees, wherever scratch folders are.
  const std::string own = "/tmp/conoscope-never-made";
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    more.insert(more.end(), {"--folder", here.path("slurm"), "--cache", own});
    CAPTURE(why);
    const Ended ended = here.conoscope(submit(file, more)).set("PATH", here.path("bin")).run();
    CHECK(ended.code == 2);
    CHECK_SAYS(ended.err, why);
    CHECK_FALSE(fs::exists(here.path("slurm")));
    CHECK_FALSE(fs::exists(own));
  };
  refused({}, "the cache (--cache) " + own + ": /tmp");
  refused({}, "--one-machine if the cluster is this machine alone");
  refused({"--one-machine"}, "sbatch is not on PATH");
  refused({"--status"}, "was not submitted from");
  refused({"--shards", "0"}, "--shards: expected a whole number from 1 to 100000");
  refused({"--time", "soon"}, "--time soon: expected minutes, hours:minutes:seconds");
  refused({"--partition", "a b"}, "--partition: expected one word without quotes");
  refused({"--mem", "1G", "--mem-per-cpu", "1G"}, "one of them");
  refused({"--setup", "a\nb"}, "--setup: expected one line");
  refused({"--without", "requeue"}, "--without: expected an option of sbatch, as --requeue");
  CHECK_SAYS(here.run(submit(file, {"--dry-run", "--cache", own})).err,
             "warning: other machines will not see");

  const auto mistaken = here.write("mistaken.toml",
                                   "[slurm]\npartitoin = \"x\"\ncpus = 0\n"
                                   "mem = \"1G\"\nmem_per_cpu = \"1G\"\n"
                                   "time = \"1:2:3:4\"\nsbatch = [\"x\"]\n" +
                                       digits_run("", {"perfect"}));
  const std::string said = here.run({"plan", mistaken}, 2).err;
  CHECK_SAYS(said, mistaken + ":2:1: error: unknown key partitoin (did you mean partition?)");
  CHECK_SAYS(said, mistaken + ":3:8: error: slurm.cpus: expected a whole number from 1 to 100000");
  CHECK_SAYS(said, mistaken + ":5:15: error: slurm.mem_per_cpu: slurm.mem is given, too");
  CHECK_SAYS(said, mistaken + ":6:8: error: slurm.time: expected minutes");
  CHECK_SAYS(said, mistaken + ":7:11: error: slurm.sbatch: expected an option of sbatch");
  CHECK_SAYS(here.run({"run", file, "--frozen", here.path("")}, 2).err,
             "no folder of `conoscope submit`");
}

TEST_CASE("a folder that cannot be written is no fault of the command") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect"}));
  // A cluster that has nothing to do.
  fs::create_directories(here.path("bin"));
  for (const char* program : {"sbatch", "squeue"}) {
    here.write(std::string("bin/") + program, "#!/bin/sh\n");
    fs::permissions(here.path(std::string("bin/") + program), fs::perms::owner_all);
  }
  const std::string below = here.write("file", "") + "/folder";
  const auto fails = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--one-machine", "--shards", "1"});
    const Ended ended = here.conoscope(submit(file, more)).set("PATH", here.path("bin")).run();
    CHECK(ended.code == 5);
    CHECK(ended.out == "");
    return ended.err;
  };
  CHECK_SAYS(fails({"--folder", below}), below + ": cannot be made: Not a directory");
  CHECK_SAYS(fails({"--folder", here.path("slurm"), "--cache", below}),
             below + ": cannot be made: Not a directory");
}

TEST_CASE("where sbatch refuses a later job, the earlier ones are taken back or named") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"svd"}));
  std::filesystem::create_directory(here.path("bin"));
  const auto program = [&](const std::string& name, const std::string& script) {
    std::filesystem::permissions(here.write("bin/" + name, "#!/bin/sh\n" + script),
                                 std::filesystem::perms::owner_all);
  };
  program("squeue", "exit 0\n");
  program("sbatch", "case \"$*\" in *merge*) echo 'no such queue' >&2; exit 1;; esac\necho 12\n");
  const auto said = [&] {
    const Ended ended =
        here.conoscope(submit(file, {"--one-machine", "--folder", here.path("slurm")}))
            .set("PATH", here.path("bin"))
            .run();
    CHECK(ended.code == 2);
    CHECK_SAYS(ended.out, "cells: job 12\n");
    CHECK_SAYS(ended.err, "merge.sbatch:\nno such queue");
    return ended.err;
  };
  CHECK_SAYS(said(), "warning: job 12 is still queued (scancel: scancel: No such file");
  program("scancel", "echo 'cannot reach the controller' >&2\nexit 1\n");
  CHECK_SAYS(said(),
             "warning: job 12 is still queued (scancel: cannot reach the controller): `scancel 12` "
             "takes it back\n");
  program("scancel", "echo \"$*\" >" + here.path("cancelled") + "\n");
  CHECK_FALSE(has(said(), "still queued"));
  CHECK(std::filesystem::exists(here.path("cancelled")));
}

TEST_CASE("--prepare makes the models that shards share, and --memory is shared by workers") {
  const Workspace here;
  const auto file = here.write(
      "run.toml", digits_run("name = \"mine\"\nmetrics = [\"surf_mae\"]", {"perfect", "svd"}));
  CHECK_SAYS(here.run({"plan", file, "--shard", "1/2"}).out,
             "made by 2 shards: model precomputed on digits #0: shards 1, 2\n");
  CHECK_SAYS(here.run({"run", file, "--prepare", "--shard", "2/2"}).err, "0 of 0 models");
  CHECK_SAYS(here.run({"run", file, "--prepare", "--shard", "1/2"}).err, "mine: 1 of 1 models");
  CHECK_SAYS(here.run({"run", file, "--prepare"}).err, "mine: 1 of 1 models");
  CHECK_FALSE(fs::exists(here.store()));
  const auto said_with = [&](const char* mib) {
    return here.conoscope({"run", file, "--no-board", "-j", "2", "--memory", mib}).run().err;
  };
  CHECK_SAYS(said_with("2"), "limits.memory allows 1.0 MiB");
  CHECK_FALSE(has(said_with("4000"), "will not fit"));
  CHECK_SAYS(here.run({"run", file, "--memory", "0.5"}, 2).err, "--memory: expected");
}
