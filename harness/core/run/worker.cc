#include "harness/core/run/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <random>
#include <utility>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/served_calls.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/run/artifact_stage.h"
#include "harness/core/run/score_stage.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;
using results::Status;

std::atomic<bool> asked_to_stop{false};

const Reporter kReport;

Status status_of(cono_status status) {
  switch (status) {
    case CONO_NOT_APPLICABLE:
      return Status::not_applicable;
    case CONO_CANCELLED:
      return Status::interrupted;
    case CONO_OUT_OF_MEMORY:
      return Status::out_of_memory;
    default:
      return Status::failed;
  }
}

/// A file or folder among a plugin's parameters, with what links in the folder lead to.
void add_data(const fs::path& path, std::vector<fs::path>& out) {
  if (path.empty()) return;  // an optional one that was not given
  out.push_back(path);
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (at->is_symlink(error)) out.push_back(at->path());
}

/// The libraries that the loader finds there, and nothing else: a run path may as well be "/".
void add_libraries(const fs::path& folder, std::vector<fs::path>& out) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().find(".so") == std::string::npos) continue;
    std::error_code gone;
    const fs::path file = fs::canonical(at->path(), gone);  // a link may lead anywhere
    if (file.filename().string().find(".so") != std::string::npos &&
        fs::is_regular_file(file, gone))
      out.push_back(file);
  }
}

/// Before a plugin is loaded: what it may read and write is settled for this process, once.
void enclose(const Job& job, const PluginUse& use, const Metadata& metadata) {
  static bool enclosed = false;
  if (std::exchange(enclosed, true)) return;
  ::prctl(PR_SET_DUMPABLE, 1);  // the supervisor counts its mappings, and one may debug it
  if (job.disk > 0) {
    const rlimit file{job.disk, job.disk};
    ::setrlimit(RLIMIT_FSIZE, &file);
  }
  if (!job.confine) return;
  Confinement wanted;
  wanted.read = {use.file.parent_path(), job.dataset, job.model_folder, job.explanation};
  bool reads_data = false;
  for (std::size_t i = 0; i < metadata.parameters.size() && i < use.values.size(); ++i)
    if (const auto* path = std::get_if<std::string>(&use.values[i]);
        path != nullptr && metadata.parameters[i].is_path())
      add_data(*path, wanted.read), reads_data |= !path->empty();
  if (use.command.empty()) {
    std::vector<fs::path> libraries = {use.file};
    // What a plugin loads to read data (datasets/formats/reader_library.h) lies beside it.
    if (reads_data)
      for (const auto* reader : {"conoscope_npz.so", "conoscope_hdf5.so"})
        libraries.push_back(use.file.parent_path() / reader);
    for (const auto& library : libraries)
      for (const auto& folder : library_folders(library)) add_libraries(folder, wanted.read);
  } else {
    for (const auto& folder : use.folders) wanted.read.emplace_back(folder);
    wanted.programs = {use.command[0]};
  }
  wanted.write = {job.work / "artifact", job.work / "again", job.work / "scratch"};
  wanted.network = metadata.may_access("network");
  wanted.processes = metadata.may_access("processes");
  confine(wanted);
}

void set_up(HostCalls& host, const Job& job) {
  host.seed = job.seed;
  host.threads = job.threads;
  host.scratch = (job.work / "scratch").string();
  host.progress = [last = 0.0](double done) mutable {
    if (!(done <= 1.0) || done - last < 0.01) return;
    last = done;
    kReport.progress(done);
  };
  host.log = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  host.cancelled = [] { return asked_to_stop.load(std::memory_order_relaxed); };
  if (job.trial == trial::kCancelled) host.cancelled = [] { return true; };
  host.before_load = [&job](const PluginUse& use, const Metadata& metadata) {
    enclose(job, use, metadata);
  };
}

/// This process outlives neither its supervisor nor what plugins start: orphans come to it, and when
/// the supervisor is gone it ends them before itself. Plugins cannot look into it.
void guard_process() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);
  struct sigaction end {};
  end.sa_handler = [](int) {
    end_own_children();
    ::_exit(1);
  };
  ::sigaction(SIGUSR2, &end, nullptr);
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (::getppid() != parent) ::_exit(1);
  // A terminal's Ctrl-C reaches the whole process group; when to stop is the supervisor's to say.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, [](int) { asked_to_stop.store(true); });
  ::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error with a text
  ::signal(SIGPIPE, SIG_IGN);  // a process that is gone is an error of write()
}

std::vector<InputFile> inputs_of(const Job& job) {
  std::vector<InputFile> out;
  for (const auto* use : {&job.plugin, &job.model, &job.redrawn, &job.explainer})
    if (*use) out.insert(out.end(), (*use)->inputs.begin(), (*use)->inputs.end());
  return out;
}

