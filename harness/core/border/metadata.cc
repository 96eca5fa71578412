#include "harness/core/border/metadata.h"

#include <toml++/toml.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <charconv>
#include <cmath>
#include <tuple>

#include "conoscope/sdk/abi.h"
#include "harness/core/artifacts/sample_arrays.h"
#include "harness/core/border/needs.h"
#include "harness/core/names.h"
#include "harness/core/toml_text.h"
#include "harness/core/toml_value.h"

namespace conoscope::core {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::kDataset:
      return "dataset";
    case Kind::kModel:
      return "model";
    case Kind::kExplainer:
      return "explainer";
    case Kind::kMetric:
      return "metric";
  }
  return "";
}

std::optional<Kind> kind_from(std::string_view name) {
  for (const Kind kind : {Kind::kDataset, Kind::kModel, Kind::kExplainer, Kind::kMetric})
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

const char* to_string(ParameterType type) {
  constexpr const char* kNames[] = {"integer", "real",     "boolean", "text", "file",
                                    "folder",  "integers", "reals",   "texts"};
  return kNames[static_cast<std::size_t>(type)];
}

namespace {

bool is_empty_list(const Value& value) {
  return std::visit(
      [](const auto& v) {
        if constexpr (std::is_class_v<std::decay_t<decltype(v)>>)
          return !std::is_same_v<std::decay_t<decltype(v)>, std::string> && v.empty();
        else
          return false;
      },
      value);
}

/// The text between commas, without the blanks around it.
std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  if (text.find_first_not_of(' ') == text.npos) return out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', at), end);
    std::size_t last = end;
    while (last > first && text[last - 1] == ' ') --last;
    out.push_back(text.substr(first, last - first));
    at = end + 1;
  }
  return out;
}

template <typename T>
std::optional<T> number_from(const std::string& text) {
  T out{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return out;
}

/// What a list with commas between says, if its elements are what the parameter takes.
std::optional<Value> list_from(const std::string& text, ParameterType type) {
  std::vector<Value> items;
  for (const std::string& word : split_at_commas(text)) {
    if (type == ParameterType::kTexts)
      items.emplace_back(word);
    else if (const auto whole = number_from<std::int64_t>(word))
      items.emplace_back(*whole);
    else if (const auto real = number_from<double>(word); real && type == ParameterType::kReals)
      items.emplace_back(*real);
    else
      return std::nullopt;
  }
  return list_of(items);
}

}  // namespace

