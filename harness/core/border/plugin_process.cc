// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/plugin_process.h"

#include <malloc.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/library_server.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/score_collector.h"
#include "harness/core/border/script_process.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;
using metrics::Index;
using metrics::Matrix;
using metrics::MatrixRef;
using Shape = std::vector<std::int64_t>;

constexpr const char* kProtocol = "1";
// What has closed its end of the wire ends within this time, or is given up.
constexpr int kMillisecondsToEnd = 2000;

std::string field(const Fields& message, std::size_t i) {
  return i < message.size() ? message[i] : "";
}

/// Reads what the plugin has sent: what cannot be read is its fault.
template <typename Body>
auto sent(Body&& body) {
  try {
    return body();
  } catch (const std::invalid_argument& e) {
    throw OutputFault(std::string("the plugin sent ") + e.what());
  }
}

/// Several scripts may share a scratch folder: a model, and the same drawn anew.
fs::path exchange_of(const Host& host) {
  static int count = 0;
  return fs::path(host.scratch) / ("exchange." + std::to_string(++count));
}

std::int64_t count_of(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

PluginEnded::PluginEnded(const Exit& exit)
    : std::runtime_error("the plugin's process " +
                         (exit.signal ? "was killed by " + signal_text(*exit.signal)
                                      : "exited with code " + std::to_string(*exit.code))),
      exit_(exit) {}

HostFunctions model_functions(const metrics::HeadCalls& above, const Extents& extents) {
  HostFunctions out{extents, {}, "the model says: "};
  if (above.outputs)
    out.answers["head"] = [above](Index, const std::vector<Matrix>& in) {
      return above.outputs(in[0]);
    };
  if (above.vjp)
    out.answers["vjp"] = [above](Index, const std::vector<Matrix>& in) {
      return above.vjp(in[0], in[1]);
    };
  return out;
}

HostFunctions subject_functions(const metrics::Views& subject, const Extents& extents) {
  HostFunctions out{extents, {}, ""};
  if (const auto* e = subject.explanation; e != nullptr) {
    out.answers["project"] = [e](Index output, const std::vector<Matrix>& in) {
      return e->project ? e->project(output, in[0]) : e->linear_scores(output, in[0]);
    };
    if (e->reconstruct)
      out.answers["reconstruct"] = [e](Index output, const std::vector<Matrix>& in) {
        return e->reconstruct(output, in[0]);
      };
  }
  if (const auto* concepts = subject.concepts; concepts != nullptr && concepts->intervene)
    out.answers["intervene"] = [concepts](Index, const std::vector<Matrix>& in) {
      // Whoever does not say which concepts were told has told them all.
      const Index k = in[0].cols() / concepts->width;
      return concepts->intervene(in[0], in.size() > 1 ? in[1] : Matrix::Ones(in[0].rows(), k));
    };
  return out;
}

/// A call, and who takes what the plugin leaves while it goes on.
struct PluginProcess::Call {
  std::string_view name = {};
  const HostFunctions* offered = nullptr;
  // One of these takes the results, none of create.
  const fs::path* folder = nullptr;
  ArtifactWriter* writer = nullptr;  ///< into the folder, of what a script leaves
  ScoreCollector* scores = nullptr;
  Matrix* result = nullptr;
  // Of a function that leaves an array.
  const Function* function = nullptr;
  Index output = 0;
  std::vector<cono_tensor> inputs = {};
  Shape result_shape = {};
  bool answered = false;
};

PluginProcess::PluginProcess(const PluginUse& use, const Host& host, const ArrayBag& arrays)
    : use_(use), metadata_(metadata_in(use.file)), host_(host), arrays_(arrays) {
  fs::create_directories(host_.scratch);
  const auto enter = [this] {
    // What one plugin writes no other of the job may read, or replace.
    for (const char* name : {"HOME", "TMPDIR"}) ::setenv(name, host_.scratch.c_str(), 1);
    if (host_.before_load) host_.before_load(use_, metadata_, host_.scratch);
  };
  int in = -1, out = -1;
  if (use.command.empty()) {
    ::malloc_trim(0);  // what is free here would count for the fork as well
    process_ = std::make_unique<ChildProcess>(
        [&] { serve_library(use_, metadata_, host_, arrays_, enter); });
    in = out = process_->report_fd();
  } else {
    script_ = std::make_unique<ScriptProcess>(use_, exchange_of(host_), enter);
    in = script_->from_script(), out = script_->to_script();
    process_ = std::make_unique<ChildProcess>(StartedProcess{script_->pid(), in});
  }
  wire_ = std::make_unique<Wire>(in, out, [this] { return process_->poll_exit().has_value(); });
  greet();
}

PluginProcess::~PluginProcess() = default;

void PluginProcess::greet() try {
  const Fields hello = sent([this] { return wire_->receive(); });
  const std::string name = use_.file.string(), kind = to_string(metadata_.kind);
  if (hello[0] == "fault") throw LoadFault(field(hello, 2));
  if (hello[0] != "hello")
    throw LoadFault(name + ": its first message is \"" + hello[0] + "\", expected hello");
  if (field(hello, 1) != kProtocol)
    throw LoadFault(name + ": speaks protocol " + field(hello, 1) +
                    " of process plugins, this conoscope " + kProtocol);
  if (field(hello, 2) != kind)
    throw LoadFault(name + ": its metadata say that it is a " + kind + ", and it says " +
                    field(hello, 2));
  if (hello.size() > 3) abilities_.insert(hello.begin() + 3, hello.end());
  if (const char* first = main_function(metadata_.kind); !answers(first))
    throw LoadFault(name + ": has no " + first + "()");
} catch (const WireClosed&) {
  ended();
}

void PluginProcess::ended() {
  // It may have closed its end, and go on without.
  for (int turn = 0; turn < kMillisecondsToEnd / 10; ++turn) {
    if (const auto exit = process_->poll_exit()) throw PluginEnded(*exit);
    ::usleep(10'000);
  }
  throw LoadFault(std::string("the plugin has closed its ") +
                  (script_ != nullptr ? "descriptor 4" : "end of the wire") + " and goes on");
}

void PluginProcess::end() {
  if (script_ != nullptr) return process_.reset();  // a script has no work of ours to end
  ::shutdown(process_->report_fd(), SHUT_WR);
  const Exit exit = process_->wait();
  if (exit.signal || exit.code != 0) throw PluginEnded(exit);
}

void PluginProcess::create() {
  if (instance_++ > 0) wire_->send(make_line({"destroy", std::to_string(instance_ - 1)}));
  knows_state_ = false;
  Call call{.name = "create"};
  run(call);
}

void PluginProcess::make(const fs::path& folder, const HostFunctions& offered) {
  std::optional<ArtifactWriter> writer;
  if (script_ != nullptr) writer.emplace(folder);
  Call call{.name = main_function(metadata_.kind),
            .offered = &offered,
            .folder = &folder,
            .writer = writer ? &*writer : nullptr};
  try {
    run(call);
  } catch (const CallFault&) {
    if (writer) check_written(*writer);  // the host's own reason comes first
    throw;
  }
  if (!writer) return;
  if (metadata_.kind == Kind::kExplainer) write_functions(*writer->sink(), abilities_);
  check_written(*writer);
  writer->finish();
}

std::vector<metrics::Score> PluginProcess::score(const HostFunctions& offered) {
  ScoreCollector collector(metadata_);
  Call call{.name = "score", .offered = &offered, .scores = &collector};
  try {
    run(call);
  } catch (const CallFault& e) {
    if (!collector.fault.empty()) throw OutputFault(collector.fault);
    // Said of all that it had not given yet.
    if (e.status() == CONO_UNDEFINED)
      collector.give_rest("undefined", e.what());
    else if (e.status() == CONO_NOT_APPLICABLE)
      collector.give_rest("not_applicable", e.what());
    else
      throw;
  }
  if (!collector.fault.empty()) throw OutputFault(collector.fault);
  return std::move(collector.scores);
}

Matrix PluginProcess::call(std::string_view name, const Extents& extents,
                           std::initializer_list<MatrixRef> inputs, Index output) {
  const Function& function = function_named(name);
  Call call{.name = name, .function = &function, .output = output};
  std::vector<Matrix> packed;
  packed.reserve(inputs.size());
  std::int64_t rows = 0;
  for (const MatrixRef& input : inputs) {
    const FunctionInput& known = function.inputs.at(call.inputs.size());
    rows = extents.rows_in(known.shape, input, output);
    const bool together = input.outerStride() == input.cols() || input.rows() < 2;
    const double* numbers = together ? input.data() : packed.emplace_back(input).data();
    call.inputs.push_back(sdk::make_tensor(const_cast<double*>(numbers), CONO_F64,
                                           extents.shape(known.shape, rows, output)));
  }
  call.result_shape = extents.shape(function.answer, rows, output);
  Matrix result = matrix_of(call.result_shape, function.answer);
  call.result = &result;
  run(call);
  if (!result.allFinite()) throw OutputFault(std::string(name) + "() left NaN or infinity");
  return result;
}

void PluginProcess::run(Call& call) try {
  fault_.clear();
  send_call(call);
  for (bool goes_on = true; goes_on;) {
    const Fields message = sent([this] { return wire_->receive(); });
    goes_on = message[0] != "ok";
    if (goes_on) take(call, message);
  }
  if (script_ != nullptr) script_->forget();
  if (call.result != nullptr && !call.answered)
    throw OutputFault(std::string(call.name) + "() has left no array");
} catch (const WireClosed&) {
  ended();
}

void PluginProcess::send_call(const Call& call) {
  std::string lines = make_line({std::string(call.name), std::to_string(instance_)}) +
                      make_line({"seed", std::to_string(host_.seed)}) +
                      make_line({"threads", std::to_string(host_.threads)}) +
                      make_line({"scratch", host_.scratch});
  if (script_ != nullptr)
    lines += make_line({"exchange", script_->exchange().path().string()}) + lines_of_arrays(call) +
             (call.name == "create" ? lines_of_parameters() : "");
  else if (call.folder != nullptr)
    lines += make_line({"into", call.folder->string()});
  if (script_ == nullptr && call.function != nullptr) {
    Fields fields = {"answer"};
    for (const std::int64_t extent : call.result_shape) fields.push_back(std::to_string(extent));
    lines += make_line(fields);
  }
  if (call.function != nullptr && call.function->of_output)
    lines += make_line({"output", std::to_string(call.output)});
  if (call.offered != nullptr)
    for (const auto& [name, answer] : call.offered->answers) lines += make_line({"offers", name});
  for (std::size_t i = 0; script_ != nullptr && i < call.inputs.size(); ++i)
    lines += script_->put("array", call.function->inputs[i].name, call.inputs[i]);
  wire_->send(lines);
  for (std::size_t i = 0; script_ == nullptr && i < call.inputs.size(); ++i)
    wire_->send_array("array", call.function->inputs[i].name, call.inputs[i]);
  wire_->send("go\n");
}

/// What a script is given, or has left: what serves a library has it in memory.
std::string PluginProcess::lines_of_arrays(const Call& call) {
  const bool given = call.folder != nullptr || call.scores != nullptr;
  if (call.name == "create" || (!given && std::exchange(knows_state_, true))) return "";
  std::string out;
  for (const std::string& name : arrays_.names())
    out += script_->put(given ? "array" : "state", name, arrays_.get(name).raw());
  for (const auto& [key, value] : arrays_.texts())
    out += make_line({given ? "text" : "state_text", key, value});
  return out;
}

std::string PluginProcess::lines_of_parameters() const {
  std::string out;
  for (std::size_t i = 0; i < metadata_.parameters.size(); ++i) {
    const Parameter& parameter = metadata_.parameters[i];
    Fields fields = {
        "parameter", parameter.name,
        to_string(parameter.type == ParameterType::folder ? ParameterType::file : parameter.type)};
    const auto add = [&fields](const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
        fields.push_back(value);
      else
        fields.push_back(to_text(Value(value)));
    };
    std::visit(
        [&add](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>)
            for (const auto& element : value) add(element);
          else
            add(value);
        },
        use_.values.at(i));
    out += make_line(fields);
  }
  return out;
}

void PluginProcess::take(Call& call, const Fields& message) {
  const std::string& word = message[0];
  if (word == "progress") {
    const double done = sent([&] { return real_number(field(message, 1)); });
    if (host_.progress) host_.progress(done);
  } else if (word == "log") {
    if (host_.log) host_.log(field(message, 1));
  } else if (word == "cancelled") {
    wire_->send(host_.cancelled && host_.cancelled() ? "yes\n" : "no\n");
  } else if (word == "array") {
    take_array(call, message);
  } else if (word == "text" && call.writer != nullptr) {
    const cono_sink& sink = *call.writer->sink();
    sink.text(sink.self, field(message, 1).c_str(), field(message, 2).c_str());
  } else if (word == "score" && call.scores != nullptr) {
    take_score(call, message);
  } else if (word == "ask") {
    answer(call, message);
  } else if (word == "fault") {
    take_fault(message);
  } else {
    throw OutputFault("the plugin sent what is no message of " + std::string(call.name) + ": " +
                      word);
  }
}

/// array  name  file; of what serves a library: array  name  extents
void PluginProcess::take_array(Call& call, const Fields& message) {
  if (message.size() < 3) throw OutputFault("the plugin sent an array without a name or a file");
  if (call.result == nullptr && call.writer == nullptr)
    throw OutputFault("the plugin sent an array that " + std::string(call.name) +
                      " has no use for: " + message[1]);
  const auto expect = [&](const Shape& shape) {
    if (shape != call.result_shape)
      throw OutputFault(message[1] + " is " + shape_text(shape) + ", expected " +
                        shape_text(call.result_shape));
    call.answered = true;
  };
  if (script_ == nullptr) {
    expect(sent([&] { return extents_in(message, 2); }));
    return wire_->take(call.result->data(),
                       static_cast<std::size_t>(call.result->size()) * sizeof(double));
  }
  const LeftArray left(script_->exchange(), message[2], message[1]);
  if (call.result != nullptr) {
    expect(left.shape());
    return left.convert_to(call.result->data());
  }
  cono_tensor out{};
  const cono_sink& sink = *call.writer->sink();
  if (sink.create(sink.self, message[1].c_str(), left.dtype(),
                  static_cast<std::int32_t>(left.shape().size()), left.shape().data(),
                  &out) == CONO_OK)
    left.take(out.data);
}

/// score  name  value  reason  message  file of the parts; of what serves a library: how many there are
void PluginProcess::take_score(const Call& call, const Fields& message) {
  const std::string name = field(message, 1), reason = field(message, 3), parts = field(message, 5);
  std::optional<double> value;
  if (reason.empty()) value = sent([&] { return real_number(field(message, 2)); });
  std::vector<double> numbers;
  if (!parts.empty() && script_ != nullptr) {
    const LeftArray left(script_->exchange(), parts, "the parts of " + name);
    if (left.shape().size() != 1) throw OutputFault("the parts of " + name + " are not in one row");
    numbers.resize(static_cast<std::size_t>(left.shape()[0]));
    left.convert_to(numbers.data());
  } else if (!parts.empty()) {
    const Shape shape = sent([&] { return extents_in({parts}, 0); });
    numbers.resize(static_cast<std::size_t>(shape[0]));
    wire_->take(numbers.data(), numbers.size() * sizeof(double));
  }
  call.scores->take(name, value, reason, field(message, 4), std::move(numbers));
}

/// fault  status  text; what serves a library has words for faults that are not the plugin's saying
void PluginProcess::take_fault(const Fields& message) {
  if (script_ != nullptr) script_->forget();
  const std::string said = field(message, 1);
  std::string text = field(message, 2);
  if (script_ == nullptr && said == kOutputFault) throw OutputFault(text);
  if (script_ == nullptr && said == kHostFault) throw std::runtime_error(text);
  const auto status = sent([&] { return whole_number(said); });
  if (text.empty()) text = "the plugin gave no reason";
  if (!fault_.empty()) text += ": " + fault_;
  throw CallFault(status == CONO_OK ? CONO_INTERNAL : static_cast<cono_status>(status), text);
}

/// What a plugin asks of the host.
struct PluginProcess::Question {
  Index output = 0;
  std::vector<std::vector<double>> numbers;  ///< of each input
  std::vector<Shape> shapes;
  std::int64_t room = -1;  ///< numbers that the plugin has room for; -1: it does not say
};

/// ask  function  output  the inputs' files  extents of the answer, without the first; of what serves a
/// library: ask  function  output  room  inputs, and the inputs behind it
PluginProcess::Question PluginProcess::question_in(const Function& function,
                                                   const Fields& message) {
  Question out;
  out.output = whole_number(field(message, 2));
  if (script_ == nullptr) {
    out.room = whole_number(field(message, 3));
    for (std::int64_t left = whole_number(field(message, 4)); left > 0; --left) {
      out.shapes.push_back(extents_in(wire_->receive(), 2));
      auto& numbers =
          out.numbers.emplace_back(static_cast<std::size_t>(count_of(out.shapes.back())));
      wire_->take(numbers.data(), numbers.size() * sizeof(double));
    }
    return out;
  }
  std::size_t at = 3;
  for (; at < message.size() && message[at].ends_with(".npy"); ++at) {
    const LeftArray left(script_->exchange(), message[at],
                         "what " + std::string(function.name) + " is asked of");
    out.shapes.push_back(left.shape());
    auto& numbers = out.numbers.emplace_back(static_cast<std::size_t>(count_of(left.shape())));
    left.convert_to(numbers.data());
  }
  if (at < message.size() && !out.shapes.empty()) {
    Fields all(message.begin() + static_cast<std::ptrdiff_t>(at) - 1, message.end());
    all[0] = std::to_string(out.shapes[0][0]);
    out.room = count_of(extents_in(all, 0));
  }
  return out;
}

void PluginProcess::answer(const Call& call, const Fields& message) {
  const std::string name = field(message, 1);
  const auto refuse = [this](cono_status status, const std::string& why) {
    fault_ = why;
    wire_->send(make_line({"fault", std::to_string(status), "the host refused: " + why}));
  };
  const auto known = std::ranges::find(functions(), name, &Function::name);
  if (known == functions().end() || known->asked_by != metadata_.kind)
    throw OutputFault("the plugin asked for " + name + ", which no " +
                      std::string(to_string(metadata_.kind)) + " may");
  Question asked = sent([&] { return question_in(*known, message); });
  const HostFunctions* offered = call.offered;
  if (offered == nullptr || offered->answers.count(name) == 0)
    return refuse(CONO_INVALID_ARGUMENT, name + " is not offered");
  Matrix out;
  Shape shape;
  try {
    split_joined(*known, offered->extents, asked);
    if (asked.shapes.size() > known->inputs.size())
      throw std::invalid_argument(name + ": " + std::to_string(asked.shapes.size()) + " arrays");
    std::vector<Matrix> inputs;
    std::int64_t rows = -1;
    for (std::size_t i = 0; i < known->inputs.size(); ++i) {
      const FunctionInput& input = known->inputs[i];
      if (i >= asked.shapes.size()) {
        if (!input.optional) throw std::invalid_argument(name + ": no " + std::string(input.name));
        break;
      }
      check_input(*known, input, asked.shapes[i], offered->extents, rows, asked.output);
      rows = asked.shapes[i][0];
      inputs.push_back(matrix_of(asked.shapes[i], input.shape));
      std::ranges::copy(asked.numbers[i], inputs.back().data());
    }
    shape = offered->extents.shape(known->answer, rows, asked.output);
    if (asked.room >= 0 && asked.room != count_of(shape))
      throw std::invalid_argument("room for " + std::to_string(asked.room) + " numbers, expected " +
                                  std::to_string(count_of(shape)));
    out = offered->answers.find(name)->second(asked.output, inputs);
    if (out.size() != count_of(shape))
      throw std::logic_error(name + ": an answer of " + std::to_string(out.size()) + " numbers");
  } catch (const CallFault& e) {
    return refuse(e.status(), offered->who + e.what());
  } catch (const OutputFault& e) {
    return refuse(CONO_INTERNAL, offered->who + e.what());
  } catch (const std::exception&) {
    const sdk::Outcome outcome = sdk::current_outcome();
    return refuse(outcome.status, outcome.text);
  }
  const cono_tensor tensor = sdk::make_tensor(out.data(), CONO_F64, shape);
  if (script_ != nullptr)
    wire_->send(script_->put("array", "answer", tensor));
  else
    wire_->send_array("array", "answer", tensor);
}

/// A script may ask for a vector-Jacobian product with one array, in which each sample's cotangents
/// follow its activations.
void PluginProcess::split_joined(const Function& function, const Extents& extents,
                                 Question& asked) const {
  if (script_ == nullptr || function.inputs.size() != 2 || function.inputs[1].optional ||
      asked.shapes.size() != 1 || asked.shapes[0].size() != 2)
    return;
  const Shape first = extents.shape(function.inputs[0].shape, asked.shapes[0][0]),
              second = extents.shape(function.inputs[1].shape, asked.shapes[0][0]);
  const std::int64_t width = count_of(std::span(first).subspan(1)), all = asked.shapes[0][1];
  if (all != width + count_of(std::span(second).subspan(1))) return;
  const std::vector<double> joined = std::move(asked.numbers[0]);
  asked.numbers.assign(2, {});
  for (std::size_t i = 0; i < joined.size(); ++i)
    asked.numbers[static_cast<std::int64_t>(i) % all < width ? 0 : 1].push_back(joined[i]);
  asked.shapes = {first, second};
}

}  // namespace conoscope::core
