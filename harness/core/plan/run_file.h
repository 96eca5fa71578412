// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/border/metadata.h"
#include "harness/core/plan/diagnostics.h"
#include "harness/core/plan/place.h"
#include "results/boards/kinds.h"

namespace conoscope::core {

/// One value, or several to sweep over. Of a parameter that takes a list, [64, 64] is one value and
/// [[64], [64, 64]] a sweep.
struct ParameterRequest {
  std::string name;
  std::vector<Value> values;
  Place place;
  bool in_brackets = false;  ///< values were given as [...]
};

/// A dataset that an entry keeps to, by name or plugin id.
struct DatasetReference {
  std::string name;
  Place place;
};

/// A [[dataset]], [[model]], [[explainer]] or [[metric]] entry.
struct ComponentRequest {
  std::string id;                             ///< empty when only `file` is given
  std::string name;                           ///< for the boards; empty: made of id and params
  std::optional<std::filesystem::path> file;  ///< absolute
  std::vector<ParameterRequest> params;
  std::vector<std::string> controls;       ///< explainers: instead of the run's; empty: the run's
  std::vector<DatasetReference> datasets;  ///< models, explainers: only with these; empty: with all
  bool optional =
      false;  ///< datasets, models: left out, with a note, where one of its files is missing
  Place place;
};

struct Limits {
  double seconds = 600;                           ///< for one job
  std::uint64_t memory = std::uint64_t{8} << 30;  ///< bytes resident, for one job
  std::uint32_t threads = 1;                      ///< that a plugin may use
  std::uint64_t cache = std::uint64_t{20} << 30;  ///< bytes kept on disk
};

struct MetricRequest {
  std::string name;  ///< of a metric or of a group
  Place place;
};

/// A run file, read but not yet compared with the plugins there are.
struct RunFile {
  std::filesystem::path path;
  std::string text;
  std::string name;     ///< with the profile behind a dash, where it is not the file's first
  std::string profile;  ///< empty: the file has none
  std::vector<std::int64_t> seeds;
  std::vector<std::string> controls;
  std::vector<MetricRequest> metrics;
  std::vector<ComponentRequest> datasets, models, explainers, metric_plugins;
  std::vector<std::filesystem::path> plugin_path;
  std::string python;  ///< that runs plugins written in Python; empty: see interpreter.h
  /// Not in the file: where data are sought that do not lie beside it; empty: nowhere else.
  std::filesystem::path data_folder;
  Limits limits;
  bool sample_scores = false;
  std::string cpu;         ///< portable, best or a level, as --cpu; empty: nothing is said
  bool summaries = false;  ///< the group of metrics that pictures are drawn from
  results::BoardKind board =
      results::BoardKind::ranking;  ///< what `conoscope run` prints at its end
};

/// A run file or a ledger, as far as toml++ may be given it.
/// throws  RunFileError: it cannot be read, has more than 1 MiB, or a key of too many parts
std::string read_toml_text(const std::filesystem::path& path, const std::string& kind);

/// Reads a run file. Mistakes go to `diagnostics`, so that all of them can be shown at once; what
/// could be read is returned.
///
/// A file with `profiles = ["quick", "paper"]` has several sizes: wherever a value stands, a table
/// with some of these keys may stand, and the chosen profile's value is read; where it has none, the
/// key is read as not there.
///
/// profile  empty: the file's first one
/// throws   RunFileError: the file cannot be read, is not TOML or has no such profile
RunFile parse_run_file(const std::filesystem::path& path, Diagnostics& diagnostics,
                       const std::string& profile = "");
/// The same of a text that was read already; path: where it stood, as far as that is known.
RunFile parse_run_text(std::string text, const std::filesystem::path& path,
                       Diagnostics& diagnostics, const std::string& profile = "");

}  // namespace conoscope::core