Value Parameter::check(const Value& value) const {
  const auto wrong_type = [&](const std::string& expected) -> Value {
    throw std::invalid_argument(name + " = " + to_text(value) + ": expected " + expected);
  };
  // "expected a list of whole numbers, as hidden = [64, 64]": what was meant, else the default.
  const auto no_list = [&](const char* of) {
    std::optional<Value> example = standard;
    if (const auto* text = std::get_if<std::string>(&value))
      if (const auto meant = list_from(*text, type)) example = meant;
    if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value))
      if (type != ParameterType::kTexts) example = list_of({value});
    return wrong_type(std::string("a list of ") + of +
                      (example ? ", as " + name + " = " + to_text(*example) : ""));
  };
  const bool empty_list = is_empty_list(value);
  Value out = value;
  std::vector<double> numbers;     // in range?
  std::vector<std::string> texts;  // choices?
  switch (type) {
    case ParameterType::kInteger:
      if (!std::holds_alternative<std::int64_t>(value)) return wrong_type("a whole number");
      numbers.push_back(static_cast<double>(std::get<std::int64_t>(value)));
      break;
    case ParameterType::kReal:
      if (const auto* whole = std::get_if<std::int64_t>(&value))
        out = static_cast<double>(*whole);
      else if (!std::holds_alternative<double>(value))
        return wrong_type("a number");
      numbers.push_back(std::get<double>(out));
      if (!std::isfinite(numbers[0])) return wrong_type("a finite number");
      break;
    case ParameterType::kBoolean:
      if (!std::holds_alternative<bool>(value)) return wrong_type("true or false");
      break;
    case ParameterType::kText:
    case ParameterType::kFile:
    case ParameterType::kFolder:
      if (!std::holds_alternative<std::string>(value))
        return wrong_type(type == ParameterType::kFile     ? "a file name in quotes"
                          : type == ParameterType::kFolder ? "the name of a folder in quotes"
                                                           : "a text in quotes");
      texts.push_back(std::get<std::string>(value));
      break;
    case ParameterType::kIntegers:
      if (empty_list) out = std::vector<std::int64_t>();
      if (!std::holds_alternative<std::vector<std::int64_t>>(out)) return no_list("whole numbers");
      for (const auto v : std::get<std::vector<std::int64_t>>(out))
        numbers.push_back(static_cast<double>(v));
      break;
    case ParameterType::kReals:
      if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value))
        out = std::vector<double>(whole->begin(), whole->end());
      if (empty_list) out = std::vector<double>();
      if (!std::holds_alternative<std::vector<double>>(out)) return no_list("numbers");
      numbers = std::get<std::vector<double>>(out);
      for (const double v : numbers)
        if (!std::isfinite(v)) return wrong_type("finite numbers");
      break;
    case ParameterType::kTexts:
      if (empty_list) out = std::vector<std::string>();
      if (!std::holds_alternative<std::vector<std::string>>(out)) return no_list("texts");
      texts = std::get<std::vector<std::string>>(out);
      break;
  }
  for (const double number : numbers)
    if ((min && number < *min) || (max && number > *max))
      return wrong_type((is_list() ? std::string("of each number ") : std::string()) +
                        (min && max ? "a number from " + to_text(*min) + " to " + to_text(*max)
                         : min      ? "at least " + to_text(*min)
                                    : "at most " + to_text(*max)));
  if (!choices.empty())
    for (const auto& text : texts)
      if (std::find(choices.begin(), choices.end(), text) == choices.end())
        return wrong_type("one of " + boost::algorithm::join(choices, ", "));
  const auto count = static_cast<std::int64_t>(numbers.size() + texts.size());
  if (is_list() && ((min_count && count < *min_count) || (max_count && count > *max_count)))
    return wrong_type(min_count && max_count && *min_count == *max_count
                          ? std::to_string(*min_count) + " elements"
                      : min_count && count < *min_count
                          ? "at least " + std::to_string(*min_count) + " elements"
                          : "at most " + std::to_string(*max_count) + " elements");
  return out;
}

Value Parameter::parse(const std::string& text) const {
  if (is_list()) return check(list_from(text, type).value_or(Value(text)));
  if (type == ParameterType::kInteger)
    if (const auto number = number_from<std::int64_t>(text)) return check(*number);
  if (type == ParameterType::kReal)
    if (const auto number = number_from<double>(text)) return check(*number);
  if (type == ParameterType::kBoolean && (text == "true" || text == "false"))
    return check(text == "true");
  return check(text);  // where it is not what was expected, this says so
}

std::string Parameter::plain(const Value& value) const {
  const auto joined = [this](const auto& list, auto&& text) {
    std::string out;
    for (const auto& item : list) out += (out.empty() ? "" : ",") + text(item);
    return list.empty() ? empty : out;
  };
  if (const auto* v = std::get_if<std::string>(&value)) return *v;
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value))
    return joined(*v, [](std::int64_t n) { return to_text(n); });
  if (const auto* v = std::get_if<std::vector<double>>(&value))
    return joined(*v, [](double n) { return to_text(n); });
  if (const auto* v = std::get_if<std::vector<std::string>>(&value))
    return joined(*v, [](const std::string& element) {
      std::string out;  // with a backslash where commas could not tell two lists apart
      for (const char c : element) {
        if (c == ',' || c == '\\') out += '\\';
        out += c;
      }
      return out.empty() ? std::string("\\") : out;
    });
  return to_text(value);
}

std::string Parameter::canonical(const Value& value) const {
  return is_list() ? to_text(plain(value)) : to_text(value);
}

bool Metadata::fits_border() const {
  return abi_major == CONO_ABI_MAJOR && abi_minor <= CONO_ABI_MINOR;
}

const Parameter* Metadata::concept_count() const {
  for (const auto& candidate : parameters)
    if (candidate.role == "concept_count") return &candidate;
  return nullptr;
}

bool Metadata::may_access(std::string_view what) const {
  return std::find(access.begin(), access.end(), what) != access.end();
}

