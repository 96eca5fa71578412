#pragma once

#include <optional>
#include <string>

#include "harness/core/border/calls.h"
#include "harness/core/processes/process.h"

namespace conoscope::core {

// FittedExplainer and FittedModel, each in a process of its own, which this one talks to: whoever
// computes a score from their answers shares no memory with the plugin, and a plugin has no channel
// but its answers. To be made before this process has a second thread. Its scratch folder is its own,
// too: that of the job with the kind of the plugin behind it.
//
// All calls throw what the plugin's own process has thrown, and PluginEnded.

/// The process that ran a plugin came to its end.
class PluginEnded : public std::runtime_error {
 public:
  explicit PluginEnded(const Exit& exit);
  const Exit& exit() const { return exit_; }

 private:
  Exit exit_;
};

/// A plugin's process, which answers matrices with matrices.
class PluginServer {
 public:
  /// Answers `call` (which of its functions, of which output) or throws.
  using Answer =
      std::function<metrics::Matrix(int call, metrics::Index output, const metrics::Matrix& rows)>;
  /// The functions that there are, a bit each, and the answer to them.
  struct Service {
    int calls = 0;
    Answer answer;
  };

  /// make  runs in the new process: loads the plugin
  explicit PluginServer(const std::function<Service()>& make);

  bool answers(int call) const { return (calls_ >> call & 1) != 0; }
  /// rows, cols  of the answer
  metrics::Matrix ask(int call, metrics::Index output, const metrics::MatrixRef& in,
                      metrics::Index rows, metrics::Index cols);

 private:
  metrics::Matrix receive(metrics::Index rows, metrics::Index cols, std::int32_t* status = nullptr);

  ChildProcess process_;
  std::int32_t calls_ = 0;
};

class ServedExplainer {
 public:
  /// artifact  must outlive this
  ServedExplainer(const PluginUse& use, const ArrayBag& artifact, HostCalls& host);

  bool answers_project() const { return server_.answers(0); }
  bool answers_reconstruct() const { return server_.answers(1); }
  metrics::Matrix project(metrics::Index output, const metrics::MatrixRef& rows);
  metrics::Matrix reconstruct(metrics::Index output, const metrics::MatrixRef& scores);

 private:
  const metrics::Explanation explanation_;
  PluginServer server_;
};

class ServedModel {
 public:
  /// dataset   that it was fitted on, where forward() is wanted
  /// redraw    as FittedModel
  ServedModel(const PluginUse& use, const ArrayBag& artifact, const ArrayBag* dataset,
              HostCalls& host, std::optional<std::uint64_t> redraw = {});

  bool answers_intervene() const { return server_.answers(1); }
  bool answers_head() const { return server_.answers(2); }
  bool answers_vjp() const { return server_.answers(3); }
  Forward forward();
  metrics::Matrix intervene(const metrics::MatrixRef& concepts);
  /// As metrics::HeadCalls: (m * P) x D -> m x C, and with cotangents m x C -> (m * P) x D.
  metrics::Matrix head(const metrics::MatrixRef& activations);
  metrics::Matrix vjp(const metrics::MatrixRef& activations, const metrics::MatrixRef& cotangents);
  /// Both, as far as they are answered. Valid as long as this.
  metrics::HeadCalls above();

 private:
  std::optional<ForwardShape> forward_;
  std::optional<HeadShape> head_;
  std::optional<metrics::Index> task_outputs_;
  PluginServer server_;
};

}  // namespace conoscope::core
