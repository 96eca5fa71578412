#include "harness/core/border/served_calls.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/output_check.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace {

using metrics::Index;
using metrics::Matrix;
using metrics::MatrixRef;

constexpr int kProject = 0, kReconstruct = 1;  // of an explainer
// Of a model.
constexpr int kForward = 0, kIntervene = 1, kHead = 2, kVjp = 3, kForwardGradient = 4;

struct Question {
  std::int32_t call = 0;
  std::int64_t output = 0, rows = 0, cols = 0;
};

enum class Outcome : std::int32_t { kOk, kRefused, kBadOutput, kNotLoaded, kNoMemory, kFailed };

/// Followed by the text and by the numbers.
struct Reply {
  Outcome outcome = Outcome::kOk;
  std::int32_t status = 0;  ///< the plugin's, when it refused; of the first reply, what it answers
  std::int64_t rows = 0, cols = 0, text = 0;
};

constexpr std::int64_t kLongestText = 1 << 14;

bool get(int fd, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::read(fd, at, size);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) at += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::size_t bytes_of(const Matrix& matrix) {
  return static_cast<std::size_t>(matrix.size()) * sizeof(double);
}

/// The exception that is being handled.
std::pair<Reply, std::string> fault() {
  Reply reply;
  std::string text;
  try {
    throw;
  } catch (const CallFault& e) {
    reply.outcome = Outcome::kRefused, reply.status = e.status(), text = e.what();
  } catch (const OutputFault& e) {
    reply.outcome = Outcome::kBadOutput, text = e.what();
  } catch (const LoadFault& e) {
    reply.outcome = Outcome::kNotLoaded, text = e.what();
  } catch (const std::bad_alloc&) {
    reply.outcome = Outcome::kNoMemory;
  } catch (const std::exception& e) {
    reply.outcome = Outcome::kFailed, text = e.what();
  }
  text.resize(std::min(text.size(), static_cast<std::size_t>(kLongestText)));
  reply.text = static_cast<std::int64_t>(text.size());
  return {reply, text};
}

/// The plugin's side. Ends where nobody asks any more.
[[noreturn]] void serve(const std::function<PluginServer::Service()>& make) {
  const auto say = [](const Reply& reply, const std::string& text, const Matrix& numbers) {
    if (!write_all(kReportFd, &reply, sizeof(reply)) ||
        !write_all(kReportFd, text.data(), text.size()) ||
        !write_all(kReportFd, numbers.data(), bytes_of(numbers)))
      ::_exit(1);
  };
  const auto or_fault = [&say](auto&& body) {
    try {
      body();
    } catch (...) {
      const auto [reply, text] = fault();
      say(reply, text, {});
    }
  };
  PluginServer::Service service;
  or_fault([&] {
    service = make();
    say({Outcome::kOk, service.calls, 0, 0, 0}, "", {});
  });
  for (Question question; get(kReportFd, &question, sizeof(question));)
    or_fault([&] {
      Matrix rows(question.rows, question.cols);  // where that fails, the rest is not understood
      if (!get(kReportFd, rows.data(), bytes_of(rows))) ::_exit(1);
      const Matrix out = service.answer(question.call, question.output, rows);
      say({Outcome::kOk, 0, out.rows(), out.cols(), 0}, "", out);
    });
  ::_exit(0);
}

/// In the new process: what one plugin writes no other of the job may read, or replace.
HostCalls& apart(HostCalls& host, Kind kind) {
  host.scratch += std::string(".") + to_string(kind);
  std::filesystem::create_directories(host.scratch);
  for (const char* name : {"HOME", "TMPDIR"}) ::setenv(name, host.scratch.c_str(), 1);
  return host;
}

}  // namespace

PluginEnded::PluginEnded(const Exit& exit)
    : std::runtime_error("the plugin's process " +
                         (exit.signal ? "was killed by " + signal_text(*exit.signal)
                                      : "exited with code " + std::to_string(*exit.code))),
      exit_(exit) {}