const Parameter* Metadata::parameter(std::string_view wanted) const {
  for (const auto& candidate : parameters)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

namespace {

/// A place in the metadata, as a message begins with it: of a library "file: metadata.parameters.k",
/// of a source file, which has lines to open, "file:7: parameters.k".
struct Where {
  std::string file, path;
  MetadataFrom from;

  std::string at(std::uint32_t line) const {
    if (from == MetadataFrom::kNote) return file + ": metadata" + (path.empty() ? "" : "." + path);
    return file + (line > 0 ? ":" + std::to_string(line) : "") + (path.empty() ? "" : ": " + path);
  }
  std::string at(const toml::node& node) const { return at(node.source().begin.line); }
  Where below(const std::string& key) const {
    return {file, path.empty() ? key : path + "." + key, from};
  }
};

/// Reads the keys of one table and complains about those that nobody asked for.
class Reader {
 public:
  Reader(const toml::table& table, Where where) : table_(table), where_(std::move(where)) {}

  template <typename T>
  std::optional<T> find(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (auto value = node->value<T>()) return value;
    throw PluginRefused(where_.at(*node) + ": " + key + " has the wrong type");
  }

  template <typename T>
  T get(const char* key) {
    if (auto value = find<T>(key)) return *value;
    // The root begins where nothing is written.
    throw PluginRefused((where_.path.empty() ? where_.at(0) : where_.at(table_)) + ": " + key +
                        " is missing");
  }

  std::vector<std::string> list(const char* key) {
    known_.push_back(key);
    std::vector<std::string> out;
    const auto* node = table_.get(key);
    if (node == nullptr) return out;
    if (const auto* array = node->as_array())
      for (const auto& item : *array)
        if (const auto text = item.value<std::string>())
          out.push_back(*text);
        else
          throw PluginRefused(where_.at(*node) + ": " + key + " must be a list of texts");
    else
      throw PluginRefused(where_.at(*node) + ": " + key + " must be a list of texts");
    return out;
  }

  const toml::table* table(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node != nullptr && !node->is_table())
      throw PluginRefused(where_.at(*node) + ": " + key + " must be a table");
    return node == nullptr ? nullptr : node->as_table();
  }

  std::optional<Value> value(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (auto value = value_of(*node)) return value;
    throw PluginRefused(where_.at(*node) + ": " + key +
                        " must be a number, a text, true or false, or a list of numbers or texts");
  }

  void finish() const {
    for (const auto& [key, node] : table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end())
        throw PluginRefused(where_.at(key.source().begin.line) + ": unknown key " +
                            std::string(key.str()));
  }

 private:
  const toml::table& table_;
  Where where_;
  std::vector<std::string> known_;
};

/// What plugins may need and offer, in these words.
const std::vector<std::string> kViews = {"head_view", "concept_view", "latent_view", "explanation",
                                         "inputs",    "labels",       "targets",     "concepts",
                                         "factors",   "segments",     "forward",     "head"};

/// A misspelt view would not be refused later: nothing offers it, and every combination is skipped.
void check_view(std::string_view view, const std::string& place, const std::string& key) {
  if (!contains(kViews, view))
    throw PluginRefused(place + ": " + key + ": there is no view \"" + std::string(view) + "\"" +
                        did_you_mean(view, kViews));
}

/// What is offered and never handed over would be needed in vain.
void check_need(std::string_view need, Kind kind, const std::string& place) {
  check_view(need, place, "needs");
  if (kind == Kind::kMetric && (need == "forward" || need == "head"))
    throw PluginRefused(place + ": needs: a metric plugin cannot call the model (" +
                        std::string(need) + ")");
}

/// Names of parameters and scores stand in keys, on boards and in the store.
void check_plain(const std::string& name, std::uint32_t line, const Where& where) {
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          name.npos)
    throw PluginRefused(where.below(name).at(line) +
                        ": a name may hold only letters, digits, _ and -");
}

/// toml++ walks tables by name; a person wrote them in an order.
std::vector<std::pair<std::string, const toml::table*>> in_file_order(const toml::table& table,
                                                                      const Where& where) {
  std::vector<std::pair<std::string, const toml::table*>> out;
  // The place of the name, not of the table: several may stand in one line, and a table that only
  // dotted names make has no place of its own.
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::size_t>> places;
  std::vector<std::pair<std::string, const toml::table*>> found;
  for (const auto& [key, node] : table) {
    check_plain(std::string(key.str()), key.source().begin.line, where);
    if (!node.is_table())
      throw PluginRefused(where.below(std::string(key.str())).at(node) + " must be a table");
    places.emplace_back(key.source().begin.line, key.source().begin.column, found.size());
    found.emplace_back(key.str(), node.as_table());
  }
  std::sort(places.begin(), places.end());
  for (const auto& [line, column, i] : places) out.push_back(found[i]);
  return out;
}