void set_limits(const Job& job) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Mapped libraries and inputs count as address space but not as memory, so this is wider than the
  // limit that the supervisor holds the resident size to; it stops a single huge allocation at
  // once.
  if (job.memory > 0) {
    const rlim_t space = job.memory * 2 + (rlim_t{4} << 30);
    const rlimit limit{space, space};
    ::setrlimit(RLIMIT_AS, &limit);
  }
#else
  static_cast<void>(job);
#endif
}

/// Does `work` and says why where there is no result. Ends the process: static destructors and exit
/// handlers are the plugins' code too.
template <typename Work>
[[noreturn]] void work_and_end(const std::string& word, Work&& work) {
  const auto fault = [](Status status, const std::string& message, int code = 1) {
    std::fflush(nullptr);
    kReport.fault(status, message);
    ::_exit(code);
  };
  try {
    work();
    std::fflush(nullptr);
    kReport.done(word);
    ::_exit(0);
  } catch (const CallFault& e) {
    fault(status_of(e.status()), e.what());
  } catch (const OutputFault& e) {
    fault(Status::invalid_output, e.what());
  } catch (const LoadFault& e) {
    fault(Status::failed, e.what());
  } catch (const DamagedArtifact& e) {
    fault(Status::failed, e.what(), kDamagedInputExit);
  } catch (const PluginEnded& e) {
    kReport.ended(e.exit());
  } catch (const std::bad_alloc&) {
    fault(Status::out_of_memory, "out of memory");
  } catch (const std::exception& e) {
    fault(Status::failed, e.what());
  }
  ::_exit(1);
}

/// A plugin has said why it gives no result; passed on as it is.
struct PluginFault {
  Status status;
  std::string message;
  int code = 1;  ///< for the worker to end with
};

/// Everything that the plugin's process says, until it has ended. What it is doing and how far it is
/// goes on to the supervisor at once.
Exit listen(ChildProcess& plugin, Reports& heard) {
  ::fcntl(plugin.report_fd(), F_SETFL, O_NONBLOCK);
  const auto take = [&] {
    const auto lines = plugin.read_lines();
    for (const auto& line : lines) {
      const std::string step = heard.step;
      const double progress = heard.progress;
      heard.take(line);
      if (heard.step != step) kReport.stage(heard.step);
      if (heard.progress - progress >= 0.005) kReport.progress(heard.progress);
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

/// Has a process of its own call the job's plugin, and looks at what it leaves once it has ended.
void oversee(const Job& job, HostCalls& host) {
  const fs::path folder = job.work / "artifact";
  const std::string word = fresh_word();
  if (job.stage != Stage::kScore) fs::create_directories(folder);
  if (job.repeat || job.trial == trial::kMemory) fs::create_directories(again_folder(job));
  ChildProcess plugin([&] {
    work_and_end(word, [&] {
      if (job.stage == Stage::kScore) return score(job, host, kReport);
      make_artifact(job, host, kReport, folder);
      if (job.repeat) make_artifact(job, host, kReport, again_folder(job));
    });
  });
  Reports heard(std::set<std::string>(job.metrics.begin(), job.metrics.end()));
  const Exit exit = listen(plugin, heard);
  end_own_children();  // what the plugin has left running
  if (plugin.flooded()) throw PluginFault{Status::failed, "reported without end"};
  if (heard.fault)
    throw PluginFault{heard.fault->first, heard.fault->second,
                      exit.code == kDamagedInputExit ? kDamagedInputExit : 1};
  // The plugin could only have found the word in the memory of its process; it gains nothing by it,
  // for what it leaves is looked at all the same.
  if (heard.plugin || exit.signal || exit.code != 0 || heard.done != word)
    throw PluginEnded(heard.plugin ? *heard.plugin : exit);
  if (job.stage == Stage::kScore) {
    check_scores(job, heard.scores);
    for (const auto& given : heard.scores) kReport.score(given);
    for (const auto& part : heard.parts)
      kReport.part(part.metric, static_cast<std::size_t>(part.part), number_of(part));
  } else if (job.trial != trial::kLoad) {
    check_artifact(job, folder);
    if (job.repeat) compare_artifacts(folder, again_folder(job));
  }
}

}  // namespace

int run_worker(const fs::path& job_file) {
  work_and_end("done", [&] {
    const Job job = read_job(job_file);
    guard_process();
    set_limits(job);
    const UnchangedInputs inputs(inputs_of(job));
    HostCalls host;
    set_up(host, job);
    // Built-in metrics are this program's own code: what they judge answers from other processes.
    if (job.stage == Stage::kScore && !job.plugin) {
      score(job, host, kReport);
    } else {
      try {
        oversee(job, host);
      } catch (const PluginFault& e) {
        std::fflush(nullptr);
        kReport.fault(e.status, e.message);
        ::_exit(e.code);
      }
    }
    if (job.stage != Stage::kScore && job.trial != trial::kLoad)
      seal_artifact(job.work / "artifact",
                    job.confine && can_confine() ? confinement_offered() : "");
    inputs.check_again();
  });
}

}  // namespace conoscope::core
