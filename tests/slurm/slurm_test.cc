// SPDX-License-Identifier: Apache-2.0
// `conoscope submit slurm` on a real Slurm that runs on this machine: what comes out is what a local
// run gives, bytes and trainings, also where tasks are stopped, cancelled or lost.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <thread>

#include "tests/harness/app/workspace.h"
#include "tests/support/content_of.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

bool wait_until(const std::function<bool()>& holds, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

/// An ended process may stay as a zombie, where nobody waits for it.
bool is_alive(pid_t pid) {
  const std::string status = content_of("/proc/" + std::to_string(pid) + "/status");
  return !status.empty() && !has(status, "State:\tZ") && !has(status, "State:\tX");
}

/// Two nodes of four processors, for all tests of this program.
class Cluster {
 public:
  Cluster() {
    const Ended up = Command({CONOSCOPE_TEST_SLURM "/up", folder(), "2", "4"}).run(60);
    if (up.code == 77) refusal_ = up.err;
    if (up.code != 0 && up.code != 77) std::cerr << up.err;
    ready_ = up.code == 0;
  }
  ~Cluster() {
    if (ready_) Command({CONOSCOPE_TEST_SLURM "/down", folder()}).run(60);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Empty: it runs, or it should and does not.
  const std::string& refusal() const { return refusal_; }
  bool ready() const { return ready_; }
  std::string configuration() const { return folder() + "/slurm.conf"; }
  std::string folder() const { return scratch_.path("s"); }

  /// Runs a program that is found on PATH.
  Ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), "/usr/bin/env");
    return Command(words).set("SLURM_CONF", configuration()).run(60);
  }
  /// What it answers, without the line's end.
  std::string ask(const std::vector<std::string>& words) const {
    const Ended ended = run(words);
    INFO(words[0], ": ", ended.err);
    REQUIRE(ended.code == 0);
    return ended.out.substr(0, ended.out.find_last_not_of('\n') + 1);
  }
  bool wait_until_empty(double seconds) const {
    return wait_until([&] { return ask({"squeue", "-h"}).empty(); }, seconds);
  }
  pid_t daemon(const std::string& name) const {
    return static_cast<pid_t>(std::stol(content_of(folder() + "/run/" + name + ".pid")));
  }

  /// Kills a node's daemon and all that it runs, as a power cut does, and tells the controller.
  void lose(const std::string& node) const {
    ::kill(daemon("slurmd." + node), SIGKILL);
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::string environment = content_of(entry.path() / "environ");
      std::replace(environment.begin(), environment.end(), '\0', '\n');
      if (!has(environment, "SLURMD_NODENAME=" + node + "\n") ||
          !has(environment, "SLURM_CONF=" + configuration() + "\n"))
        continue;
      const std::string status = content_of(entry.path() / "status");
      const auto parent = status.substr(status.find("PPid:") + 5);
      const std::string parent_id = std::to_string(std::stol(parent));
      if (has(content_of("/proc/" + parent_id + "/comm"), "slurmstepd"))
        ::kill(static_cast<pid_t>(std::stol(parent_id)), SIGKILL);
      ::kill(static_cast<pid_t>(std::stol(entry.path().filename().string())), SIGKILL);
    }
    ask({"scontrol", "update", "NodeName=" + node, "State=DOWN", "Reason=lost"});
  }
  void restart_controller() const {
    const pid_t old = daemon("slurmctld");
    ::kill(old, SIGTERM);
    REQUIRE(wait_until([&] { return !is_alive(old); }, 30));
    ask({CONOSCOPE_TEST_SLURM "/as_host", "/usr/sbin/slurmctld"});
  }
  void bring_back(const std::string& node) const {
    ask({CONOSCOPE_TEST_SLURM "/as_host", "/usr/sbin/slurmd", "-c", "-N", node});
  }

 private:
  Scratch scratch_;
  std::string refusal_;
  bool ready_ = false;
};

const Cluster& cluster() {
  static const Cluster one;
  return one;
}

/// A run on the cluster, and what the same run gives here.
class Submitted {
 public:
  explicit Submitted(const std::string& text) {
    file_ = here_.write("run.toml", text);
    here_.run({"run", file_, "--no-board", "--confine", "off", "-j", "2", "--store",
               here_.path("local.db"), "--cache", here_.path("local-cache")});
    wanted_ = here_.exported(here_.path("local.db"));
  }

  const Workspace& here() const { return here_; }
  const std::string& wanted() const { return wanted_; }
  const std::string& file() const { return file_; }

