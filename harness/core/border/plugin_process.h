// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/functions.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/wire.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/process.h"
#include "metrics/metric.h"
#include "metrics/views.h"

namespace conoscope::core {

class ScriptProcess;

/// The process that ran a plugin came to its end.
class PluginEnded : public std::runtime_error {
 public:
  explicit PluginEnded(const Exit& exit);
  const Exit& exit() const { return exit_; }

 private:
  Exit exit_;
};

/// What a plugin may ask of the host while its own call goes on.
struct HostFunctions {
  using Answer = std::function<metrics::Matrix(metrics::Index output,
                                               const std::vector<metrics::Matrix>& inputs)>;
  Extents extents;
  std::map<std::string, Answer, std::less<>> answers;  ///< by the name in functions()
  std::string who;  ///< begins what is said of another plugin's refusal: "the model says: "
};

/// What lies above a model's layer, for an explainer.
HostFunctions model_functions(const metrics::HeadCalls& above, const Extents& extents);
/// What a subject answers, for a metric. The views must outlive it.
HostFunctions subject_functions(const metrics::Views& subject, const Extents& extents);

/// The process that a plugin runs in, and all that it is told and asked: whoever computes a number from
/// its answers shares no memory with it, and it has no channel but its answers. A library is served by
/// a fork of this process (library_server.h), a script by its own interpreter; both speak the protocol
/// of docs/process-plugins.md. To be made before this process has a second thread.
///
/// All calls throw CallFault: the plugin refused; OutputFault: what it sent or left is not what it
/// should be; LoadFault: it is no such plugin; PluginEnded.
class PluginProcess {
 public:
  /// Starts it, and has the plugin loaded.
  ///
  /// host    settings of all its calls; the scratch folder is the plugin's own, and is made
  /// arrays  what it is given, or has left in an earlier process; they must outlive this, as they are
  PluginProcess(const PluginUse& use, const Host& host, const ArrayBag& arrays);
  ~PluginProcess();
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  const Metadata& metadata() const { return metadata_; }
  bool answers(std::string_view function) const { return abilities_.count(function) != 0; }
  pid_t pid() const { return process_->pid(); }

  /// Makes an instance, in the place of the one there was; before any of the calls below.
  void create();
  /// load or fit, whose results come to lie in the folder.
  void make(const std::filesystem::path& folder, const HostFunctions& offered = {});
  /// What a metric gives.
  std::vector<metrics::Score> score(const HostFunctions& offered);
  /// One of the functions that leave an array. Its inputs are matrices whose numbers fill the shapes in
  /// functions(), and so is the answer, see matrix_of().
  metrics::Matrix call(std::string_view function, const Extents& extents,
                       std::initializer_list<metrics::MatrixRef> inputs, metrics::Index output = 0);
  /// Nobody asks any more: waits for the end of what serves a library.
  void end();

 private:
  struct Call;

  void greet();
  void run(Call& call);
  void send_call(const Call& call);
  std::string lines_of_arrays(const Call& call);
  std::string lines_of_parameters() const;
  void take(Call& call, const Fields& message);
  void take_array(Call& call, const Fields& message);
  void take_score(const Call& call, const Fields& message);
  [[noreturn]] void take_fault(const Fields& message);
  void answer(const Call& call, const Fields& message);
  struct Question;
  Question question_in(const Function& function, const Fields& message);
  void split_joined(const Function& function, const Extents& extents, Question& asked) const;
  [[noreturn]] void ended();

  const PluginUse use_;
  const Metadata metadata_;
  const Host host_;
  const ArrayBag& arrays_;
  std::unique_ptr<ScriptProcess> script_;  ///< null: a library
  std::unique_ptr<ChildProcess> process_;
  std::unique_ptr<Wire> wire_;
  std::set<std::string, std::less<>> abilities_;
  int instance_ = 0;
  bool knows_state_ = false;  ///< the instance was told what was left
  std::string fault_;         ///< why the last thing that the plugin asked for was refused
};

}  // namespace conoscope::core
