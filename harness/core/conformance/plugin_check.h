// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/artifacts/cache.h"
#include "harness/core/border/registry.h"

namespace conoscope::core {

enum class Verdict { kPass, kFail, kSkipped };
const char* to_string(Verdict verdict);  ///< pass, FAIL, skipped

struct CheckResult {
  std::string name;
  Verdict verdict = Verdict::kPass;
  std::string reason;  ///< why it failed or was skipped; a pass may carry a remark
};

struct CheckOptions {
  std::vector<std::pair<std::string, std::string>> params;  ///< as on a command line
  double seconds = 60;                                      ///< for each child process
  std::uint64_t memory = std::uint64_t{2} << 30;            ///< bytes resident, for each
  bool confine = true;                                      ///< as far as the kernel can
  std::string worker = "/proc/self/exe";                    ///< the command that knows `worker`
  std::function<void(const CheckResult&)> report;           ///< told of every result as it comes
};

/// The conformance suite: does the plugin keep the rules of the border, and does it do so on every
/// kind of input that it will meet? Each of its calls runs in a process of its own.
///
/// A file whose loading kills two processes goes into quarantine; one that passes everything leaves.
/// Where the quarantine cannot be written, the check "quarantine" fails and says why.
///
/// throws  std::invalid_argument: a parameter that the plugin does not have, or a wrong value
std::vector<CheckResult> check_plugin(const std::filesystem::path& file,
                                      const CheckOptions& options, const Cache& cache,
                                      Quarantine& quarantine);

bool passed(const std::vector<CheckResult>& results);

}  // namespace conoscope::core
