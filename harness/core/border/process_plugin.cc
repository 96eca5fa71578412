#include "harness/core/border/process_plugin.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/artifacts/element_count.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/needs.h"
#include "harness/core/border/output_check.h"
#include "harness/core/border/plugin_peer.h"
#include "harness/core/border/process_arrays.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/value.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProtocol = "1";

using Fields = std::vector<std::string>;

/// The number that a text is, wholly.
template <typename T>
T number(const std::string& text, const char* what) {
  T out{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (text.empty() || error != std::errc() || stop != end)
    throw OutputFault(std::string("the plugin sent ") + what + " \"" + text + "\"");
  return out;
}

/// An instance, as the plugin knows it by its number.
struct Object {
  int number = 0;
  std::vector<std::pair<const void*, std::int64_t>> state;  ///< that it was told of last
};

/// The plugin that this process has.
class ProcessPlugin {
 public:
  ProcessPlugin(const PluginUse& use, const Metadata& metadata,
                const std::function<void()>& confine);

  const cono_plugin* raw() const { return &raw_; }
  const fs::path& file() const { return file_; }
  bool offers(const std::string& ability) const { return abilities_.count(ability) != 0; }
  bool calls_model() const;

  /// What a call is, and who answers to what the plugin says and asks while it goes on.
  struct Call {
    std::string name = {};
    std::string lines = {};  ///< of the message, beyond the usual
    const cono_host* host = nullptr;
    const cono_sink* sink = nullptr;  ///< arrays and texts go there
    cono_tensor* result = nullptr;    ///< the one array that is expected
    const cono_scores* scores = nullptr;
    const cono_model_call* model = nullptr;
    const cono_calls* subject = nullptr;
  };
  cono_status run(Object& object, const Call& call);

  cono_status create(const cono_params* params, const cono_host* host, void** instance);
  void destroy(Object* object);
  /// A call on what fit() has left, which the plugin is told of once.
  cono_status run_on(Object& object, const cono_arrays* state, Call call);

  /// As lines of a message; the arrays' files last until the call that they are for has ended.
  std::string lines_of(const cono_arrays& arrays, const char* array = "array",
                       const char* text = "text");
  std::string line_of(const char* name, const cono_tensor& tensor, const char* word = "array");

 private:
  void take_array(const Call& call, const Fields& message, cono_status& status, bool& answered);
  cono_status take_score(const Call& call, const Fields& message);
  void answer(const Call& call, const Fields& message);
  const fs::path& folder(const cono_host* host);

  fs::path file_, folder_;
  std::string id_, version_, kind_;
  std::vector<std::string> needs_;
  std::set<std::string> abilities_;
  cono_plugin raw_{};
  std::unique_ptr<PluginPeer> peer_;
  int instances_ = 0;
  std::uint64_t files_ = 0;
  std::vector<fs::path> written_;
};

std::unique_ptr<ProcessPlugin>& here() {
  // Never destroyed, as a library is never unloaded.
  static auto* const plugin = new std::unique_ptr<ProcessPlugin>;
  return *plugin;
}
ProcessPlugin& plugin() { return *here(); }
Object& object(void* instance) { return *static_cast<Object*>(instance); }

// ---- the tables -------------------------------------------------------------------------------

cono_status create(const cono_params* params, const cono_host* host, void** instance) {
  return plugin().create(params, host, instance);
}
void destroy(void* instance) { plugin().destroy(static_cast<Object*>(instance)); }

const cono_dataset kDatasetTable = {
    sizeof(cono_dataset), 0, create, destroy,
    [](void* instance, const cono_host* host, const cono_sink* out) {
      return plugin().run(object(instance), {.name = "load", .host = host, .sink = out});
    }};

cono_status fit(void* instance, const cono_arrays* arrays, const cono_host* host,
                const cono_sink* out) {
  return plugin().run(
      object(instance),
      {.name = "fit", .lines = plugin().lines_of(*arrays), .host = host, .sink = out});
}
const cono_model kModelTable = {sizeof(cono_model), 0, create, destroy, fit};

/// A slot that maps one tensor to another.
cono_status map(const char* name, void* instance, const cono_arrays* state, std::string lines,
                const char* in_name, const cono_tensor* in, const cono_host* host,
                cono_tensor* out) {
  lines += plugin().line_of(in_name, *in);
  return plugin().run_on(object(instance), state,
                         {.name = name, .lines = std::move(lines), .host = host, .result = out});
}

const cono_forward kForwardTable = {
    sizeof(cono_forward), 0,
    [](void* instance, const cono_arrays* model, const cono_tensor* inputs, const cono_host* host,
       cono_tensor* activations) {
      return map("forward", instance, model, "", "inputs", inputs, host, activations);
    }};

const cono_forward_gradient kForwardGradientTable = {
    sizeof(cono_forward_gradient), 0,
    [](void* instance, const cono_arrays* model, const cono_tensor* inputs,
       const cono_tensor* cotangents, const cono_host* host, cono_tensor* gradients) {
      return map("forward_gradient", instance, model, plugin().line_of("cotangents", *cotangents),
                 "inputs", inputs, host, gradients);
    }};

const cono_intervene kInterveneTable = {
    sizeof(cono_intervene), 0,
    [](void* instance, const cono_arrays* model, const cono_tensor* concepts, const cono_host* host,
       cono_tensor* outputs) {
      return map("intervene", instance, model, "", "concepts", concepts, host, outputs);
    }};

cono_status head(void* instance, const cono_arrays* model, const cono_tensor* activations,
                 const cono_host* host, cono_tensor* outputs) {
  return map("head", instance, model, "", "activations", activations, host, outputs);
}
cono_status vjp(void* instance, const cono_arrays* model, const cono_tensor* activations,
                const cono_tensor* cotangents, const cono_host* host, cono_tensor* gradients) {
  return map("vjp", instance, model, plugin().line_of("cotangents", *cotangents), "activations",
             activations, host, gradients);
}
const cono_head kHeadTable = {sizeof(cono_head), 0, head, nullptr};
const cono_head kHeadTableWithVjp = {sizeof(cono_head), 0, head, vjp};

std::string output_line(std::int64_t output) {
  return make_line({"output", std::to_string(output)});
}
cono_status project(void* instance, const cono_arrays* explanation, std::int64_t output,
                    const cono_tensor* rows, const cono_host* host, cono_tensor* scores) {
  return map("project", instance, explanation, output_line(output), "rows", rows, host, scores);
}
cono_status reconstruct(void* instance, const cono_arrays* explanation, std::int64_t output,
                        const cono_tensor* scores, const cono_host* host, cono_tensor* rows) {
  return map("reconstruct", instance, explanation, output_line(output), "scores", scores, host,
             rows);
}

const cono_explainer_model kExplainerModelTable = {
    sizeof(cono_explainer_model), 0,
    [](void* instance, const cono_arrays* arrays, const cono_model_call* model,
       const cono_host* host, const cono_sink* out) {
      std::string lines = plugin().lines_of(*arrays);
      if (model->forward != nullptr) lines += make_line({"offers", "forward"});
      if (model->head != nullptr) lines += make_line({"offers", "head"});
      if (model->vjp != nullptr) lines += make_line({"offers", "vjp"});
      return plugin().run(
          object(instance),
          {.name = "fit", .lines = std::move(lines), .host = host, .sink = out, .model = model});
    }};

const cono_metric kMetricTable = {
    sizeof(cono_metric), 0, create, destroy,
    [](void* instance, const cono_arrays* subject, const cono_calls* calls, const cono_host* host,
       const cono_scores* out) {
      std::string lines = plugin().lines_of(*subject);
      if (calls->project != nullptr) lines += make_line({"offers", "project"});
      if (calls->reconstruct != nullptr) lines += make_line({"offers", "reconstruct"});
      if (calls->intervene != nullptr) lines += make_line({"offers", "intervene"});
      return plugin().run(object(instance), {.name = "score",
                                             .lines = std::move(lines),
                                             .host = host,
                                             .scores = out,
                                             .subject = calls});
    }};

const void* interface(const char* id) {
  static cono_explainer explainer = {
      sizeof(cono_explainer), 0, create, destroy, fit, nullptr, nullptr};
  const std::string_view name = id;
  const ProcessPlugin& mine = plugin();
  explainer.project = mine.offers("project") ? project : nullptr;
  explainer.reconstruct = mine.offers("reconstruct") ? reconstruct : nullptr;
  if (name == CONO_DATASET_INTERFACE) return mine.offers("load") ? &kDatasetTable : nullptr;
  if (name == CONO_METRIC_INTERFACE) return mine.offers("score") ? &kMetricTable : nullptr;
  if (name == CONO_MODEL_INTERFACE) return mine.offers("fit") ? &kModelTable : nullptr;
  if (name == CONO_EXPLAINER_INTERFACE) return mine.offers("fit") ? &explainer : nullptr;
  if (name == CONO_EXPLAINER_MODEL_INTERFACE)
    return mine.calls_model() ? &kExplainerModelTable : nullptr;
  if (name == CONO_FORWARD_INTERFACE) return mine.offers("forward") ? &kForwardTable : nullptr;
  if (name == CONO_FORWARD_GRADIENT_INTERFACE)
    return mine.offers("forward_gradient") ? &kForwardGradientTable : nullptr;
  if (name == CONO_INTERVENE_INTERFACE)
    return mine.offers("intervene") ? &kInterveneTable : nullptr;
  if (name == CONO_HEAD_INTERFACE && mine.offers("head"))
    return mine.offers("vjp") ? &kHeadTableWithVjp : &kHeadTable;
  return nullptr;
}

// ---- the talk ---------------------------------------------------------------------------------

ProcessPlugin::ProcessPlugin(const PluginUse& use, const Metadata& metadata,
                             const std::function<void()>& confine)
    : file_(use.file),
      id_(metadata.id),
      version_(metadata.version),
      kind_(to_string(metadata.kind)),
      needs_(metadata.needs),
      raw_{sizeof(cono_plugin),
           CONO_ABI_MAJOR,
           CONO_ABI_MINOR,
           static_cast<std::int32_t>(metadata.kind) + CONO_DATASET,
           id_.c_str(),
           version_.c_str(),
           interface},
      peer_(std::make_unique<PluginPeer>(use, confine)) {
  const Fields hello = peer_->receive();
  const auto field = [&hello](std::size_t i) { return i < hello.size() ? hello[i] : ""; };
  const std::string name = file_.string();
  if (hello[0] == "fault") throw LoadFault(field(2));
  if (hello[0] != "hello")
    throw LoadFault(name + ": its first message is \"" + hello[0] + "\", expected hello");
  if (field(1) != kProtocol)
    throw LoadFault(name + ": speaks protocol " + field(1) +
                    " of process plugins, this conoscope " + kProtocol);
  if (field(2) != kind_)
    throw LoadFault(name + ": its metadata say that it is a " + kind_ + ", and it says " +
                    field(2));
  if (hello.size() > 3) abilities_.insert(hello.begin() + 3, hello.end());
  const char* first = metadata.kind == Kind::kDataset  ? "load"
                      : metadata.kind == Kind::kMetric ? "score"
                                                       : "fit";
  if (!offers(first)) throw LoadFault(name + ": has no " + first + "()");
}

bool ProcessPlugin::calls_model() const {
  return offers("fit") && (asks_for(needs_, "forward") || asks_for(needs_, "head"));
}

const fs::path& ProcessPlugin::folder(const cono_host* host) {
  if (folder_.empty()) {
    // Several plugins' processes share the scratch folder of a job.
    folder_ = fs::path(host->scratch) / ("exchange." + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  return folder_;
}

std::string ProcessPlugin::line_of(const char* name, const cono_tensor& tensor, const char* word) {
  const std::string file = std::to_string(++files_) + "." + name + ".npy";
  write_array(written_.emplace_back(folder_ / file), tensor);
  return make_line({word, name, file});
}

std::string ProcessPlugin::lines_of(const cono_arrays& arrays, const char* word,
                                    const char* word_of_text) {
  std::string out;
  const auto* at = reinterpret_cast<const char*>(arrays.arrays);
  for (std::uint32_t i = 0; i < arrays.array_count; ++i) {
    const auto* array = reinterpret_cast<const cono_array*>(at);
    out += line_of(array->name, array->tensor, word);
    at += array->struct_size;
  }
  at = reinterpret_cast<const char*>(arrays.texts);
  for (std::uint32_t i = 0; i < arrays.text_count; ++i) {
    const auto* text = reinterpret_cast<const cono_text*>(at);
    out += make_line({word_of_text, text->key, text->value});
    at += text->struct_size;
  }
  return out;
}

cono_status ProcessPlugin::create(const cono_params* params, const cono_host* host,
                                  void** instance) {
  auto made = std::make_unique<Object>();
  made->number = ++instances_;
  std::string lines;
  const auto* at = reinterpret_cast<const char*>(params->items);
  for (std::uint32_t i = 0; i < params->count; ++i) {
    const auto& item = *reinterpret_cast<const cono_param*>(at);
    at += item.struct_size;
    Fields fields = {"parameter", item.name};
    const auto add = [&fields](const char* type, auto&&... values) {
      fields.emplace_back(type);
      (fields.push_back(values), ...);
    };
    switch (item.type) {
      case CONO_PARAM_INTEGER:
        add("integer", std::to_string(item.integer));
        break;
      case CONO_PARAM_REAL:
        add("real", to_text(Value(item.real)));
        break;
      case CONO_PARAM_BOOLEAN:
        add("boolean", std::string(item.integer != 0 ? "true" : "false"));
        break;
      case CONO_PARAM_INTEGERS:
        add("integers");
        for (std::int64_t k = 0; k < item.count; ++k)
          fields.push_back(std::to_string(item.integers[k]));
        break;
      case CONO_PARAM_REALS:
        add("reals");
        for (std::int64_t k = 0; k < item.count; ++k)
          fields.push_back(to_text(Value(item.reals[k])));
        break;
      case CONO_PARAM_TEXTS:
        add("texts");
        for (std::int64_t k = 0; k < item.count; ++k) fields.emplace_back(item.texts[k]);
        break;
      default:
        add(item.type == CONO_PARAM_FILE ? "file" : "text", std::string(item.text));
    }
    lines += make_line(fields);
  }
  const cono_status status =
      run(*made, {.name = "create", .lines = std::move(lines), .host = host});
  if (status == CONO_OK) *instance = made.release();
  return status;
}

void ProcessPlugin::destroy(Object* object) {
  const std::unique_ptr<Object> owned(object);
  if (owned) peer_->send(make_line({"destroy", std::to_string(owned->number)}));
}

cono_status ProcessPlugin::run_on(Object& object, const cono_arrays* state, Call call) {
  std::vector<std::pair<const void*, std::int64_t>> now;
  for (std::uint32_t i = 0; i < state->array_count; ++i)
    now.emplace_back(state->arrays[i].tensor.data, state->arrays[i].tensor.shape[0]);
  if (now != object.state) {
    call.lines = lines_of(*state, "state", "state_text") + call.lines;
    object.state = std::move(now);
  }
  return run(object, call);
}

cono_status ProcessPlugin::run(Object& object, const Call& call) {
  const auto remove_files = [this](void*) {  // what is mapped there stays as long as it is mapped
    for (const auto& file : std::exchange(written_, {})) ::unlink(file.c_str());
  };
  const std::unique_ptr<void, decltype(remove_files)> at_end(this, remove_files);
  const cono_host* host = call.host;
  peer_->send(make_line({call.name, std::to_string(object.number)}) +
              make_line({"seed", std::to_string(host->seed)}) +
              make_line({"threads", std::to_string(host->threads)}) +
              make_line({"scratch", host->scratch}) +
              make_line({"exchange", folder(host).string()}) + call.lines + "go\n");
  cono_status status = CONO_OK;
  bool answered = false;
  while (true) {
    const Fields message = peer_->receive();
    const std::string& word = message[0];
    const auto field = [&message](std::size_t i) { return i < message.size() ? message[i] : ""; };
    if (word == "progress") {
      host->progress(host->self, number<double>(field(1), "as its progress"));
    } else if (word == "log") {
      host->log(host->self, field(1).c_str());
    } else if (word == "cancelled") {
      peer_->send(host->cancelled(host->self) != 0 ? "yes\n" : "no\n");
    } else if (word == "array") {
      take_array(call, message, status, answered);
    } else if (word == "text" && call.sink != nullptr) {
      if (status == CONO_OK)
        status = call.sink->text(call.sink->self, field(1).c_str(), field(2).c_str());
    } else if (word == "score" && call.scores != nullptr) {
      if (status == CONO_OK) status = take_score(call, message);
    } else if (word == "ask") {
      answer(call, message);
    } else if (word == "ok") {
      if (status == CONO_OK && call.result != nullptr && !answered)
        throw OutputFault(call.name + "() has left no array");
      return status;
    } else if (word == "fault") {
      host->set_error(host->self, field(2).c_str());
      const auto said = number<std::int32_t>(field(1), "as a status");
      return said == CONO_OK ? static_cast<cono_status>(CONO_INTERNAL) : said;
    } else {
      throw OutputFault("the plugin sent what is no message of " + call.name + ": " + word);
    }
  }
}

void ProcessPlugin::take_array(const Call& call, const Fields& message, cono_status& status,
                               bool& answered) {
  if (message.size() != 3) throw OutputFault("the plugin sent an array without a name or a file");
  const LeftArray left(folder_, message[2], message[1]);
  if (call.result != nullptr) {
    left.convert_to(*call.result);
    answered = true;
  } else if (call.sink != nullptr) {
    if (status != CONO_OK) return;
    cono_tensor out{};
    status = call.sink->create(call.sink->self, message[1].c_str(), left.dtype(),
                               static_cast<std::int32_t>(left.shape().size()), left.shape().data(),
                               &out);
    if (status == CONO_OK) left.take(out.data);
  } else {
    throw OutputFault("the plugin sent an array that " + call.name +
                      " has no use for: " + message[1]);
  }
}

/// score  name  value  reason  message  [file of the parts]
cono_status ProcessPlugin::take_score(const Call& call, const Fields& message) {
  const auto field = [&message](std::size_t i) { return i < message.size() ? message[i] : ""; };
  const std::string name = field(1), reason = field(3), words = field(4), file = field(5);
  const double value = reason.empty() ? number<double>(field(2), "as a score") : 0.0;
  std::vector<double> parts;
  if (!file.empty()) {
    const LeftArray left(folder_, file, "the parts of " + name);
    if (left.shape().size() != 1) throw OutputFault("the parts of " + name + " are not in one row");
    parts.resize(static_cast<std::size_t>(left.shape()[0]));
    if (!parts.empty()) left.convert_to(sdk::make_tensor(parts.data(), CONO_F64, left.shape()));
  }
  return call.scores->score(
      call.scores->self, name.c_str(), value, reason.empty() ? nullptr : reason.c_str(),
      words.empty() ? nullptr : words.c_str(), parts.empty() ? nullptr : parts.data(),
      static_cast<std::int64_t>(parts.size()));
}

/// A plugin asks with one array, in which each sample's cotangents follow its activations:
/// m x (P * D + C); the answer is m x P x D.
cono_status ask_vjp(const cono_model_call& model, const cono_tensor& both, cono_tensor& out) {
  const std::int64_t samples = both.shape[0], size = both.ndim == 2 ? both.shape[1] : 0;
  const std::int64_t activations = out.ndim == 3 ? out.shape[1] * out.shape[2] : 0;
  const std::int64_t outputs = size - activations;
  if (activations < 1 || outputs < 1) return CONO_INVALID_ARGUMENT;
  std::vector<double> rows, along;
  sdk::Tensor(both).for_each([&](std::int64_t at, double value) {
    (at % size < activations ? rows : along).push_back(value);
  });
  const cono_tensor in = sdk::make_tensor(
      rows.data(), CONO_F64, std::vector<std::int64_t>{samples, out.shape[1], out.shape[2]});
  const cono_tensor cotangents =
      sdk::make_tensor(along.data(), CONO_F64, std::vector<std::int64_t>{samples, outputs});
  return model.vjp(model.self, &in, &cotangents, &out);
}

/// ask  function  output  file  extents of the answer behind the first
void ProcessPlugin::answer(const Call& call, const Fields& message) {
  if (message.size() < 5) throw OutputFault("the plugin asked without saying what");
  const std::string& what = message[1];
  const LeftArray left(folder_, message[3], "what " + what + " is asked of");
  std::vector<char> bytes(left.bytes());
  left.take(bytes.data());
  const cono_tensor in = sdk::make_tensor(bytes.data(), left.dtype(), left.shape());
  std::vector<std::int64_t> shape = {left.shape()[0]};
  for (std::size_t i = 4; i < message.size(); ++i)
    shape.push_back(number<std::int64_t>(message[i], "as an extent"));
  const auto size = element_count(shape);
  if (shape.size() > CONO_MAX_DIMENSIONS || !size)
    throw OutputFault("the plugin asked for an answer that cannot be");
  std::vector<double> values(*size);
  cono_tensor out = sdk::make_tensor(values.data(), CONO_F64, shape);

  cono_status status = CONO_INVALID_ARGUMENT;
  std::string why = what + " is not offered";
  const auto output = number<std::int64_t>(message[2], "as an output");
  const auto say = [&](cono_status said) {
    status = said;
    why = "the host refused " + what;
  };
  if (what == "forward" && call.model != nullptr && call.model->forward != nullptr)
    say(call.model->forward(call.model->self, &in, &out));
  else if (what == "head" && call.model != nullptr && call.model->head != nullptr)
    say(call.model->head(call.model->self, &in, &out));
  else if (what == "vjp" && call.model != nullptr && call.model->vjp != nullptr)
    say(ask_vjp(*call.model, in, out));
  else if (what == "project" && call.subject != nullptr && call.subject->project != nullptr)
    say(call.subject->project(call.subject->self, output, &in, &out));
  else if (what == "reconstruct" && call.subject != nullptr && call.subject->reconstruct != nullptr)
    say(call.subject->reconstruct(call.subject->self, output, &in, &out));
  else if (what == "intervene" && call.subject != nullptr && call.subject->intervene != nullptr)
    say(call.subject->intervene(call.subject->self, &in, &out));
  peer_->send(status == CONO_OK ? line_of("answer", out)
                                : make_line({"fault", std::to_string(status), why}));
}

}  // namespace

const cono_plugin* process_plugin(const PluginUse& use, const Metadata& metadata,
                                  const std::function<void()>& confine) {
  if (here() != nullptr && here()->file() != use.file)
    throw std::logic_error("process_plugin: " + use.file.string() + " beside " +
                           here()->file().string());
  if (here() == nullptr) here() = std::make_unique<ProcessPlugin>(use, metadata, confine);
  return here()->raw();
}

}  // namespace conoscope::core
