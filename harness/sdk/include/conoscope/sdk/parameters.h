// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plugin's parameters, declared once: the metadata are made from the declaration, and what the
// constructor reads is looked up in it while the plugin is compiled.
//
//   constexpr auto kParameters = sdk::parameters(
//       sdk::integer("k", 10).at_least(1).counts_concepts().help("concepts of each output"),
//       sdk::text("solver", "cd").choices({"cd", "mu"}),
//       sdk::integers("hidden", {64, 64}).at_least(1).help("units, layer by layer"));
//
//   explicit Method(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {}
//
//   CONOSCOPE_EXPLAINER(Method, "method", "1.0.0", R"toml(summary = "...")toml", kParameters)
//
// A name that is not declared, or is of another type, does not compile. What several plugins share
// is a list of its own and goes into parameters() like a single one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/abi.h"

namespace conoscope::sdk {

enum class ParameterType { integer, real, boolean, text, file, folder, integers, reals, texts };

constexpr const char* to_string(ParameterType type) {
  constexpr const char* kNames[] = {"integer", "real",     "boolean", "text", "file",
                                    "folder",  "integers", "reals",   "texts"};
  return kNames[static_cast<std::size_t>(type)];
}

/// A few values, in a literal type.
template <typename T>
struct ShortList {
  static constexpr std::size_t kMost = 16;
  std::array<T, kMost> items{};
  std::size_t count = 0;

  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> values) {
    for (const T& value : values) items.at(count++) = value;
  }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + count; }
};

/// One parameter; see docs/plugins.md for what the members mean to a user.
struct Parameter {
  std::string_view name;
  ParameterType type = ParameterType::integer;
  bool required = true;  ///< no default
  std::int64_t integer = 0;
  double real = 0.0;
  bool boolean = false;
  std::string_view text;
  ShortList<std::int64_t> integers;
  ShortList<double> reals;
  ShortList<std::string_view> texts;
  std::optional<double> min, max;  ///< of a list: of each element
  std::optional<std::int64_t> min_count, max_count;
  ShortList<std::string_view> choice, choice_offer;
  std::string_view help_text, offered, role, empty;

  constexpr Parameter at_least(double value) const {
    auto out = *this;
    out.min = value;
    return out;
  }
  constexpr Parameter at_most(double value) const {
    auto out = *this;
    out.max = value;
    return out;
  }
  constexpr Parameter between(double low, double high) const { return at_least(low).at_most(high); }
  /// Of a list: how many elements it may have.
  constexpr Parameter count_between(std::int64_t fewest, std::int64_t most) const {
    auto out = *this;
    out.min_count = fewest;
    out.max_count = most;
    return out;
  }
  constexpr Parameter not_empty() const {
    auto out = *this;
    out.min_count = 1;
    return out;
  }
  constexpr Parameter choices(ShortList<std::string_view> values) const {
    auto out = *this;
    out.choice = values;
    return out;
  }
  /// Of a list: the word for an empty one, in names and keys.
  constexpr Parameter empty_means(std::string_view word) const {
    auto out = *this;
    out.empty = word;
    return out;
  }
  /// The view that comes with each choice; "": none.
  constexpr Parameter choice_offers(ShortList<std::string_view> views) const {
    auto out = *this;
    out.choice_offer = views;
    return out;
  }
  /// Giving this parameter makes the plugin offer that view as well.
  constexpr Parameter offers(std::string_view view) const {
    auto out = *this;
    out.offered = view;
    return out;
  }
  /// It says how many concepts there will be. At most one of a plugin's parameters does.
  constexpr Parameter counts_concepts() const {
    auto out = *this;
    out.role = "concept_count";
    return out;
  }
  constexpr Parameter help(std::string_view words) const {
    auto out = *this;
    out.help_text = words;
    return out;
  }
};

namespace parameters_detail {

constexpr Parameter make(std::string_view name, ParameterType type) {
  Parameter out;
  out.name = name;
  out.type = type;
  return out;
}
template <typename T>
constexpr Parameter make(std::string_view name, ParameterType type, T Parameter::*member,
                         const T& standard) {
  Parameter out = make(name, type);
  out.required = false;
  out.*member = standard;
  return out;
}

}  // namespace parameters_detail