Parameter read_parameter(const std::string& name, const toml::table& table, const Where& place) {
  Reader reader(table, place);
  const std::string where = place.at(table);
  Parameter out;
  out.name = name;
  const auto type = reader.get<std::string>("type");
  bool known = false;
  for (int i = 0; i <= static_cast<int>(ParameterType::kTexts); ++i)
    if (type == to_string(static_cast<ParameterType>(i)))
      out.type = static_cast<ParameterType>(i), known = true;
  if (!known)
    throw PluginRefused(where + ": type = \"" + type +
                        "\" is not integer, real, boolean, text, file, folder, integers, reals or "
                        "texts");
  out.min = reader.find<double>("min");
  out.max = reader.find<double>("max");
  out.min_count = reader.find<std::int64_t>("min_count");
  out.max_count = reader.find<std::int64_t>("max_count");
  out.empty = reader.find<std::string>("empty").value_or("");
  out.role = reader.find<std::string>("role").value_or("");
  out.choices = reader.list("choices");
  out.help = reader.find<std::string>("help").value_or("");
  out.offers = reader.find<std::string>("offers").value_or("");
  out.choice_offers = reader.list("choice_offers");
  if (!out.offers.empty() && out.offers != "annotations") check_view(out.offers, where, "offers");
  for (const auto& view : out.choice_offers)
    if (!view.empty() && view != "annotations") check_view(view, where, "choice_offers");
  const auto standard = reader.value("default");
  reader.finish();
  const bool number = out.type == ParameterType::kInteger || out.type == ParameterType::kReal ||
                      out.type == ParameterType::kIntegers || out.type == ParameterType::kReals;
  const bool text = out.type == ParameterType::kText || out.type == ParameterType::kTexts;
  if ((out.min || out.max) && !number) throw PluginRefused(where + ": min and max are for numbers");
  if (out.min && out.max && *out.min > *out.max) throw PluginRefused(where + ": min is above max");
  if (!out.choices.empty() && !text) throw PluginRefused(where + ": choices are for texts");
  if ((out.min_count || out.max_count || !out.empty.empty()) && !out.is_list())
    throw PluginRefused(where + ": min_count, max_count and empty are for lists");
  if (!out.role.empty() && (out.role != "concept_count" || out.type != ParameterType::kInteger))
    throw PluginRefused(where + ": role = \"" + out.role +
                        "\": expected \"concept_count\", of an integer");
  if (!out.choice_offers.empty() && out.is_list())
    throw PluginRefused(where + ": choice_offers are for one text");
  if (!out.choice_offers.empty() && out.choice_offers.size() != out.choices.size())
    throw PluginRefused(where + ": choice_offers needs one view for each of choices");
  if (standard) try {
      out.standard = out.check(*standard);
    } catch (const std::invalid_argument& e) {
      throw PluginRefused(where + ": the default does not fit: " + e.what());
    }
  // What it may read is for those to say who run it.
  if (out.is_path() && out.standard && *out.standard != Value(std::string()))
    throw PluginRefused(where + ": a " + to_string(out.type) + " has no default but \"\"");
  return out;
}

}  // namespace

