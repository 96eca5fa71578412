// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::app {

/// What the process ends with; docs/command.md lists them for scripts.
enum ExitCode {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,  ///< command line or run file
  kPluginRefused = 3,
  kSomeFailed = 4,  ///< finished, saved, but some cells failed
  kNotSaved = 5,    ///< a store, cache or file cannot be read or written; a recovery file is named
  kDifferent = 6,   ///< compare, verify, merge --verify
  kStopped = 75,    ///< SIGTERM; the same command continues
  kInterrupted = 130,  ///< Ctrl-C; the same command continues
};

/// A mistake on the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A key as people see it: so many digits are enough to tell keys apart.
inline std::string short_key(std::string_view key) { return std::string(key.substr(0, 12)); }

using Arguments = std::vector<std::string>;

/// A sub-command: its own file, one function.
struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments& arguments);
};

int run_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int reproduce_command(const Arguments& arguments);
int audit_command(const Arguments& arguments);
int board_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int history_command(const Arguments& arguments);
int artifact_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int site_command(const Arguments& arguments);
int status_command(const Arguments& arguments);
int query_command(const Arguments& arguments);
int measure_command(const Arguments& arguments);
int metric_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int retract_command(const Arguments& arguments);
int export_command(const Arguments& arguments);
int debug_command(const Arguments& arguments);
int dataset_command(const Arguments& arguments);
int dataset_list_command(const Arguments& arguments);
int dataset_info_command(const Arguments& arguments);
int dataset_export_command(const Arguments& arguments);
int plugin_command(const Arguments& arguments);
int plugin_list_command(const Arguments& arguments);
int plugin_info_command(const Arguments& arguments);
int plugin_check_command(const Arguments& arguments);
int plugin_new_command(const Arguments& arguments);
int sdk_command(const Arguments& arguments);
int cache_command(const Arguments& arguments);
int submit_command(const Arguments& arguments);
int submit_board_command(const Arguments& arguments);
int submit_slurm_command(const Arguments& arguments);
int worker_command(const Arguments& arguments);

}  // namespace conoscope::app
