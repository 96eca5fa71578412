// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/input_file.h"
#include "harness/core/value.h"

namespace conoscope::core {

/// Which part of a cell's work it is.
enum class Stage { kDataset, kModel, kExplain, kScore };
const char* to_string(Stage stage);

/// A plugin file and the values of its parameters, in the order of its metadata.
struct PluginUse {
  std::filesystem::path file;
  std::vector<Value> values;
  std::vector<InputFile> inputs = {};     ///< the plugin and its data files, to be as they were
  std::vector<std::string> command = {};  ///< that runs it; empty: it is a library
  std::vector<std::string> folders = {};  ///< that Python imports from
};

/// A cell that a score over seeds compares with: its artifacts, and its control's seed.
struct PeerInput {
  std::filesystem::path model_folder, explanation;
  std::uint64_t control_seed = 0;
  std::int64_t seed = 0;  ///< the cell's
};

/// All that a worker is told: one stage of one cell.
struct Job {
  Stage stage = Stage::kDataset;
  std::string label;
  std::optional<PluginUse> plugin;   ///< what runs; none: the built-in metrics
  std::optional<PluginUse> model;    ///< answers interventions, and calls of its functions
  std::vector<std::string> calls;    ///< explain jobs: of these, what the explainer may call
  std::optional<PluginUse> redrawn;  ///< explain jobs: the model, whose upper layers are drawn anew
  std::optional<PluginUse> explainer;                        ///< score jobs: projects
  std::filesystem::path dataset, model_folder, explanation;  ///< artifacts; empty: none
  std::filesystem::path work;  ///< where artifact/ and scratch/ are; see Cache::make_work_folder
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  std::uint64_t memory = 0;  ///< bytes; 0: no limit
  std::uint64_t disk = 0;    ///< bytes of one file that a plugin writes; 0: no limit
  bool confine = true;       ///< see confinement.h
  std::filesystem::path
      hashed_files,     ///< what the run has hashed, see hashed_files.h; empty: nothing
      arrays;           ///< the cache's pool of arrays
  std::string made_by;  ///< for the artifact: what makes it, see border/provenance.h
  std::string control = "none";
  std::uint64_t control_seed = 0;
  std::vector<PeerInput> peers;      ///< score jobs over seeds: with what the cell is compared
  std::vector<std::string> metrics;  ///< scores that are asked for: built-in ones, or the plugin's
  bool sample_scores = false;
  bool repeat = false;  ///< fit twice and compare bit for bit
};

/// The exit code of a worker that could not use one of its artifacts. A plugin can end with it, too:
/// the supervisor looks at the artifacts itself.
inline constexpr int kDamagedInputExit = 3;
/// And of one that could not start a process or a thread: the user has as many as he may.
inline constexpr int kNoProcessExit = 4;

/// throws  std::runtime_error: the file cannot be written
void write_job(const Job& job, const std::filesystem::path& file);
/// throws  std::runtime_error: the file cannot be read, or is not a job of this version
Job read_job(const std::filesystem::path& file);

}  // namespace conoscope::core