Metadata parse_metadata(std::string_view text, const std::string& file, MetadataFrom from) {
  const Where root_place{file, "", from};
  const std::string where = root_place.at(0);
  if (text.size() > kMostTomlBytes) throw PluginRefused(where + ": more than 1 MiB");
  if (const std::size_t line = line_of_deep_key(text); line > 0)
    throw PluginRefused(where + ":" + std::to_string(line) + ": a key of more than " +
                        std::to_string(kMostKeyParts) + " parts");
  toml::table root;
  try {
    root = toml::parse(text, std::string_view("metadata"));
  } catch (const toml::parse_error& e) {
    throw PluginRefused(where + ":" + std::to_string(e.source().begin.line) + ": " +
                        std::string(e.description()));
  }
  Reader reader(root, root_place);
  const auto place_of = [&](const char* key) { return root_place.at(*root.get(key)); };
  Metadata out;
  const auto abi = reader.get<std::string>("abi");
  const std::size_t dot = abi.find('.');
  const auto number = [&abi](std::size_t begin, std::size_t end, int& value) {
    const auto [stop, error] = std::from_chars(abi.data() + begin, abi.data() + end, value);
    return error == std::errc() && stop == abi.data() + end && value >= 0;
  };
  if (dot == abi.npos || !number(0, dot, out.abi_major) ||
      !number(dot + 1, abi.size(), out.abi_minor))
    throw PluginRefused(place_of("abi") + ": abi = \"" + abi + "\" is not MAJOR.MINOR");
  const auto kind = reader.get<std::string>("kind");
  if (const auto known = kind_from(kind))
    out.kind = *known;
  else
    throw PluginRefused(place_of("kind") + ": kind = \"" + kind +
                        "\" is not dataset, model, explainer or metric");
  out.id = reader.get<std::string>("id");
  if (out.id.empty() ||
      out.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != out.id.npos)
    throw PluginRefused(place_of("id") + ": id = \"" + out.id +
                        "\" may hold only lower-case letters, digits and _");
  out.version = reader.get<std::string>("version");
  if (out.version.empty()) throw PluginRefused(place_of("version") + ": version is empty");
  if (!out.fits_border()) return out;
  out.summary = reader.find<std::string>("summary").value_or("");
  out.licence = reader.find<std::string>("licence").value_or("");
  out.citation = reader.find<std::string>("citation").value_or("");
  out.needs = reader.list("needs");
  for (const auto& need : out.needs)
    for (const auto view : alternatives(need)) check_need(view, out.kind, place_of("needs"));
  out.offers = reader.list("offers");
  for (const auto& view : out.offers) {
    if (view != "redrawn_head") check_view(view, place_of("offers"), "offers");
    if (out.kind == Kind::kModel &&
        std::ranges::find(kAnnotationArrays, view) != kAnnotationArrays.end())
      throw PluginRefused(place_of("offers") + ": offers: " + view + " is the dataset's to give");
  }
  out.access = reader.list("access");
  for (const auto& what : out.access)
    if (what != "network" && what != "processes")
      throw PluginRefused(place_of("access") + ": access = \"" + what +
                          "\" is not network or processes");
  out.seeded = reader.find<bool>("seeded").value_or(true);
  if (const auto* parameters = reader.table("parameters"))
    for (const auto& [name, table] : in_file_order(*parameters, root_place.below("parameters")))
      out.parameters.push_back(
          read_parameter(name, *table, root_place.below("parameters").below(name)));
  for (const std::string& name : reader.list("added")) {
    const auto found = std::find_if(out.parameters.begin(), out.parameters.end(),
                                    [&name](const Parameter& p) { return p.name == name; });
    if (found == out.parameters.end() || !found->standard)
      throw PluginRefused(place_of("added") + ": added = \"" + name +
                          "\" is no parameter with a default");
    found->added = true;
  }
  if (std::count_if(out.parameters.begin(), out.parameters.end(),
                    [](const Parameter& p) { return p.role == "concept_count"; }) > 1)
    throw PluginRefused(where + ": two parameters have role = \"concept_count\"");
  if (const auto* scores = reader.table("scores"))
    for (const auto& [name, table] : in_file_order(*scores, root_place.below("scores"))) {
      const Where place = root_place.below("scores").below(name);
      Reader score(*table, place);
      ScoreSpec spec;
      spec.name = name;
      spec.direction = score.get<std::string>("direction");
      if (spec.direction != "higher" && spec.direction != "lower" && spec.direction != "none")
        throw PluginRefused(place.at(*table->get("direction")) + ": direction = \"" +
                            spec.direction + "\" is not higher, lower or none");
      spec.low = score.find<double>("low");
      spec.high = score.find<double>("high");
      spec.unit = score.find<std::string>("unit").value_or("");
      spec.question = score.find<std::string>("question").value_or("");
      score.finish();
      out.scores.push_back(std::move(spec));
    }
  reader.finish();
  if (out.kind == Kind::kMetric && out.scores.empty())
    throw PluginRefused(where + ": a metric must declare its scores, as [scores." + out.id + "]");
  if (out.kind != Kind::kMetric && !out.scores.empty())
    throw PluginRefused(where + ": only a metric has scores");
  return out;
}

}  // namespace conoscope::core
