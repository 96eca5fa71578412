// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include "harness/app/command.h"
#include "harness/app/cpu_level.h"
#include "harness/app/folders.h"
#include "harness/app/printable_stream.h"
#include "harness/app/terminal.h"
#include "harness/core/artifacts/cache.h"
#include "harness/core/border/metadata.h"
#include "harness/core/names.h"
#include "harness/core/plan/run_file.h"
#include "harness/core/run/stop_signals.h"
#include "harness/core/version.h"
#include "results/store/store.h"

namespace conoscope::app {

namespace {

constexpr Command kCommands[] = {
    {"run", "do the work of a run file, then print the leaderboard", run_command},
    {"plan", "show what a run would do, and what it skips and why", plan_command},
    {"reproduce", "run a paper's studies and judge its tables and figures", reproduce_command},
    {"submit", "hand a run to a cluster, in shards", submit_command},
    {"measure", "score arrays of your own, without a run file", measure_command},
    {"board", "print a leaderboard", board_command},
    {"audit", "say which differences each metric tells, and whether to trust it",
     audit_command},
    {"compare", "say whether two explainers, models, datasets, runs or metrics differ",
     compare_command},
    {"history", "print how the scores of a metric moved over time", history_command},
    {"show", "print all that is known of one cell", show_command},
    {"artifact", "hand out the arrays that a score was computed from", artifact_command},
    {"debug", "do one cell again in the foreground, under gdb too", debug_command},
    {"report", "write boards, differences and ladders as one HTML file with pictures",
     report_command},
    {"site", "write a store as pages for the web: boards, methods and metrics", site_command},
    {"status", "print how far runs are, and every failed cell with its reason", status_command},
    {"query", "read the results with SQL", query_command},
    {"merge", "merge other stores' results into this one", merge_command},
    {"verify", "run stored cells again and say whether the scores are the same", verify_command},
    {"retract", "say that an attempt no longer counts, and why", retract_command},
    {"export", "print every score in a fixed order", export_command},
    {"dataset", "list, inspect or export datasets", dataset_command},
    {"metric", "list the metrics, or tell all there is to know of one", metric_command},
    {"plugin", "list, inspect, check or start plugins", plugin_command},
    {"sdk", "print where headers and CMake files for plugins are", sdk_command},
    {"cache", "show or trim the artifacts on disk", cache_command},
};

void print_help(std::ostream& out) {
  out << "conoscope " << core::version_text()
      << " - puts concept-based explanations of neural networks to the test\n\n"
         "usage: conoscope COMMAND [options]\n\nCommands:\n";
  for (const Command& command : kCommands)
    out << "  " << command.name << std::string(10 - std::string(command.name).size(), ' ')
        << command.summary << '\n';
  out << "\n`conoscope COMMAND --help` explains one. `conoscope run` with nothing else runs\n"
         "the quick benchmark that ships. Where several levels of x86-64 are installed,\n"
         "--cpu best takes the widest that this processor has, --cpu LEVEL that one; as it\n"
         "is (portable), every processor with AVX2 prints the same. Exit codes: 0 ok,\n"
         "1 internal fault, 2 usage or run file, 3 plugin refused, 4 finished but some\n"
         "cells failed, 5 a store, cache or file could not be read or written, 6 a\n"
         "difference was found, 75 stopped and 130 interrupted (the same command\n"
         "continues).\n";
}

int dispatch(const std::string& name, const Arguments& rest) {
  if (name == "worker") return worker_command(rest);  // the supervisor's, not for people
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run(rest);
    names.emplace_back(command.name);
  }
  throw UsageError("no command " + name + core::did_you_mean(name, names));
}

/// Whatever started this process may have left it signals that are blocked or ignored.
void settle_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, it would leave nothing of a worker to wait for
  std::signal(SIGPIPE, SIG_DFL);  // `conoscope export | head` ends quietly
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error with a text
}

/// Eigen keeps small arrays on the stack, and so do plugins. The limit is also that of the workers, and
/// how large the stacks of threads are.
void settle_stack() {
  constexpr rlim_t kUsual = rlim_t{8} << 20, kLeast = rlim_t{1} << 20;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kUsual) return;
  const rlimit raised{kUsual, std::max(kUsual, stack.rlim_max)};
  const rlimit allowed{std::min(kUsual, stack.rlim_max), stack.rlim_max};
  if (::setrlimit(RLIMIT_STACK, &raised) != 0) ::setrlimit(RLIMIT_STACK, &allowed);
  ::getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_cur < kLeast)
    throw UsageError("the stack may have only " + std::to_string(stack.rlim_cur >> 10) +
                     " KiB: at least " + std::to_string(kLeast >> 10) + " are needed (ulimit -s " +
                     std::to_string(kUsual >> 10) + ")");
  pthread_attr_t threads;  // whose default was taken from the limit as it was
  ::pthread_attr_init(&threads);
  ::pthread_attr_setstacksize(&threads, stack.rlim_cur);
  ::pthread_setattr_default_np(&threads);
  ::pthread_attr_destroy(&threads);
}

/// Until the run is told to stop, which then keeps what it has elsewhere.
bool wait_for_store(const std::string& store, bool first) {
  if (first)
    std::cerr << "conoscope: " << store
              << " is locked by another process (another run or merge, or a program in which it is "
                 "open); waiting up to "
              << std::chrono::duration_cast<std::chrono::minutes>(results::kLongestWait).count()
              << " minutes\n"
              << std::flush;
  return core::StopSignals::last() == 0;
}

int guarded_main(Arguments arguments) {
  try {
    settle_stack();
    settle_cpu(arguments);
    results::set_lock_wait(wait_for_store);
    if (arguments.empty()) {
      print_help(std::cerr);
      return kUsage;
    }
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
      print_help(std::cout);
      return kOk;
    }
    if (arguments[0] == "--version") {
      std::cout << core::build_text();
      return kOk;
    }
    return dispatch(arguments[0], {arguments.begin() + 1, arguments.end()});
  } catch (const UsageError& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kUsage;
  } catch (const core::RunFileError& e) {
    for (const auto& line : e.errors()) std::cerr << line << '\n';
    return kUsage;
  } catch (const core::PluginRefused& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kPluginRefused;
  } catch (const results::StoreError& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    switch (e.problem()) {
      case results::StoreProblem::not_found:
      case results::StoreProblem::refused:
      case results::StoreProblem::bad_query:
        return kUsage;
      case results::StoreProblem::internal:
        return kInternal;
      default:
        return kNotSaved;
    }
  } catch (const std::filesystem::filesystem_error& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kNotSaved;
  } catch (const core::CacheError& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kNotSaved;
  } catch (const std::invalid_argument& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "conoscope: " << e.what() << '\n';
    return kInternal;
  }
}

}  // namespace

}  // namespace conoscope::app

int main(int argc, char** argv) {
  conoscope::app::settle_signals();
  conoscope::app::PrintableStream out(std::cout, conoscope::app::on_terminal());
  const conoscope::app::PrintableStream err(std::cerr);
  conoscope::core::search_interpreters(conoscope::app::interpreter_search());
  const int code = conoscope::app::guarded_main({argv + 1, argv + argc});
  const int lost = out.finish();
  if (lost == 0) return code;
  std::cerr << "conoscope: standard output cannot be written: " << std::strerror(lost) << '\n';
  return code == conoscope::app::kOk ? conoscope::app::kNotSaved : code;
}