// One for each type; without a default the parameter is required.
constexpr Parameter integer(std::string_view name) {
  return parameters_detail::make(name, ParameterType::integer);
}
constexpr Parameter integer(std::string_view name, std::int64_t standard) {
  return parameters_detail::make(name, ParameterType::integer, &Parameter::integer, standard);
}
constexpr Parameter real(std::string_view name) {
  return parameters_detail::make(name, ParameterType::real);
}
constexpr Parameter real(std::string_view name, double standard) {
  return parameters_detail::make(name, ParameterType::real, &Parameter::real, standard);
}
constexpr Parameter boolean(std::string_view name, bool standard) {
  return parameters_detail::make(name, ParameterType::boolean, &Parameter::boolean, standard);
}
constexpr Parameter text(std::string_view name) {
  return parameters_detail::make(name, ParameterType::text);
}
constexpr Parameter text(std::string_view name, std::string_view standard) {
  return parameters_detail::make(name, ParameterType::text, &Parameter::text, standard);
}
constexpr Parameter file(std::string_view name) {
  return parameters_detail::make(name, ParameterType::file);
}
constexpr Parameter optional_file(std::string_view name) {
  return parameters_detail::make(name, ParameterType::file, &Parameter::text, {});
}
constexpr Parameter folder(std::string_view name) {
  return parameters_detail::make(name, ParameterType::folder);
}
constexpr Parameter optional_folder(std::string_view name) {
  return parameters_detail::make(name, ParameterType::folder, &Parameter::text, {});
}
constexpr Parameter integers(std::string_view name, const ShortList<std::int64_t>& standard) {
  return parameters_detail::make(name, ParameterType::integers, &Parameter::integers, standard);
}
constexpr Parameter reals(std::string_view name, const ShortList<double>& standard) {
  return parameters_detail::make(name, ParameterType::reals, &Parameter::reals, standard);
}
constexpr Parameter texts(std::string_view name, const ShortList<std::string_view>& standard) {
  return parameters_detail::make(name, ParameterType::texts, &Parameter::texts, standard);
}

template <std::size_t N>
using ParameterList = std::array<Parameter, N>;

namespace parameters_detail {

constexpr ParameterList<1> as_list(const Parameter& one) { return {one}; }
template <std::size_t N>
constexpr const ParameterList<N>& as_list(const ParameterList<N>& list) {
  return list;
}

template <std::size_t A, std::size_t B>
constexpr ParameterList<A + B> join(const ParameterList<A>& a, const ParameterList<B>& b) {
  ParameterList<A + B> out{};
  for (std::size_t i = 0; i < A; ++i) out[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) out[A + i] = b[i];
  return out;
}

/// Its place in the list; N: there is none of that name. (A place, because under -fsanitize g++ 12
/// compares no address of a constant at compile time.)
template <std::size_t N>
constexpr std::size_t find(const ParameterList<N>& list, std::string_view name) {
  std::size_t i = 0;
  while (i < N && list[i].name != name) ++i;
  return i;
}

template <std::size_t N, std::size_t M>
constexpr bool declares_all(const ParameterList<N>& longer, const ParameterList<M>& list) {
  for (std::size_t i = 0; i < M; ++i) {
    const std::size_t at = find(longer, list[i].name);
    if (at == N || longer[at].type != list[i].type) return false;
  }
  return true;
}

constexpr bool fits(const Parameter& p) {
  const auto in_range = [&p](double value) {
    return !(p.min && value < *p.min) && !(p.max && value > *p.max);
  };
  const auto chosen = [&p](std::string_view value) {
    for (const auto& one : p.choice)
      if (one == value) return true;
    return p.choice.count == 0;
  };
  if (p.required) return true;
  if (p.type == ParameterType::integer) return in_range(static_cast<double>(p.integer));
  if (p.type == ParameterType::real) return in_range(p.real);
  if (p.type == ParameterType::text) return chosen(p.text);
  for (const auto value : p.integers)
    if (!in_range(static_cast<double>(value))) return false;
  for (const auto value : p.reals)
    if (!in_range(value)) return false;
  for (const auto& value : p.texts)
    if (!chosen(value)) return false;
  const auto count = static_cast<std::int64_t>(p.integers.count + p.reals.count + p.texts.count);
  return !(p.min_count && count < *p.min_count) && !(p.max_count && count > *p.max_count);
}

/// TOML as it is written: first only counted, then kept.
class Writer {
 public:
  constexpr explicit Writer(char* out) : out_(out) {}
  constexpr std::size_t size() const { return size_; }

