#include "harness/core/run/overseen_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness/core/conformance/trials.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/run/artifact_stage.h"
#include "harness/core/run/ending.h"
#include "harness/core/run/score_stage.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

/// Everything that the plugin's process says, until it has ended. What it is doing and how far it is
/// goes on to the supervisor at once.
Exit listen(ChildProcess& plugin, Reports& heard, const Reporter& report) {
  ::fcntl(plugin.report_fd(), F_SETFL, O_NONBLOCK);
  const auto take = [&] {
    const auto lines = plugin.read_lines();
    for (const auto& line : lines) {
      const std::string step = heard.step;
      const double progress = heard.progress;
      heard.take(line);
      if (heard.step != step) report.stage(heard.step);
      if (heard.progress - progress >= 0.005) report.progress(heard.progress);
    }
    return !lines.empty();
  };
  while (true) {
    pollfd fd{plugin.report_fd(), POLLIN, 0};
    ::poll(&fd, plugin.closed() ? 0 : 1, plugin.closed() ? 1 : 50);
    take();
    if (plugin.flooded()) plugin.kill(SIGKILL);
    const auto exit = plugin.poll_exit();
    if (!exit) continue;
    while (take()) {
    }
    return *exit;
  }
}

/// A word that nobody could have known before.
std::string fresh_word() {
  std::random_device device;
  return std::to_string(device()) + "." + std::to_string(device());
}

double number_of(const results::SampleScoreRow& part) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (part.value) return *part.value;
  return part.reason == "posinf"   ? kInfinity
         : part.reason == "neginf" ? -kInfinity
                                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void oversee(const Job& job, HostCalls& host, const Reporter& report) {
  const fs::path folder = job.work / "artifact";
  const std::string word = fresh_word();
  if (job.stage != Stage::kScore) fs::create_directories(folder);
  if (job.repeat || job.trial == trial::kMemory) fs::create_directories(again_folder(job));
  ChildProcess plugin([&] {
    work_and_end(report, word, [&] {
      if (job.stage == Stage::kScore) return score(job, host, report);
      std::vector<fs::path> folders = {folder};
      if (job.repeat) folders.push_back(again_folder(job));
      make_artifact(job, host, report, folders);
    });
  });
  Reports heard(std::set<std::string>(job.metrics.begin(), job.metrics.end()));
  const Exit exit = listen(plugin, heard, report);
  end_own_children();  // what the plugin has left running
  if (plugin.flooded()) throw PluginFault{results::Status::failed, "reported without end"};
  if (heard.fault)
    throw PluginFault{
        heard.fault->first, heard.fault->second,
        exit.code == kDamagedInputExit || exit.code == kNoProcessExit ? *exit.code : 1};
  // The plugin could only have found the word in the memory of its process; it gains nothing by it,
  // for what it leaves is looked at all the same.
  if (heard.plugin || exit.signal || exit.code != 0 || heard.done != word)
    throw PluginEnded(heard.plugin ? *heard.plugin : exit);
  if (job.stage == Stage::kScore) {
    check_scores(job, heard.scores);
    for (const auto& given : heard.scores) report.score(given);
    for (const auto& part : heard.parts)
      report.part(part.metric, static_cast<std::size_t>(part.part), number_of(part));
  } else if (job.trial != trial::kLoad) {
    check_artifact(job, folder);
    if (job.repeat) compare_artifacts(folder, again_folder(job));
  }
}

}  // namespace conoscope::core