PluginServer::PluginServer(const std::function<Service()>& make)
    : process_([&make] { serve(make); }) {
  receive(0, 0, &calls_);
}

Matrix PluginServer::ask(int call, Index output, const MatrixRef& in, Index rows, Index cols) {
  const Question question{call, output, in.rows(), in.cols()};
  const bool together = in.outerStride() == in.cols() || in.rows() < 2;
  const Matrix packed = together ? Matrix() : Matrix(in);
  if (!write_all(process_.report_fd(), &question, sizeof(question)) ||
      !write_all(process_.report_fd(), together ? in.data() : packed.data(),
                 static_cast<std::size_t>(in.size()) * sizeof(double))) {
    process_.kill(SIGKILL);
    throw PluginEnded(process_.wait());
  }
  return receive(rows, cols);
}

Matrix PluginServer::receive(Index rows, Index cols, std::int32_t* status) {
  const auto ended = [this](bool good) {
    if (good) return;
    throw PluginEnded(process_.wait());
  };
  Reply reply;
  ended(get(process_.report_fd(), &reply, sizeof(reply)));
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(reply.text, 0, kLongestText)),
                   '\0');
  ended(get(process_.report_fd(), text.data(), text.size()));
  switch (reply.outcome) {
    case Outcome::kOk:
      break;
    case Outcome::kRefused:
      throw CallFault(static_cast<cono_status>(reply.status), text);
    case Outcome::kBadOutput:
      throw OutputFault(text);
    case Outcome::kNotLoaded:
      throw LoadFault(text);
    case Outcome::kNoMemory:
      throw std::bad_alloc();
    default:
      throw std::runtime_error(text);
  }
  if (reply.rows != rows || reply.cols != cols)
    throw OutputFault("the plugin answered with " + std::to_string(reply.rows) + " x " +
                      std::to_string(reply.cols) + " numbers, expected " + std::to_string(rows) +
                      " x " + std::to_string(cols));
  if (status != nullptr) *status = reply.status;
  Matrix out(rows, cols);
  ended(get(process_.report_fd(), out.data(), bytes_of(out)));
  // Checked there as well, where the plugin could have changed what was checked.
  if (!out.allFinite()) throw OutputFault("the plugin answered with NaN or infinity");
  return out;
}

ServedExplainer::ServedExplainer(const PluginUse& use, const ArrayBag& artifact, HostCalls& host)
    : explanation_(make_explanation(artifact)), server_([&]() -> PluginServer::Service {
        const auto fitted =
            std::make_shared<FittedExplainer>(use, artifact, apart(host, Kind::kExplainer));
        return {fitted->answers_project() << kProject | fitted->answers_reconstruct()
                                                            << kReconstruct,
                [fitted](int call, Index output, const Matrix& rows) {
                  return call == kProject ? fitted->project(output, rows)
                                          : fitted->reconstruct(output, rows);
                }};
      }) {}

Matrix ServedExplainer::project(Index output, const MatrixRef& rows) {
  return server_.ask(kProject, output, rows, rows.rows(), explanation_.concepts(output));
}

Matrix ServedExplainer::reconstruct(Index output, const MatrixRef& scores) {
  return server_.ask(kReconstruct, output, scores, scores.rows(), explanation_.cavs.cols());
}