  constexpr void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  constexpr void add(char c) {
    if (out_ != nullptr) out_[size_] = c;
    ++size_;
  }
  constexpr void value(std::string_view text) {
    add('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') add('\\');
      if (c == '\n')
        add("\\n");
      else
        add(c);
    }
    add('"');
  }
  constexpr void value(bool yes) { add(yes ? "true" : "false"); }
  constexpr void value(std::int64_t number) {
    if (number < 0) add('-');
    decimal(
        number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number),
        0);
  }
  /// The fewest decimals that read back as the same number: where m < 2^53 and 10^p is exact, m / 10^p
  /// is rounded once, as a reader rounds it.
  constexpr void value(double number) {
    if (number < 0) add('-');
    const double size = number < 0 ? -number : number;
    double power = 1.0;
    for (int decimals = 0; decimals <= 22 && size * power < 9e15; ++decimals, power *= 10.0) {
      const auto whole = static_cast<std::uint64_t>(size * power + 0.5);
      if (static_cast<double>(whole) / power == size) return decimal(whole, decimals);
    }
    throw std::invalid_argument("a number that needs more than 15 digits or 22 decimals");
  }
  template <typename T>
  constexpr void value(const ShortList<T>& list) {
    add('[');
    for (std::size_t i = 0; i < list.count; ++i) {
      if (i > 0) add(", ");
      value(list.items[i]);
    }
    add(']');
  }
  template <typename T>
  constexpr void pair(std::string_view key, const T& of) {
    add(key);
    add(" = ");
    value(of);
    add('\n');
  }

 private:
  constexpr void decimal(std::uint64_t whole, int decimals) {
    char digits[24] = {};
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + whole % 10);
      whole /= 10;
    } while (whole != 0 || count <= decimals);
    while (count > 0) {
      add(digits[--count]);
      if (count == decimals && count > 0) add('.');
    }
  }

  char* out_;
  std::size_t size_ = 0;
};

constexpr void write(Writer& out, const Parameter& p) {
  out.add("\n[parameters.");
  out.add(p.name);
  out.add("]\n");
  out.pair("type", std::string_view(to_string(p.type)));
  if (!p.required) {
    if (p.type == ParameterType::integer) out.pair("default", p.integer);
    if (p.type == ParameterType::real) out.pair("default", p.real);
    if (p.type == ParameterType::boolean) out.pair("default", p.boolean);
    if (p.type == ParameterType::text || p.type == ParameterType::file ||
        p.type == ParameterType::folder)
      out.pair("default", p.text);
    if (p.type == ParameterType::integers) out.pair("default", p.integers);
    if (p.type == ParameterType::reals) out.pair("default", p.reals);
    if (p.type == ParameterType::texts) out.pair("default", p.texts);
  }
  if (p.min) out.pair("min", *p.min);
  if (p.max) out.pair("max", *p.max);
  if (p.min_count) out.pair("min_count", *p.min_count);
  if (p.max_count) out.pair("max_count", *p.max_count);
  if (p.choice.count > 0) out.pair("choices", p.choice);
  if (p.choice_offer.count > 0) out.pair("choice_offers", p.choice_offer);
  if (!p.empty.empty()) out.pair("empty", p.empty);
  if (!p.offered.empty()) out.pair("offers", p.offered);
  if (!p.role.empty()) out.pair("role", p.role);
  if (!p.help_text.empty()) out.pair("help", p.help_text);
}

template <std::size_t N>
constexpr std::size_t write_all(const ParameterList<N>& list, char* to) {
  Writer out(to);
  for (const Parameter& p : list) write(out, p);
  return out.size();
}

}  // namespace parameters_detail

constexpr ParameterList<0> parameters() { return {}; }
/// One list of single parameters and of lists, in this order. A name that occurs twice, and a
/// default that the parameter would refuse, do not compile.
template <typename First, typename... Rest>
constexpr auto parameters(const First& first, const Rest&... rest) {
  const auto& head = parameters_detail::as_list(first);
  const auto tail = parameters(rest...);
  for (const Parameter& p : head) {
    if (parameters_detail::find(tail, p.name) != tail.size())
      throw std::invalid_argument("a parameter is declared twice");
    if (!parameters_detail::fits(p))
      throw std::invalid_argument("a default is out of range, or none of the choices");
  }
  return parameters_detail::join(head, tail);
}

