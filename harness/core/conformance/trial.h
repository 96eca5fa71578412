#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/artifacts/artifact.h"

namespace conoscope::core {

// What a worker does to a plugin beyond the ordinary call, when Job::trial says so; the conformance
// suite of plugin_check.h asks for it.
namespace trial {
inline constexpr std::string_view kLoad = "load";            ///< load, make an instance, stop
inline constexpr std::string_view kStrided = "strided";      ///< inputs that are not contiguous
inline constexpr std::string_view kNan = "nan";              ///< NaN among the inputs
inline constexpr std::string_view kNoRows = "no_rows";       ///< an empty training split
inline constexpr std::string_view kCancelled = "cancelled";  ///< the host says so from the start
inline constexpr std::string_view kProject = "project";      ///< project() as a function
inline constexpr std::string_view kReconstruct = "reconstruct";  ///< reconstruct() as a function
inline constexpr std::string_view kForward = "forward";          ///< forward() as a function
inline constexpr std::string_view kIntervene = "intervene";      ///< intervene() as a function
inline constexpr std::string_view kMemory = "memory";            ///< the same call many times
}  // namespace trial

/// Changes the plugin's input as the trial wants it; other trials change nothing.
///
/// strided  activations, head_weight and inputs keep their values and lie apart in memory, with NaN
///          between them
/// nan      the first number of activations and inputs becomes NaN
/// no_rows  every array with a row for each sample loses its rows, and train_index its entries
void alter_input(ArrayBag& bag, std::string_view trial);

/// Runs `call` many times and watches the memory of this process that no file backs.
/// seconds  after which no further call begins
/// throws   OutputFault: it grows without end; CallFault (not applicable): too slow to tell
void measure_growth(const std::function<void()>& call, double seconds);

/// The verdict on the resident bytes after each call: by how many it grew steadily, or 0.
/// Steadily: at least 1 MiB from the first quarter's mean to the last's, and in every quarter at
/// least a sixth of it; an allocator that warms up grows and then stops.
std::uint64_t steady_growth(std::span<const std::uint64_t> resident);

}  // namespace conoscope::core