ServedModel::ServedModel(const PluginUse& use, const ArrayBag& artifact, const ArrayBag* dataset,
                         HostCalls& host, std::optional<std::uint64_t> redraw)
    : server_([&]() -> PluginServer::Service {
        const auto fitted =
            std::make_shared<FittedModel>(use, artifact, apart(host, Kind::kModel), redraw);
        std::optional<Forward> forward;
        if (dataset != nullptr) forward = fitted->forward(*dataset);
        return {(forward ? 1 : 0) << kForward | fitted->answers_intervene() << kIntervene |
                    fitted->answers_head() << kHead | fitted->answers_vjp() << kVjp |
                    (forward && forward->answers_gradient() ? 1 : 0) << kForwardGradient,
                [fitted, forward, &artifact](int call, Index, const Matrix& rows) {
                  switch (call) {
                    case kForward:
                      return (*forward)(rows);
                    case kForwardGradient: {
                      const HeadShape shape = HeadShape::of(artifact);
                      const Matrix along = rows.rightCols(shape.size());
                      return forward->gradient(
                          rows.leftCols(rows.cols() - shape.size()),
                          Eigen::Map<const Matrix>(along.data(), rows.rows() * shape.positions,
                                                   shape.width));
                    }
                    case kIntervene:
                      return fitted->intervene(rows);
                    case kHead:
                      return fitted->head(rows);
                    default:
                      return fitted->vjp(rows);
                  }
                }};
      }) {
  if (dataset != nullptr) forward_ = ForwardShape::of(*dataset, artifact);
  if (artifact.find("activations") && artifact.find("head_weight")) head_ = HeadShape::of(artifact);
  if (const auto outputs = artifact.find("task_outputs")) task_outputs_ = outputs->shape(1);
}

Forward ServedModel::forward() {
  const ForwardShape shape = forward_.value();
  Forward::Gradient gradient;
  if (server_.answers(kForwardGradient))
    gradient = [this](const cono_tensor& inputs, const cono_tensor& cotangents,
                      cono_tensor& gradients) {
      const Matrix rows = to_matrix(sdk::Tensor(inputs), 1),
                   along = to_matrix(sdk::Tensor(cotangents), 1);
      Matrix both(rows.rows(), rows.cols() + along.cols());
      both << rows, along;
      const Matrix out = server_.ask(kForwardGradient, 0, both, rows.rows(), rows.cols());
      std::copy_n(out.data(), out.size(), static_cast<double*>(gradients.data));
    };
  return {[this, shape](const cono_tensor& inputs, cono_tensor& activations) {
            const Matrix rows = to_matrix(sdk::Tensor(inputs), 1);
            const Matrix out =
                server_.ask(kForward, 0, rows, rows.rows() * shape.positions, shape.width);
            std::copy_n(out.data(), out.size(), static_cast<double*>(activations.data));
          },
          shape, std::move(gradient)};
}

Matrix ServedModel::intervene(const MatrixRef& concepts) {
  return server_.ask(kIntervene, 0, concepts, concepts.rows(), task_outputs_.value());
}

namespace {

/// A sample's positions in one row.
Matrix by_sample(const MatrixRef& activations, const HeadShape& shape) {
  const Matrix packed = activations;
  return Eigen::Map<const Matrix>(packed.data(), packed.rows() / shape.positions, shape.size());
}

}  // namespace

Matrix ServedModel::head(const MatrixRef& activations) {
  const HeadShape shape = head_.value();
  const Matrix rows = by_sample(activations, shape);
  return server_.ask(kHead, 0, rows, rows.rows(), shape.outputs);
}

Matrix ServedModel::vjp(const MatrixRef& activations, const MatrixRef& cotangents) {
  const HeadShape shape = head_.value();
  const Matrix rows = by_sample(activations, shape);
  Matrix both(rows.rows(), shape.size() + shape.outputs);
  both << rows, cotangents;
  const Matrix out = server_.ask(kVjp, 0, both, rows.rows(), shape.size());
  return Eigen::Map<const Matrix>(out.data(), activations.rows(), shape.width);
}

metrics::HeadCalls ServedModel::above() {
  metrics::HeadCalls calls;
  calls.outputs = [this](const MatrixRef& activations) { return head(activations); };
  if (answers_vjp())
    calls.vjp = [this](const MatrixRef& activations, const MatrixRef& cotangents) {
      return vjp(activations, cotangents);
    };
  return calls;
}

}  // namespace conoscope::core