  Ended submit(const std::vector<std::string>& more, int code = 0) const {
    std::vector<std::string> words = {
        "submit",    "slurm", file_,   "--one-machine", "--folder", here_.path("slurm"),
        "--confine", "off",   "--mem", "500M"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = here_.conoscope(words).set("SLURM_CONF", cluster().configuration()).run(60);
    INFO("stderr: ", ended.err);
    REQUIRE(ended.code == code);
    return ended;
  }
  Json status() const { return Json::parse(submit({"--status", "--format", "json"}).out); }

  /// The submission's folder, when there is but one.
  fs::path folder() const { return *fs::directory_iterator(here_.path("slurm")); }
  std::string log(const std::string& name) const {
    return content_of(folder() / "log" / (name + ".log"));
  }
  std::string cells_job() const {
    std::ifstream in(folder() / "jobs.tsv");
    std::string what, id, out;
    while (in >> what >> id)
      if (what == "cells") out = id;
    return out;
  }
  std::string logs() const {
    std::string out;
    for (const auto& entry : fs::directory_iterator(folder() / "log"))
      out += entry.path().filename().string() + ":\n" + content_of(entry.path());
    return out;
  }

 private:
  Workspace here_;
  std::string file_, wanted_;
};

/// Four models, one for each seed, on digits; `gate` holds each of them back.
std::string four_models(const std::string& params) {
  return "seeds = [0, 1, 2, 3]\nmetrics = [\"surf_mae\"]\n"
         "plugin_path = [\"" CONOSCOPE_TEST_SLURM_PLUGINS
         "\"]\n"
         "[[dataset]]\nid = \"digits\"\n[[model]]\nid = \"tallied\"\n"
         "params = { " +
         params +
         " }\n"
         "[[explainer]]\nid = \"perfect\"\n[[explainer]]\nid = \"svd\"\n";
}

std::ptrdiff_t lines_in(const std::string& file) {
  const std::string text = content_of(file);
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

#define NEED_CLUSTER()                                              \
  if (!cluster().refusal().empty() && std::getenv("CI") == nullptr) \
    SKIP_TEST("Slurm: " + cluster().refusal());                     \
  REQUIRE(cluster().ready())

TEST_CASE("shards of an array give, merged, the bytes of a local run") {
  NEED_CLUSTER();
  const std::string sweep =
      digits_run("name = \"sweep\"\nseeds = [0, 1]\nmetrics = [\"surf\"]", {"svd", "kmeans"}) +
      "params = { k = [1, 2, 3] }\n";
  for (const auto& [text, shards] : {std::pair{whole_run(), "3"}, std::pair{sweep, "4"}}) {
    const Submitted run(text);
    const auto start = std::chrono::steady_clock::now();
    const Ended sent = run.submit({"--shards", shards, "--cpus", "2", "--max-running", "2"});
    CHECK_SAYS(sent.out, "prepare: job ");  // one model for all shards
    CHECK_SAYS(sent.out, "merge: job ");
    REQUIRE(cluster().wait_until_empty(120));
    MESSAGE(std::string(shards), " shards, from submit to the merged store: ",
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), " s");
    INFO(run.logs());
    CHECK(run.here().exported() == run.wanted());
    CHECK_SAYS(run.log("merge"), "new attempts");
    CHECK_SAYS(run.log("merge"), "not_tried");  // the table of `status`
    const Json states = run.status();
    CHECK(states.size() == std::stoul(shards));
    for (const auto& state : states) {
      CHECK(state["done"] == state["cells"]);
      CHECK(state["failed"] == 0);
      CHECK(state["queue"].is_null());
    }
    CHECK_SAYS(run.submit({}).out, "cells are done");

    // A task refuses what is no longer the run that was submitted.
    const auto task = [&](const std::string& shard) {
      return run.here()
          .run({"run", run.file(), "--frozen", run.folder(), "--shard", shard, "--store",
                run.here().path("none.db")},
               2)
          .err;
    };
    CHECK_SAYS(task("1/2"), std::string("the run was split into ") + shards + " shards");
    std::ofstream(run.file(), std::ios::app) << "# another comment\n";
    CHECK_SAYS(task(std::string("1/") + shards),
               "run file " + run.file() + " has changed since the run was submitted");
    CHECK_FALSE(fs::exists(run.here().path("none.db")));
  }
}

TEST_CASE("models are made as often as in a local run, also where shards share them") {
  NEED_CLUSTER();
  // Three shards have whole models; eight have half of one each, which a first array makes.
  for (const auto& [shards, first] : {std::pair{"3", "cells: job "}, {"8", "prepare: job "}}) {
    const Workspace outside;
    const auto tally = outside.path("tally");
    const Submitted run(four_models("tally = \"" + tally + "\""));
    CHECK(lines_in(tally) == 4);
    CHECK(run.submit({"--shards", shards}).out.starts_with(first));
    REQUIRE(cluster().wait_until_empty(120));
    INFO(run.logs());
    CHECK(run.here().exported() == run.wanted());
    CHECK(lines_in(tally) == 4 + 4);
  }
}

TEST_CASE("metrics over seeds are scored once the shards are merged") {
  NEED_CLUSTER();
  const Submitted run(
      digits_run("name = \"mine\"\nseeds = [0, 1, 2]\nmetrics = [\"surf_mae\", \"over_seeds\"]\n",
                 {"kmeans", "svd"}));
  CHECK_SAYS(run.wanted(), "stability_overlap");
  CHECK_SAYS(run.submit({"--shards", "3"}).out, "over_seeds: job ");
  REQUIRE(cluster().wait_until_empty(120));
  INFO(run.logs());
  CHECK_SAYS(run.log("over_seeds-1"), "6 cells to compare with other seeds");
  CHECK_SAYS(run.log("over_seeds-1"), "exit code 0");
  CHECK(run.here().exported() == run.wanted());
  CHECK_SAYS(run.submit({}).out, "all 6 cells are done");

  // What is left of the second round alone is sent again, too.
  const std::string gone = run.here().query("SELECT attempt FROM attempt_peer")[0]["attempt"];
  run.here().run({"retract", gone, "--reason", "a mistake"});
  CHECK(run.here().exported() != run.wanted());
  CHECK_FALSE(has(run.submit({}).out, "cells: job "));
  REQUIRE(cluster().wait_until_empty(120));
  INFO(run.logs());
  CHECK(run.here().exported() == run.wanted());
}

TEST_CASE("stopped, cancelled, timed out, lost: what is left is sent again") {
  NEED_CLUSTER();
  const Workspace outside;
  const auto tally = outside.path("tally"), gate = outside.write("gate", "");
  const Submitted run(four_models("tally = \"" + tally + "\", gate = \"" + gate + "\""));
  fs::remove(gate);
  run.submit({"--shards", "4", "--time", "20"});
  const std::string job = run.cells_job();
  REQUIRE(wait_until([&] { return lines_in(tally) == 4 + 4; }, 60));  // each task has its model

  CHECK_SAYS(run.submit({}, 2).err, " is still ");
  for (const auto& state : run.status()) CHECK(state["queue"] == "RUNNING");

  // Task 1 hears what a task hears before its time is over; task 2 is cancelled; task 4 is given
  // another 90 s, of which the last 300 are for stopping: Slurm looks every 30 s.
  const auto ask = [](const std::vector<std::string>& words) { return cluster().ask(words); };
  ask({"scancel", "--signal=TERM", "--batch", job + "_1"});
  ask({"scancel", job + "_2"});
  const std::string soon = ask({"date", "-d", "+90 seconds", "+%Y-%m-%dT%H:%M:%S"});
  ask({"scontrol", "update", "JobId=" + job + "_4", "EndTime=" + soon});
  CHECK(wait_until([&] { return has(run.log("cells-1"), "exit code 75"); }, 30));
  CHECK(wait_until([&] { return has(run.log("cells-4"), "exit code 75"); }, 75));

  // Both are sent again: a task that is lost with its node before it began has nothing in its log.
  for (const char* log : {"cells-1", "cells-4"})
    CHECK(wait_until([&] { return has(run.log(log), "restart 1"); }, 60));

  // The controller starts anew; then the node of task 3 is lost.
  cluster().restart_controller();
  std::string node;
  REQUIRE(wait_until(
      [&] {
        node = ask({"squeue", "-h", "-j", job + "_3", "-o", "%N"});
        return !node.empty();
      },
      30));
  cluster().lose(node);
  std::ofstream(gate) << "open\n";
  cluster().bring_back(node);
  REQUIRE(cluster().wait_until_empty(120));
  INFO(run.logs());
  for (const char* log : {"cells-1", "cells-3", "cells-4"})
    CHECK_SAYS(run.log(log), "task " + job + "_" + std::string(log).back() + ", restart 1");
  CHECK_FALSE(has(run.log("cells-2"), "restart 1"));
  const Json states = run.status();
  for (std::size_t shard = 0; shard < 4; ++shard)
    CHECK(states[shard]["done"] == (shard == 1 ? Json(0) : states[shard]["cells"]));
  CHECK(run.here().exported() != run.wanted());  // merged, but for shard 2

  CHECK_SAYS(run.submit({}).err, "2 in 1 shards to do");
  REQUIRE(cluster().wait_until_empty(60));
  CHECK(run.here().exported() == run.wanted());
}

TEST_CASE("a full disk of logs costs the logs alone") {
  NEED_CLUSTER();
  const Submitted run(whole_run());
  run.submit({"--shards", "2", "--sbatch", "--output=/dev/full"});
  REQUIRE(cluster().wait_until_empty(120));
  CHECK(run.here().exported() == run.wanted());
}

TEST_CASE("what the cluster refuses is said in its words, and nothing stays queued") {
  NEED_CLUSTER();
  const Submitted run(digits_run("metrics = [\"surf_mae\"]", {"perfect", "svd"}));
  const std::string said = run.submit({"--partition", "nowhere"}, 2).err;
  CHECK_SAYS(said, "sbatch refused");
  CHECK_SAYS(said, "invalid partition specified: nowhere");
  CHECK(cluster().ask({"squeue", "-h"}).empty());
}
