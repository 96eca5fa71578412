// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/app/command.h"
#include "harness/core/border/registry.h"
#include "harness/core/plan/plan.h"
#include "harness/core/processes/worker_process.h"
#include "results/formats/format.h"

namespace conoscope::app {

/// The options of one sub-command, with its help text. Names are never guessed; a mistyped one gets
/// a suggestion.
class Options {
 public:
  /// usage  as "run [FILE] [options]"; examples: lines shown below the options
  Options(std::string usage, std::string summary, std::vector<std::string> examples);

  /// --name
  void flag(const std::string& name, const std::string& help);
  /// --name VALUE, with what holds where it is not given
  void text(const std::string& name, const char* value, const std::string& help,
            const std::optional<std::string>& standard = {});
  void integer(const std::string& name, const char* value, const std::string& help,
               const std::optional<std::int64_t>& standard = {});
  void real(const std::string& name, const char* value, const std::string& help,
            const std::optional<double>& standard = {});
  /// --name VALUE, any number of times
  void texts(const std::string& name, const char* value, const std::string& help);
  /// Of another type.
  boost::program_options::options_description_easy_init add();
  /// A positional argument; count -1: any number.
  void positional(const char* name, int count);
  /// --store FILE
  void with_store();
  /// --from STORE: results to take before anything is computed
  void with_from();
  /// --verify, which open_store() heeds
  void with_verify();
  /// --dataset, --model, --explainer
  void with_component_filters();
  /// --format F
  void with_format();
  /// --plugin-path DIR and --cache DIR
  void with_plugins();
  /// --cache DIR
  void with_cache();
  void with_profile();  ///< needed by load_plan()
  /// --jobs N
  void with_jobs();

  /// --param NAME=VALUE, any number of times
  void with_params();
  /// --confine HOW and --grant ID
  void with_confinement();
  /// --seconds S and --memory MIB of one worker
  void with_limits(double seconds, double mib);

  /// False: --help was printed, the command is done. throws UsageError
  bool parse(const Arguments& arguments);

  /// Whether it was given, not left to its default.
  bool has(const std::string& name) const;
  /// Lives as long as the options do: a reference to a part of it is safe.
  template <typename T>
  const T& get(const char* name) const {
    return values_[name].as<T>();
  }
  /// A whole number; its type here is std::int64_t.
  /// throws  UsageError: not from `least` to `most`
  std::uint64_t number(const char* name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// What may be given several times; empty where it was not given.
  const std::vector<std::string>& list(const std::string& name) const;

  std::filesystem::path store() const;
  /// " --store FILE" where it was given: for a command that a message names.
  std::string store_words() const;
  /// What --from names; only where it is given.
  std::filesystem::path from() const;
  std::filesystem::path cache() const;
  results::Format format() const;
  std::vector<std::filesystem::path> plugin_path() const;
  /// throws  UsageError: not from 1 to 1024
  unsigned jobs() const;
  /// throws  UsageError: not NAME=VALUE, or a name twice
  std::vector<std::pair<std::string, std::string>> params() const;
  /// Whether plugins are confined.
  /// throws  UsageError: no such word, or required and this kernel cannot
  bool confine() const;
  /// throws  UsageError: nothing that a worker could live with
  core::WorkerLimits limits() const;

 private:
  std::string usage_, summary_;
  std::vector<std::string> examples_;
  boost::program_options::options_description visible_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
};

/// A command with actions of its own ("plugin list"): runs the one that the first argument names,
/// or prints them.
int run_action(const std::string& command, std::span<const Command> actions,
               const Arguments& arguments);

/// A store, as a user names it: a file or folder, or "published" for the results that ship and
/// "published/quick.gz" for one of their files, in whatever folder one is.
std::filesystem::path store_named(const std::string& name);

/// A file, or the name of a run file that ships (quick, quick.toml, ...).
/// throws  UsageError: neither; lists those that ship
std::filesystem::path find_run_file(const std::string& name);

/// Reads the run file and matches it with the plugins that the options lead to.
core::Plan load_plan(const std::filesystem::path& run_file, const Options& options);
/// In this profile; empty: the file's first one, if it has any.
core::Plan load_plan(const std::filesystem::path& run_file, const Options& options,
                     const std::string& profile);

core::Quarantine open_quarantine(const Options& options);

}  // namespace conoscope::app
