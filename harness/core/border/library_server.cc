// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/library_server.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/artifacts/views.h"
#include "harness/core/border/functions.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/wire.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

namespace {

constexpr double kLeastProgress = 0.01;

using Tensors = std::vector<cono_tensor>;

/// A function of the plugin that leaves an array.
using Slot =
    std::function<cono_status(void* instance, const cono_arrays* state, std::int64_t output,
                              const Tensors& in, const cono_host* host, cono_tensor* out)>;

std::string shortest(double value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
}

/// One request of the host's, up to its `go`.
struct Request {
  std::string name;
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  std::int64_t output = 0;
  std::vector<std::int64_t> answer;  ///< the extents of the array that it leaves
  std::string into;                  ///< the folder of what load and fit leave
  std::set<std::string> offers;
  std::vector<std::vector<double>> numbers;
  Tensors inputs;
};

class LibraryServer {
 public:
  LibraryServer(const PluginUse& use, const Metadata& metadata, const Host& host,
                const ArrayBag& arrays)
      : metadata_(metadata),
        arrays_(arrays),
        wire_(kReportFd, kReportFd),
        plugin_(use.file, metadata),
        params_(metadata, use.values) {
    static_cast<Host&>(host_) = host;
    host_.progress = [this, last = 0.0](double done) mutable {
      if (!(done <= 1.0) || done - last < kLeastProgress) return;
      last = done;
      say({"progress", shortest(done)});
    };
    find_slots();
  }

  [[noreturn]] void serve() {
    Fields hello = {"hello", "1", to_string(metadata_.kind)};
    hello.insert(hello.end(), abilities_.begin(), abilities_.end());
    say(hello);
    while (true) {
      Fields message = wire_.receive();
      if (message[0] == "destroy")
        destroy();
      else
        answer(request_of(std::move(message)));
    }
  }

  void destroy() {
    if (instance_ == nullptr) return;
    const FloatGuard guard;
    const LocaleGuard locale;
    destroy_(std::exchange(instance_, nullptr));
  }

 private:
  void say(const Fields& fields) {
    const std::lock_guard turn(turn_);
    wire_.send(make_line(fields));
    wire_.flush();
  }

  // ---- what the plugin has --------------------------------------------------------------------

  template <typename Table, typename Slot>
  Table main_table(Slot Table::*main) {
    const Table table = plugin_.table(main);
    create_ = table.create;
    destroy_ = table.destroy;
    abilities_.insert(main_function(metadata_.kind));
    return table;
  }

  void add(const std::string& name, Slot slot) {
    abilities_.insert(name);
    slots_[name] = std::move(slot);
  }

  void find_slots() {
    switch (metadata_.kind) {
      case Kind::kDataset:
        dataset_ = main_table(&cono_dataset::load);
        return;
      case Kind::kModel:
        model_ = main_table(&cono_model::fit);
        return find_model_slots();
      case Kind::kExplainer:
        explainer_ = main_table(&cono_explainer::fit);
        with_model_ = plugin_.optional_table<cono_explainer_model>(CONO_EXPLAINER_MODEL_INTERFACE);
        for (const auto& [name, slot] : {std::pair("project", explainer_.project),
                                         std::pair("reconstruct", explainer_.reconstruct)})
          if (slot != nullptr)
            add(name, [f = slot](void* self, auto* state, auto output, auto& in, auto* host,
                                 auto* out) { return f(self, state, output, &in[0], host, out); });
        return;
      case Kind::kMetric:
        metric_ = main_table(&cono_metric::score);
        return;
    }
  }

  void find_model_slots() {
    const auto one = [this](const char* name, auto f) {
      if (f != nullptr)
        add(name, [f](void* self, auto* state, auto, auto& in, auto* host, auto* out) {
          return f(self, state, &in[0], host, out);
        });
    };
    const auto two = [this](const char* name, auto f) {
      if (f != nullptr)
        add(name, [f](void* self, auto* state, auto, auto& in, auto* host, auto* out) {
          return f(self, state, &in[0], &in[1], host, out);
        });
    };
    if (const auto t = plugin_.optional_table<cono_forward>(CONO_FORWARD_INTERFACE))
      one("forward", t->forward);
    if (const auto t =
            plugin_.optional_table<cono_forward_gradient>(CONO_FORWARD_GRADIENT_INTERFACE))
      two("forward_gradient", t->forward_gradient);
    if (const auto t = plugin_.optional_table<cono_intervene>(CONO_INTERVENE_INTERFACE))
      one("intervene", t->intervene);
    if (const auto t = plugin_.optional_table<cono_intervene_told>(CONO_INTERVENE_TOLD_INTERFACE))
      two("intervene", t->intervene);
    if (const auto t = plugin_.optional_table<cono_decode>(CONO_DECODE_INTERFACE))
      one("decode", t->decode);
    if (const auto t = plugin_.optional_table<cono_head>(CONO_HEAD_INTERFACE))
      one("head", t->head), two("vjp", t->vjp);
    if (const auto t = plugin_.optional_table<cono_head>(CONO_REDRAWN_HEAD_INTERFACE))
      one("redrawn_head", t->head), two("redrawn_vjp", t->vjp);
  }

