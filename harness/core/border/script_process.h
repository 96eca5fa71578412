// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/core/border/exchange_folder.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// A script under its interpreter: a process whose descriptors 3 and 4 are two pipes to this one, and a
/// folder for arrays.
class ScriptProcess {
 public:
  /// prepare  called in the new process before it becomes the script's
  /// throws   std::system_error: it cannot be started
  ScriptProcess(const PluginUse& use, const std::filesystem::path& exchange,
                const std::function<void()>& prepare);
  ~ScriptProcess();  ///< closes the pipe to it; the process is its owner's to end
  ScriptProcess(const ScriptProcess&) = delete;
  ScriptProcess& operator=(const ScriptProcess&) = delete;

  pid_t pid() const { return pid_; }
  int from_script() const { return from_; }  ///< whoever takes it closes it
  int to_script() const { return to_; }
  const ExchangeFolder& exchange() const { return exchange_; }

  /// Leaves the array in a file: the line that says so.
  std::string put(std::string_view word, std::string_view name, const cono_tensor& tensor);
  /// The files that were put go; what is mapped stays as long as it is mapped.
  void forget();

 private:
  ExchangeFolder exchange_;
  pid_t pid_ = -1;
  int from_ = -1, to_ = -1;
  std::uint64_t files_ = 0;
  std::vector<std::string> written_;
};

}  // namespace conoscope::core
