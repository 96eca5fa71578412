// SPDX-License-Identifier: Apache-2.0
#include "harness/core/conformance/memory_growth.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "harness/core/processes/descendants.h"

namespace conoscope::core {

namespace {

constexpr int kWarmUp = 8, kFewest = 12, kMost = 200;
constexpr std::uint64_t kLeastGrowth = std::uint64_t{1} << 20;

/// Bytes that no file backs: what a process, and what it has started, have allocated and touched.
[[maybe_unused]] std::uint64_t private_memory(pid_t root) {  // a sanitizer counts its own
  std::vector<pid_t> processes = descendants(root);
  processes.push_back(root);
  std::uint64_t pages = 0;
  for (const pid_t process : processes) {
    std::ifstream in("/proc/" + std::to_string(process) + "/statm");
    std::uint64_t total = 0, resident = 0, shared = 0;
    in >> total >> resident >> shared;
    pages += resident - std::min(resident, shared);
  }
  return pages * static_cast<std::uint64_t>(::getpagesize());
}

}  // namespace

std::uint64_t steady_growth(std::span<const std::uint64_t> resident) {
  const std::size_t quarter = resident.size() / 4;
  if (quarter == 0) return 0;
  std::array<double, 4> means{};
  for (std::size_t q = 0; q < 4; ++q) {
    const auto part = resident.subspan(q * quarter, quarter);
    means[q] = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(quarter);
  }
  const double growth = means[3] - means[0];
  if (growth < static_cast<double>(kLeastGrowth)) return 0;
  for (std::size_t q = 1; q < 4; ++q)
    if (means[q] - means[q - 1] < growth / 6) return 0;
  return static_cast<std::uint64_t>(growth);
}

void measure_growth(pid_t process, const std::function<void()>& call, double seconds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // A sanitizer keeps freed memory to find its late users: every plugin would seem to leak.
  static_cast<void>(process);
  static_cast<void>(call);
  static_cast<void>(seconds);
  throw CallFault(CONO_NOT_APPLICABLE, "memory cannot be judged in a sanitizer build");
#else
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<std::uint64_t> resident;
  resident.reserve(kMost);
  for (int i = 0; i < kWarmUp + kMost && spent() < seconds; ++i) {
    call();
    if (i >= kWarmUp) resident.push_back(private_memory(process));
  }
  if (resident.size() < kFewest)
    throw CallFault(CONO_NOT_APPLICABLE, "too slow: " + std::to_string(resident.size()) +
                                             " calls after " + std::to_string(kWarmUp) +
                                             " to warm up, " + std::to_string(kFewest) +
                                             " are needed to judge");
  if (const auto growth = steady_growth(resident); growth > 0)
    throw OutputFault("memory grew steadily, by " + std::to_string(growth >> 10) + " KiB over " +
                      std::to_string(resident.size() * 3 / 4) + " calls with the same input");
#endif
}

}  // namespace conoscope::core