/// The metadata's tables of the parameters in List.
template <const auto& List>
consteval auto parameters_toml() {
  std::array<char, parameters_detail::write_all(List, nullptr)> out{};
  parameters_detail::write_all(List, out.data());
  return out;
}

/// The plugin's parameters: exactly those of its metadata, checked by the host, defaults filled in.
/// A name that the metadata do not have, or have with another type, throws std::logic_error; in a
/// plugin that declares its parameters in C++ take ParamsOf, which finds that at compile time.
class Params {
 public:
  explicit Params(const cono_params* raw) : raw_(raw) {}

  std::int64_t integer(std::string_view name) const { return at(name, CONO_PARAM_INTEGER).integer; }
  double real(std::string_view name) const { return at(name, CONO_PARAM_REAL).real; }
  bool boolean(std::string_view name) const { return at(name, CONO_PARAM_BOOLEAN).integer != 0; }
  std::string text(std::string_view name) const { return at(name, CONO_PARAM_TEXT).text; }
  /// An absolute path, of a file or a folder; empty when an optional one was not given.
  std::string file(std::string_view name) const { return at(name, CONO_PARAM_FILE).text; }
  std::vector<std::int64_t> integers(std::string_view name) const {
    const cono_param& p = at(name, CONO_PARAM_INTEGERS);
    return {p.integers, p.integers + p.count};
  }
  std::vector<double> reals(std::string_view name) const {
    const cono_param& p = at(name, CONO_PARAM_REALS);
    return {p.reals, p.reals + p.count};
  }
  std::vector<std::string> texts(std::string_view name) const {
    const cono_param& p = at(name, CONO_PARAM_TEXTS);
    return {p.texts, p.texts + p.count};
  }

 private:
  const cono_param& at(std::string_view name, std::int32_t type) const {
    for (std::uint32_t i = 0; i < raw_->count; ++i) {
      const auto& item = *reinterpret_cast<const cono_param*>(
          reinterpret_cast<const char*>(raw_->items) + std::size_t{i} * raw_->items->struct_size);
      if (name != item.name) continue;
      if (item.type != type)
        throw std::logic_error("parameter " + std::string(name) +
                               " is read as another type than its metadata says");
      return item;
    }
    throw std::logic_error("parameter " + std::string(name) + " is not in the plugin's metadata");
  }

  const cono_params* raw_;
};

/// The parameters that List declares, and no others.
template <const auto& List>
class ParamsOf {
 public:
  explicit ParamsOf(const cono_params* raw) : params_(raw) {}
  /// A longer list's parameters, where a shorter one is asked for.
  template <const auto& Longer>
  ParamsOf(const ParamsOf<Longer>& other) : params_(other.unchecked()) {  // NOLINT: implicit
    static_assert(parameters_detail::declares_all(Longer, List),
                  "the plugin does not declare every parameter that is read here");
  }

  /// A name in List of one of the types; anything else does not compile.
  template <ParameterType type, ParameterType or_type = type>
  struct Name {
    consteval Name(const char* name) : text(name) {  // NOLINT: implicit
      const std::size_t at = parameters_detail::find(List, text);
      if (at == List.size()) throw std::logic_error("the parameter is not declared");
      if (List[at].type != type && List[at].type != or_type)
        throw std::logic_error("the parameter is declared with another type");
    }
    std::string_view text;
  };
  using Type = ParameterType;

  std::int64_t integer(Name<Type::integer> name) const { return params_.integer(name.text); }
  double real(Name<Type::real> name) const { return params_.real(name.text); }
  bool boolean(Name<Type::boolean> name) const { return params_.boolean(name.text); }
  std::string text(Name<Type::text> name) const { return params_.text(name.text); }
  /// See Params::file().
  std::string file(Name<Type::file, Type::folder> name) const { return params_.file(name.text); }
  std::vector<std::int64_t> integers(Name<Type::integers> name) const {
    return params_.integers(name.text);
  }
  std::vector<double> reals(Name<Type::reals> name) const { return params_.reals(name.text); }
  std::vector<std::string> texts(Name<Type::texts> name) const { return params_.texts(name.text); }

  /// For names that are put together while it runs.
  const Params& unchecked() const { return params_; }

 private:
  Params params_;
};

}  // namespace conoscope::sdk
