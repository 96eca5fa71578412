// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::core {

struct RunFile;

/// What the jobs of a run ask a Slurm cluster for. Texts go to sbatch as they are; an empty one asks
/// for nothing, and the cluster's own default holds.
struct SlurmRequest {
  std::uint32_t shards = 8;
  std::uint32_t cpus = 1;         ///< of one array task
  std::uint32_t max_running = 0;  ///< array tasks at a time; 0: as many as the cluster lets
  std::string partition, account, qos, time, gres, constraint, exclude;
  /// At most one of the two; "none" asks for nothing. Both empty: what limits.memory grants to as
  /// many workers as run at a time.
  std::string mem, mem_per_cpu;
  std::vector<std::string> setup;    ///< shell lines that run before the command
  std::vector<std::string> sbatch;   ///< more options, each as "--mail-type=END"
  std::vector<std::string> without;  ///< names of options that are left out, as "--requeue"
};

/// The run file's [slurm], whose mistakes were found when the file was parsed.
SlurmRequest read_slurm_request(const RunFile& run_file);

inline constexpr std::int64_t kMostShards = 100'000;

// What is expected of the texts.
inline constexpr std::string_view kSlurmValue = "expected one word without quotes";
inline constexpr std::string_view kSlurmTime =
    "expected minutes, hours:minutes:seconds or days-hours, as 04:00:00";
inline constexpr std::string_view kSlurmOption = "expected an option of sbatch, as --requeue";

/// Can it be the value of an option in a line of a job script? No white space, quotes, backslashes,
/// number signs or control characters.
bool is_slurm_value(std::string_view text);

/// Can it be a line of a job script? No control characters but tabs.
bool is_script_line(std::string_view text);

/// Seconds of a time limit as Slurm writes them: minutes, minutes:seconds, hours:minutes:seconds,
/// days-hours, days-hours:minutes, days-hours:minutes:seconds. nullopt: none of these, or 0.
std::optional<std::int64_t> slurm_seconds(std::string_view text);

}  // namespace conoscope::core
