// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plugin_driver.h"

#include <dlfcn.h>
#include <elf.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "tests/support/content_of.h"

namespace conoscope::testing {
namespace {

std::string read_note(const std::filesystem::path& file) {
  const std::string bytes = content_of(file);
  const auto read = [&bytes]<typename T>(T, std::size_t at) {
    if (at + sizeof(T) > bytes.size()) throw std::runtime_error("the ELF file is cut short");
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
  };
  const auto header = read(Elf64_Ehdr{}, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw std::runtime_error(file.string() + " is no ELF file");
  const auto section = [&](std::size_t i) {
    return read(Elf64_Shdr{}, header.e_shoff + i * header.e_shentsize);
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr note = section(i);
    if (std::string_view(bytes.c_str() + names + note.sh_name) != ".note." CONO_NOTE_NAME) continue;
    const auto sizes = read(Elf64_Nhdr{}, note.sh_offset);
    const std::size_t text = note.sh_offset + sizeof(sizes) + (sizes.n_namesz + 3) / 4 * 4;
    return bytes.substr(text, sizes.n_descsz - 1);  // without the terminating zero
  }
  throw std::runtime_error(file.string() + " has no metadata note");
}

/// A sink that keeps everything in a bundle.
struct Store {
  Bundle* bundle;

  static cono_status create(void* self, const char* name, std::int32_t dtype, std::int32_t ndim,
                            const std::int64_t* shape, cono_tensor* out) {
    auto& arrays = static_cast<Store*>(self)->bundle->arrays;
    if (arrays.contains(name) || ndim < 1 || ndim > CONO_MAX_DIMENSIONS)
      return CONO_INVALID_ARGUMENT;
    OwnedArray array;
    array.dtype = dtype;
    array.shape.assign(shape, shape + ndim);
    std::int64_t size = 1;
    for (const std::int64_t extent : array.shape) size *= extent;
    array.bytes.resize(static_cast<std::size_t>(size) * sdk::dtype_size(dtype));
    *out = (arrays[name] = std::move(array)).raw();
    return CONO_OK;
  }

  static cono_status text(void* self, const char* key, const char* value) {
    static_cast<Store*>(self)->bundle->texts[key] = value;
    return CONO_OK;
  }

  cono_sink raw() {
    cono_sink sink{};
    sink.struct_size = sizeof(sink);
    sink.self = this;
    sink.create = create;
    sink.text = text;
    return sink;
  }
};

/// Added to the seed of every call, to measure what other seeds give: see margins.py.
std::uint64_t other_seed() {
  const char* text = std::getenv("CONOSCOPE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

struct Caller {
  Outcome* outcome;
  const Host* host;

  cono_host raw() {
    cono_host table{};
    table.struct_size = sizeof(table);
    table.threads = host->threads;
    table.seed = host->seed + other_seed();
    table.scratch = host->scratch.c_str();
    table.self = this;
    table.set_error = [](void* self, const char* text) {
      static_cast<Caller*>(self)->outcome->error = text;
    };
    table.progress = [](void* self, double done) {
      static_cast<Caller*>(self)->outcome->progress.push_back(done);
    };
    table.cancelled = [](void* self) {
      return static_cast<std::int32_t>(static_cast<Caller*>(self)->host->cancelled());
    };
    table.log = [](void* self, const char* text) {
      static_cast<Caller*>(self)->outcome->log.emplace_back(text);
    };
    return table;
  }
};

/// The C view of a bundle; valid as long as the bundle.
struct View {
  std::vector<cono_array> arrays;
  std::vector<cono_text> texts;

  explicit View(const Bundle& bundle) {
    for (const auto& [name, array] : bundle.arrays)
      arrays.push_back({sizeof(cono_array), 0, name.c_str(), array.raw()});
    for (const auto& [key, value] : bundle.texts)
      texts.push_back({sizeof(cono_text), 0, key.c_str(), value.c_str()});
  }

  cono_arrays raw() const {
    cono_arrays view{};
    view.struct_size = sizeof(view);
    view.array_count = static_cast<std::uint32_t>(arrays.size());
    view.text_count = static_cast<std::uint32_t>(texts.size());
    view.arrays = arrays.data();
    view.texts = texts.data();
    return view;
  }
};

/// What a call of an instance is given.
struct Given {
  void* instance;
  const cono_arrays* arrays;
  const cono_host* host;
  const cono_sink* sink;

  /// A new array of doubles among the outputs.
  cono_tensor created(const char* name, const std::vector<std::int64_t>& shape) const {
    cono_tensor out{};
    sink->create(sink->self, name, CONO_F64, static_cast<std::int32_t>(shape.size()), shape.data(),
                 &out);
    return out;
  }
};

template <typename Table>
const Table& interface_of(const cono_plugin& plugin, const char* name) {
  const auto* table = static_cast<const Table*>(plugin.get_interface(name));
  if (table == nullptr) throw std::invalid_argument(std::string("not supported: ") + name);
  return *table;
}

std::int32_t type_of(const std::string& name) {
  if (name == "integer") return CONO_PARAM_INTEGER;
  if (name == "real") return CONO_PARAM_REAL;
  if (name == "boolean") return CONO_PARAM_BOOLEAN;
  if (name == "text") return CONO_PARAM_TEXT;
  if (name == "file" || name == "folder") return CONO_PARAM_FILE;
  if (name == "integers") return CONO_PARAM_INTEGERS;
  if (name == "reals") return CONO_PARAM_REALS;
  if (name == "texts") return CONO_PARAM_TEXTS;
  throw std::runtime_error("metadata: unknown parameter type '" + name + "'");
}

template <typename T>
Value list_from(const toml::array* list) {
  std::vector<T> out;
  if (list != nullptr)
    for (const auto& item : *list) out.push_back(item.value<T>().value());
  return out;
}

/// The default, or what the type has instead of one.
Value standard_of(std::int32_t type, const toml::node_view<const toml::node>& given) {
  switch (type) {
    case CONO_PARAM_INTEGER:
      return given.value_or(std::int64_t{0});
    case CONO_PARAM_REAL:
      return given.value_or(0.0);
    case CONO_PARAM_BOOLEAN:
      return given.value_or(false);
    case CONO_PARAM_INTEGERS:
      return list_from<std::int64_t>(given.as_array());
    case CONO_PARAM_REALS:
      return list_from<double>(given.as_array());
    case CONO_PARAM_TEXTS:
      return list_from<std::string>(given.as_array());
    default:
      return given.value_or(std::string());
  }
}

/// value as it crosses the border; texts: room for the pointers of a list of them.
cono_param to_param(const std::string& name, std::int32_t type, const Value& value,
                    std::vector<const char*>& texts) {
  cono_param out{};
  out.struct_size = sizeof(out);
  out.name = name.c_str();
  out.type = type;
  out.text = "";
  bool fits = false;
  const auto give = [&](std::int32_t expected, const auto& list, auto& slot) {
    fits = type == expected;
    slot = list.data();
    out.count = static_cast<std::int64_t>(list.size());
  };
  if (const auto* v = std::get_if<bool>(&value)) {
    fits = type == CONO_PARAM_BOOLEAN;
    out.integer = *v;
  }
  if (const auto* v = std::get_if<std::int64_t>(&value)) {
    fits = type == CONO_PARAM_INTEGER;
    out.integer = *v;
  }
  if (const auto* v = std::get_if<double>(&value)) {
    fits = type == CONO_PARAM_REAL;
    out.real = *v;
  }
  if (const auto* v = std::get_if<std::string>(&value)) {
    fits = type == CONO_PARAM_TEXT || type == CONO_PARAM_FILE;
    out.text = v->c_str();
  }
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value)) {
    give(CONO_PARAM_INTEGERS, *v, out.integers);
  }
  if (const auto* v = std::get_if<std::vector<double>>(&value)) {
    give(CONO_PARAM_REALS, *v, out.reals);
  }
  if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
    for (const auto& text : *v) texts.push_back(text.c_str());
    give(CONO_PARAM_TEXTS, texts, out.texts);
  }
  if (!fits) throw std::invalid_argument("argument of another type: " + name);
  return out;
}

}  // namespace

Plugin::Plugin(const std::filesystem::path& file) : metadata_(read_note(file)) {
  const toml::table metadata = toml::parse(metadata_);
  if (const toml::table* parameters = metadata["parameters"].as_table()) {
    for (const auto& [key, node] : *parameters) {
      const toml::table& about = *node.as_table();
      Parameter parameter;
      parameter.name = std::string(key.str());
      parameter.type = type_of(about["type"].value_or(std::string()));
      parameter.required = !about.contains("default");
      parameter.standard = standard_of(parameter.type, about["default"]);
      parameters_.push_back(std::move(parameter));
    }
    // toml++ sorts keys; the border promises the order of the text.
    std::ranges::sort(parameters_, {}, [this](const Parameter& parameter) {
      return metadata_.find("[parameters." + parameter.name + "]");
    });
  }

  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto entry = reinterpret_cast<cono_plugin_entry_fn>(dlsym(library, CONO_ENTRY_SYMBOL));
  if (entry == nullptr) throw std::runtime_error(file.string() + " has no entry symbol");
  table_ = entry(CONO_ABI_MAJOR, CONO_ABI_MINOR);
}

template <typename Table, typename Call>
Outcome Plugin::run(const char* interface, const Arguments& arguments, const cono_arrays& arrays,
                    const Host& host, Call&& call) const {
  std::vector<cono_param> items;
  std::vector<std::vector<const char*>> texts(parameters_.size());
  for (const Parameter& parameter : parameters_) {
    const auto given = arguments.find(parameter.name);
    if (given == arguments.end() && parameter.required)
      throw std::invalid_argument("argument is missing: " + parameter.name);
    items.push_back(to_param(parameter.name, parameter.type,
                             given == arguments.end() ? parameter.standard : given->second,
                             texts[items.size()]));
  }
  for (const auto& [name, value] : arguments)
    if (std::ranges::find(parameters_, name, &Parameter::name) == parameters_.end())
      throw std::invalid_argument("no such parameter: " + name);

  const auto& table = interface_of<Table>(*table_, interface);
  cono_params params{};
  params.struct_size = sizeof(params);
  params.count = static_cast<std::uint32_t>(items.size());
  params.items = items.data();

  Outcome outcome;
  Caller caller{&outcome, &host};
  const cono_host raw_host = caller.raw();
  Store store{&outcome.out};
  const cono_sink sink = store.raw();
  void* instance = nullptr;
  outcome.status = table.create(&params, &raw_host, &instance);
  if (outcome.status != CONO_OK) return outcome;
  outcome.status = call(table, Given{instance, &arrays, &raw_host, &sink});
  table.destroy(instance);
  return outcome;
}

template <typename Table>
Outcome Plugin::fit(const char* interface, const Arguments& arguments, const cono_arrays& arrays,
                    const Host& host) const {
  return run<Table>(interface, arguments, arrays, host, [](const Table& table, const Given& given) {
    return table.fit(given.instance, given.arrays, given.host, given.sink);
  });
}

Outcome Plugin::load(const Arguments& arguments, const Host& host) const {
  return run<cono_dataset>(CONO_DATASET_INTERFACE, arguments, {}, host,
                           [](const auto& table, const Given& given) {
                             return table.load(given.instance, given.host, given.sink);
                           });
}

// A View lives to the end of the statement it is made in, and so through the call.
Outcome Plugin::fit_model(const Arguments& arguments, const Bundle& dataset,
                          const Host& host) const {
  return fit<cono_model>(CONO_MODEL_INTERFACE, arguments, View(dataset).raw(), host);
}

Outcome Plugin::fit_model_with(const Arguments& arguments, const Bundle& dataset,
                               const std::string& name, const cono_tensor& tensor,
                               const Host& host) const {
  View view(dataset);
  std::erase_if(view.arrays, [&name](const cono_array& array) { return name == array.name; });
  view.arrays.push_back({sizeof(cono_array), 0, name.c_str(), tensor});
  return fit<cono_model>(CONO_MODEL_INTERFACE, arguments, view.raw(), host);
}

Outcome Plugin::fit_explainer(const Arguments& arguments, const Bundle& head,
                              const Host& host) const {
  return fit<cono_explainer>(CONO_EXPLAINER_INTERFACE, arguments, View(head).raw(), host);
}

Outcome Plugin::fit_explainer_with(const Arguments& arguments, const Bundle& head,
                                   const Model& model, const Host& host) const {
  const auto& forward = interface_of<cono_explainer_model>(*table_, CONO_EXPLAINER_MODEL_INTERFACE);
  cono_model_call call{};
  call.struct_size = sizeof(call);
  call.self = const_cast<Model*>(&model);
  call.forward = [](void* self, const cono_tensor* inputs, cono_tensor* activations) {
    return (*static_cast<const Model*>(self))(sdk::Tensor(*inputs),
                                              sdk::Tensor(*activations).values<double>());
  };
  return run<cono_explainer>(CONO_EXPLAINER_INTERFACE, arguments, View(head).raw(), host,
                             [&](const auto&, const Given& given) {
                               return forward.fit(given.instance, given.arrays, &call, given.host,
                                                  given.sink);
                             });
}

Outcome Plugin::project(const Arguments& arguments, const Bundle& explanation, std::int64_t output,
                        const OwnedArray& rows, std::int64_t concept_count,
                        const Host& host) const {
  const cono_tensor at = rows.raw();
  return run<cono_explainer>(
      CONO_EXPLAINER_INTERFACE, arguments, View(explanation).raw(), host,
      [&](const auto& table, const Given& given) {
        if (table.project == nullptr) throw std::invalid_argument("the explainer has no project");
        cono_tensor scores = given.created("scores", {at.shape[0], concept_count});
        return table.project(given.instance, given.arrays, output, &at, given.host, &scores);
      });
}

Outcome Plugin::reconstruct(const Arguments& arguments, const Bundle& explanation,
                            std::int64_t output, const OwnedArray& scores, std::int64_t width,
                            const Host& host) const {
  const cono_tensor at = scores.raw();
  return run<cono_explainer>(CONO_EXPLAINER_INTERFACE, arguments, View(explanation).raw(), host,
                             [&](const auto& table, const Given& given) {
                               if (table.reconstruct == nullptr)
                                 throw std::invalid_argument("the explainer has no reconstruct");
                               cono_tensor rows = given.created("rows", {at.shape[0], width});
                               return table.reconstruct(given.instance, given.arrays, output, &at,
                                                        given.host, &rows);
                             });
}

Outcome Plugin::forward(const Arguments& arguments, const Bundle& model, const OwnedArray& inputs,
                        std::vector<std::int64_t> activations_shape, const Host& host) const {
  const auto& table = interface_of<cono_forward>(*table_, CONO_FORWARD_INTERFACE);
  const cono_tensor at = inputs.raw();
  return run<cono_model>(
      CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
      [&](const auto&, const Given& given) {
        cono_tensor activations = given.created("activations", activations_shape);
        return table.forward(given.instance, given.arrays, &at, given.host, &activations);
      });
}

Outcome Plugin::decode(const Arguments& arguments, const Bundle& model, const OwnedArray& codes,
                       std::vector<std::int64_t> inputs_shape, const Host& host) const {
  const auto& table = interface_of<cono_decode>(*table_, CONO_DECODE_INTERFACE);
  const cono_tensor at = codes.raw();
  return run<cono_model>(CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
                         [&](const auto&, const Given& given) {
                           cono_tensor inputs = given.created("inputs", inputs_shape);
                           return table.decode(given.instance, given.arrays, &at, given.host,
                                               &inputs);
                         });
}

Outcome Plugin::forward_gradient(const Arguments& arguments, const Bundle& model,
                                 const OwnedArray& inputs, const OwnedArray& cotangents,
                                 const Host& host) const {
  const auto& table = interface_of<cono_forward_gradient>(*table_, CONO_FORWARD_GRADIENT_INTERFACE);
  const cono_tensor at = inputs.raw(), along = cotangents.raw();
  return run<cono_model>(CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
                         [&](const auto&, const Given& given) {
                           cono_tensor gradients = given.created("gradients", inputs.shape);
                           return table.forward_gradient(given.instance, given.arrays, &at, &along,
                                                         given.host, &gradients);
                         });
}

Outcome Plugin::head(const Arguments& arguments, const Bundle& model, const OwnedArray& activations,
                     const Host& host) const {
  return outputs_of(CONO_HEAD_INTERFACE, arguments, model, activations, host);
}

Outcome Plugin::redrawn_head(const Arguments& arguments, const Bundle& model,
                             const OwnedArray& activations, const Host& host) const {
  return outputs_of(CONO_REDRAWN_HEAD_INTERFACE, arguments, model, activations, host);
}

Outcome Plugin::outputs_of(const char* interface, const Arguments& arguments, const Bundle& model,
                           const OwnedArray& activations, const Host& host) const {
  const auto& table = interface_of<cono_head>(*table_, interface);
  const cono_tensor at = activations.raw();
  return run<cono_model>(
      CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
      [&](const auto&, const Given& given) {
        cono_tensor outputs =
            given.created("outputs", {at.shape[0], model.shape("head_weight")[0]});
        return table.head(given.instance, given.arrays, &at, given.host, &outputs);
      });
}

Outcome Plugin::vjp(const Arguments& arguments, const Bundle& model, const OwnedArray& activations,
                    const OwnedArray& cotangents, const Host& host) const {
  const auto& table = interface_of<cono_head>(*table_, CONO_HEAD_INTERFACE);
  const cono_tensor at = activations.raw(), along = cotangents.raw();
  return run<cono_model>(CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
                         [&](const auto&, const Given& given) {
                           cono_tensor gradients = given.created("gradients", activations.shape);
                           return table.vjp(given.instance, given.arrays, &at, &along, given.host,
                                            &gradients);
                         });
}

Outcome Plugin::intervene(const Arguments& arguments, const Bundle& model,
                          const OwnedArray& concepts, const Host& host) const {
  const auto& table = interface_of<cono_intervene>(*table_, CONO_INTERVENE_INTERFACE);
  const cono_tensor at = concepts.raw();
  return run<cono_model>(
      CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
      [&](const auto&, const Given& given) {
        cono_tensor outputs =
            given.created("outputs", {at.shape[0], model.shape("task_outputs")[1]});
        return table.intervene(given.instance, given.arrays, &at, given.host, &outputs);
      });
}

Outcome Plugin::intervene_told(const Arguments& arguments, const Bundle& model,
                               const OwnedArray& concepts, const OwnedArray& told,
                               const Host& host) const {
  const auto& table = interface_of<cono_intervene_told>(*table_, CONO_INTERVENE_TOLD_INTERFACE);
  const cono_tensor at = concepts.raw(), mask = told.raw();
  return run<cono_model>(
      CONO_MODEL_INTERFACE, arguments, View(model).raw(), host,
      [&](const auto&, const Given& given) {
        cono_tensor outputs =
            given.created("outputs", {at.shape[0], model.shape("task_outputs")[1]});
        return table.intervene(given.instance, given.arrays, &at, &mask, given.host, &outputs);
      });
}

std::filesystem::path plugin_file(const std::string& name) {
  return std::filesystem::path(CONOSCOPE_TEST_PLUGIN_DIR) / (name + ".so");
}

const Plugin& plugin(const std::string& name) {
  static std::map<std::string, Plugin> loaded;
  return loaded.try_emplace(name, plugin_file(name)).first->second;
}

}  // namespace conoscope::testing