  // ---- what it is asked -----------------------------------------------------------------------

  Request request_of(Fields message) {
    Request out;
    out.name = message[0];
    while ((message = wire_.receive())[0] != "go") {
      const std::string& word = message[0];
      if (word == "seed")
        out.seed = std::stoull(message[1]);
      else if (word == "threads")
        out.threads = static_cast<std::uint32_t>(whole_number(message[1]));
      else if (word == "output")
        out.output = whole_number(message[1]);
      else if (word == "answer")
        out.answer = extents_in(message, 1);
      else if (word == "into")
        out.into = message[1];
      else if (word == "offers")
        out.offers.insert(message[1]);
      else if (word == "array")
        out.inputs.push_back(array_behind(message, out.numbers.emplace_back()));
    }
    return out;
  }

  cono_tensor array_behind(const Fields& message, std::vector<double>& numbers) {
    const auto shape = extents_in(message, 2);
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    numbers.resize(count);
    wire_.take(numbers.data(), count * sizeof(double));
    return sdk::make_tensor(numbers.data(), CONO_F64, shape);
  }

  void answer(const Request& request) {
    try {
      host_.seed = request.seed;
      host_.threads = request.threads;
      if (request.name == "create")
        create();
      else if (const auto slot = slots_.find(request.name); slot != slots_.end())
        call(slot->second, request);
      else if (request.name == "score")
        score(request);
      else
        make(request);
      say({"ok"});
    } catch (const WireClosed&) {
      throw;
    } catch (const CallFault& e) {
      say({"fault", std::to_string(e.status()), e.what()});
    } catch (const OutputFault& e) {
      say({"fault", kOutputFault, e.what()});
    } catch (const std::bad_alloc&) {
      say({"fault", std::to_string(CONO_OUT_OF_MEMORY), "out of memory"});
    } catch (const std::exception& e) {
      say({"fault", kHostFault, e.what()});
    }
  }

  void create() {
    destroy();
    call_plugin(host_,
                [this](const cono_host* raw) { return create_(params_.raw(), raw, &instance_); });
  }

  void call(const Slot& slot, const Request& request) {
    std::int64_t count = 1;
    for (const std::int64_t extent : request.answer) count *= extent;
    std::vector<double> numbers(static_cast<std::size_t>(count),
                                std::numeric_limits<double>::quiet_NaN());
    cono_tensor out = sdk::make_tensor(numbers.data(), CONO_F64, request.answer);
    call_plugin(host_, [&](const cono_host* raw) {
      return slot(instance_, arrays_.raw(), request.output, request.inputs, raw, &out);
    });
    const std::lock_guard turn(turn_);
    wire_.send_array("array", request.name + "()", out);
  }

  void make(const Request& request) {
    ArtifactWriter writer(request.into);
    const cono_sink* const sink = writer.sink();
    try {
      call_plugin(host_, [&](const cono_host* raw) {
        switch (metadata_.kind) {
          case Kind::kDataset:
            return dataset_.load(instance_, raw, sink);
          case Kind::kModel:
            return model_.fit(instance_, arrays_.raw(), raw, sink);
          default:
            return fit_explainer(request, raw, sink);
        }
      });
    } catch (const CallFault&) {
      check_written(writer);  // the host's own reason comes first
      throw;
    }
    if (metadata_.kind == Kind::kExplainer) write_functions(*sink, abilities_);
    // A plugin may have overlooked that it got no array; an artifact without it must not be kept.
    if (writer.disk_fault()) check_written(writer);
    writer.finish();
  }

  cono_status fit_explainer(const Request& request, const cono_host* raw, const cono_sink* sink) {
    if (!with_model_ || request.offers.empty())
      return explainer_.fit(instance_, arrays_.raw(), raw, sink);
    const auto offers = [&request](const char* name) { return request.offers.count(name) != 0; };
    cono_model_call model{};
    model.struct_size = sizeof(model);
    model.self = this;
    if (offers("forward"))
      model.forward = [](void* self, const cono_tensor* inputs, cono_tensor* activations) {
        return server(self).ask("forward", 0, {inputs}, activations);
      };
    if (offers("head"))
      model.head = [](void* self, const cono_tensor* activations, cono_tensor* outputs) {
        return server(self).ask("head", 0, {activations}, outputs);
      };
    if (offers("vjp"))
      model.vjp = [](void* self, const cono_tensor* activations, const cono_tensor* cotangents,
                     cono_tensor* gradients) {
        return server(self).ask("vjp", 0, {activations, cotangents}, gradients);
      };
    return with_model_->fit(instance_, arrays_.raw(), &model, raw, sink);
  }

