#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/core/processes/job.h"

namespace conoscope::core {

/// The process of a plugin that is not a library, and the two pipes to it, which are its descriptors
/// 3 and 4.
class PluginPeer {
 public:
  /// confine  called in the new process before it becomes the plugin's
  /// throws   std::system_error: it cannot be started; LoadFault: nor spoken to
  PluginPeer(const PluginUse& use, const std::function<void()>& confine);

  /// Lines of a message, each with its end. Where nobody is there to read, as receive().
  void send(const std::string& lines);

  /// The fields of the next message; where there is none to come, this process ends as the plugin's
  /// has.
  /// throws  OutputFault: a message without an end; LoadFault: the plugin listens no more and goes on
  std::vector<std::string> receive();

 private:
  [[noreturn]] void end_too();

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::string pending_;
};

}  // namespace conoscope::core