  void score(const Request& request) {
    const auto offers = [&request](const char* name) { return request.offers.count(name) != 0; };
    cono_calls calls{};
    calls.struct_size = sizeof(calls);
    calls.self = this;
    if (offers("project"))
      calls.project = [](void* self, std::int64_t output, const cono_tensor* rows,
                         cono_tensor* scores) {
        return server(self).ask("project", output, {rows}, scores);
      };
    if (offers("reconstruct"))
      calls.reconstruct = [](void* self, std::int64_t output, const cono_tensor* scores,
                             cono_tensor* rows) {
        return server(self).ask("reconstruct", output, {scores}, rows);
      };
    if (offers("intervene"))
      calls.intervene = [](void* self, const cono_tensor* concepts, cono_tensor* outputs) {
        return server(self).ask("intervene", 0, {concepts}, outputs);
      };
    cono_scores scores{};
    scores.struct_size = sizeof(scores);
    scores.self = this;
    scores.score = [](void* self, const char* name, double value, const char* reason,
                      const char* message, const double* parts, std::int64_t count) noexcept {
      return server(self).give(name, value, reason, message, parts, count);
    };
    call_plugin(host_, [&](const cono_host* raw) {
      return metric_.score(instance_, arrays_.raw(), &calls, raw, &scores);
    });
  }

  // ---- what it says and asks in turn ----------------------------------------------------------

  static LibraryServer& server(void* self) { return *static_cast<LibraryServer*>(self); }

  /// A score, which the host judges.
  cono_status give(const char* name, double value, const char* reason, const char* message,
                   const double* parts, std::int64_t count) {
    const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
    const bool has_parts = parts != nullptr && count > 0;
    const std::lock_guard turn(turn_);
    wire_.send(make_line({"score", text(name), reason == nullptr ? shortest(value) : "",
                          text(reason), text(message), has_parts ? std::to_string(count) : ""}));
    if (has_parts)
      wire_.send(
          {reinterpret_cast<const char*>(parts), static_cast<std::size_t>(count) * sizeof(double)});
    return CONO_OK;
  }

  /// A call into the host. The host keeps the reason where there is no answer.
  cono_status ask(const char* name, std::int64_t output, const std::vector<const cono_tensor*>& in,
                  cono_tensor* out) noexcept try {
    const auto target = sdk::Tensor(*out).values<double>();
    const std::lock_guard turn(turn_);
    wire_.send(make_line({"ask", name, std::to_string(output), std::to_string(target.size()),
                          std::to_string(in.size())}));
    for (const cono_tensor* tensor : in) {
      const sdk::Tensor given(*tensor);
      std::vector<double> numbers(static_cast<std::size_t>(given.size()));
      given.copy_to(std::span(numbers));
      wire_.send_array(
          "array", name,
          sdk::make_tensor(numbers.data(), CONO_F64,
                           std::span(tensor->shape, static_cast<std::size_t>(tensor->ndim))));
    }
    const Fields answer = wire_.receive();
    if (answer[0] == "fault") return static_cast<cono_status>(whole_number(answer[1]));
    wire_.take(target.data(), target.size_bytes());
    return CONO_OK;
  } catch (...) {
    return sdk::current_outcome().status;
  }

  const Metadata& metadata_;
  const ArrayBag& arrays_;
  Wire wire_;
  std::mutex turn_;  ///< a plugin may report progress from any thread
  HostCalls host_;
  const LoadedPlugin plugin_;
  const ParamTable params_;
  std::set<std::string, std::less<>> abilities_;
  std::map<std::string, Slot, std::less<>> slots_;
  cono_dataset dataset_{};
  cono_model model_{};
  cono_explainer explainer_{};
  std::optional<cono_explainer_model> with_model_;
  cono_metric metric_{};
  decltype(cono_model::create) create_ = nullptr;
  decltype(cono_model::destroy) destroy_ = nullptr;
  void* instance_ = nullptr;
};

}  // namespace

void write_functions(const cono_sink& sink, const std::set<std::string, std::less<>>& abilities) {
  std::string text;
  for (const char* name : {"project", "reconstruct"})
    if (abilities.count(name) != 0) text += (text.empty() ? "" : ",") + std::string(name);
  sink.text(sink.self, kFunctionsText, text.empty() ? kNoFunctions : text.c_str());
}

void serve_library(const PluginUse& use, const Metadata& metadata, const Host& host,
                   const ArrayBag& arrays, const std::function<void()>& prepare) {
  // Ends without static destructors and exit handlers: they are the plugins' code, too.
  const auto end = [](int code) {
    std::fflush(nullptr);
    ::_exit(code);
  };
  std::unique_ptr<LibraryServer> server;
  try {
    prepare();
    server = std::make_unique<LibraryServer>(use, metadata, host, arrays);
  } catch (const std::exception& e) {
    const std::string fault = make_line({"fault", std::to_string(CONO_INTERNAL), e.what()});
    std::fflush(nullptr);
    [[maybe_unused]] const ssize_t sent = ::write(kReportFd, fault.data(), fault.size());
    ::_exit(1);
  }
  try {
    server->serve();
  } catch (const WireClosed&) {
    server->destroy();
    end(0);
  } catch (...) {
    end(1);
  }
  ::_exit(1);
}

}  // namespace conoscope::core
