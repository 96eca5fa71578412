#include "harness/core/border/metadata.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

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
  switch (type) {
    case ParameterType::kInteger:
      return "integer";
    case ParameterType::kReal:
      return "real";
    case ParameterType::kBoolean:
      return "boolean";
    case ParameterType::kText:
      return "text";
    case ParameterType::kFile:
      return "file";
    case ParameterType::kFolder:
      return "folder";
  }
  return "";
}

Value Parameter::check(const Value& value) const {
  const auto wrong_type = [&](const char* expected) -> Value {
    throw std::invalid_argument(name + " = " + to_text(value) + ": expected " + expected);
  };
  Value out = value;
  switch (type) {
    case ParameterType::kInteger:
      if (!std::holds_alternative<std::int64_t>(value)) return wrong_type("a whole number");
      break;
    case ParameterType::kReal:
      if (const auto* whole = std::get_if<std::int64_t>(&value))
        out = static_cast<double>(*whole);
      else if (!std::holds_alternative<double>(value))
        return wrong_type("a number");
      if (!std::isfinite(std::get<double>(out))) return wrong_type("a finite number");
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
      break;
  }
  if (min || max) {
    const double number = std::holds_alternative<double>(out)
                              ? std::get<double>(out)
                              : static_cast<double>(std::get<std::int64_t>(out));
    if ((min && number < *min) || (max && number > *max))
      throw std::invalid_argument(name + " = " + to_text(value) + ": expected " +
                                  (min && max
                                       ? "a number from " + to_text(*min) + " to " + to_text(*max)
                                   : min ? "at least " + to_text(*min)
                                         : "at most " + to_text(*max)));
  }
  if (!choices.empty() &&
      std::find(choices.begin(), choices.end(), std::get<std::string>(out)) == choices.end()) {
    std::string list;
    for (const auto& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    throw std::invalid_argument(name + " = " + to_text(value) + ": expected one of " + list);
  }
  return out;
}

Value Parameter::parse(const std::string& text) const {
  const char* const end = text.data() + text.size();
  const auto number = [&](auto value) -> Value {
    if (std::from_chars(text.data(), end, value).ptr != end || text.empty())
      return check(Value(text));  // says what was expected
    return check(Value(value));
  };
  switch (type) {
    case ParameterType::kInteger:
      return number(std::int64_t{0});
    case ParameterType::kReal:
      return number(0.0);
    case ParameterType::kBoolean:
      if (text == "true") return check(Value(true));
      if (text == "false") return check(Value(false));
      break;
    case ParameterType::kText:
    case ParameterType::kFile:
    case ParameterType::kFolder:
      break;
  }
  return check(Value(text));
}

const Parameter* Metadata::parameter(std::string_view wanted) const {
  for (const auto& candidate : parameters)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

namespace {

/// Reads the keys of one table and complains about those that nobody asked for.
class Reader {
 public:
  Reader(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  template <typename T>
  std::optional<T> find(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (auto value = node->value<T>()) return value;
    throw PluginRefused(where_ + ": " + key + " has the wrong type");
  }

  template <typename T>
  T get(const char* key) {
    if (auto value = find<T>(key)) return *value;
    throw PluginRefused(where_ + ": " + key + " is missing");
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
          throw PluginRefused(where_ + ": " + key + " must be a list of texts");
    else
      throw PluginRefused(where_ + ": " + key + " must be a list of texts");
    return out;
  }

  const toml::table* table(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node != nullptr && !node->is_table())
      throw PluginRefused(where_ + ": " + key + " must be a table");
    return node == nullptr ? nullptr : node->as_table();
  }

  std::optional<Value> value(const char* key) {
    known_.push_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto* v = node->as_integer()) return Value(v->get());
    if (const auto* v = node->as_floating_point()) return Value(v->get());
    if (const auto* v = node->as_boolean()) return Value(v->get());
    if (const auto* v = node->as_string()) return Value(v->get());
    throw PluginRefused(where_ + ": " + key + " must be a number, a text, true or false");
  }

  void finish() const {
    for (const auto& [key, node] : table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end())
        throw PluginRefused(where_ + ": unknown key " + std::string(key.str()));
  }

 private:
  const toml::table& table_;
  std::string where_;
  std::vector<std::string> known_;
};

/// Names of parameters and scores stand in keys, on boards and in the store.
void check_plain(const std::string& name, const std::string& where) {
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          name.npos)
    throw PluginRefused(where + "." + name + ": a name may hold only letters, digits, _ and -");
}

/// toml++ walks tables by name; a person wrote them in an order.
std::vector<std::pair<std::string, const toml::table*>> in_file_order(const toml::table& table,
                                                                      const std::string& where) {
  std::vector<std::pair<std::string, const toml::table*>> out;
  // The place of the name, not of the table: several may stand in one line, and a table that only
  // dotted names make has no place of its own.
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::size_t>> places;
  std::vector<std::pair<std::string, const toml::table*>> found;
  for (const auto& [key, node] : table) {
    check_plain(std::string(key.str()), where);
    if (!node.is_table())
      throw PluginRefused(where + "." + std::string(key.str()) + " must be a table");
    places.emplace_back(key.source().begin.line, key.source().begin.column, found.size());
    found.emplace_back(key.str(), node.as_table());
  }
  std::sort(places.begin(), places.end());
  for (const auto& [line, column, i] : places) out.push_back(found[i]);
  return out;
}

Parameter read_parameter(const std::string& name, const toml::table& table,
                         const std::string& where) {
  Reader reader(table, where);
  Parameter out;
  out.name = name;
  const auto type = reader.get<std::string>("type");
  bool known = false;
  for (const auto candidate :
       {ParameterType::kInteger, ParameterType::kReal, ParameterType::kBoolean,
        ParameterType::kText, ParameterType::kFile, ParameterType::kFolder})
    if (type == to_string(candidate)) out.type = candidate, known = true;
  if (!known)
    throw PluginRefused(where + ": type = \"" + type +
                        "\" is not integer, real, boolean, text, file or folder");
  out.min = reader.find<double>("min");
  out.max = reader.find<double>("max");
  out.choices = reader.list("choices");
  out.help = reader.find<std::string>("help").value_or("");
  out.offers = reader.find<std::string>("offers").value_or("");
  out.choice_offers = reader.list("choice_offers");
  const auto standard = reader.value("default");
  reader.finish();
  const bool number = out.type == ParameterType::kInteger || out.type == ParameterType::kReal;
  if ((out.min || out.max) && !number) throw PluginRefused(where + ": min and max are for numbers");
  if (out.min && out.max && *out.min > *out.max) throw PluginRefused(where + ": min is above max");
  if (!out.choices.empty() && out.type != ParameterType::kText)
    throw PluginRefused(where + ": choices are for texts");
  if (!out.choice_offers.empty() && out.choice_offers.size() != out.choices.size())
    throw PluginRefused(where + ": choice_offers needs one view for each of choices");
  if (standard) try {
      out.standard = out.check(*standard);
    } catch (const std::invalid_argument& e) {
      throw PluginRefused(where + ": the default does not fit: " + e.what());
    }
  return out;
}

}  // namespace

Metadata parse_metadata(std::string_view text, const std::string& file) {
  const std::string where = file + ": metadata";
  toml::table root;
  try {
    root = toml::parse(text, std::string_view("metadata"));
  } catch (const toml::parse_error& e) {
    throw PluginRefused(where + ":" + std::to_string(e.source().begin.line) + ": " +
                        std::string(e.description()));
  }
  Reader reader(root, where);
  Metadata out;
  const auto abi = reader.get<std::string>("abi");
  const std::size_t dot = abi.find('.');
  const auto number = [&abi](std::size_t begin, std::size_t end, int& value) {
    const auto [stop, error] = std::from_chars(abi.data() + begin, abi.data() + end, value);
    return error == std::errc() && stop == abi.data() + end && value >= 0;
  };
  if (dot == abi.npos || !number(0, dot, out.abi_major) ||
      !number(dot + 1, abi.size(), out.abi_minor))
    throw PluginRefused(where + ": abi = \"" + abi + "\" is not MAJOR.MINOR");
  const auto kind = reader.get<std::string>("kind");
  if (const auto known = kind_from(kind))
    out.kind = *known;
  else
    throw PluginRefused(where + ": kind = \"" + kind +
                        "\" is not dataset, model, explainer or metric");
  out.id = reader.get<std::string>("id");
  if (out.id.empty() ||
      out.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != out.id.npos)
    throw PluginRefused(where + ": id = \"" + out.id +
                        "\" may hold only lower-case letters, digits and _");
  out.version = reader.get<std::string>("version");
  if (out.version.empty()) throw PluginRefused(where + ": version is empty");
  out.summary = reader.find<std::string>("summary").value_or("");
  out.licence = reader.find<std::string>("licence").value_or("");
  out.citation = reader.find<std::string>("citation").value_or("");
  out.needs = reader.list("needs");
  out.offers = reader.list("offers");
  out.seeded = reader.find<bool>("seeded").value_or(true);
  if (const auto* parameters = reader.table("parameters"))
    for (const auto& [name, table] : in_file_order(*parameters, where + ".parameters"))
      out.parameters.push_back(read_parameter(name, *table, where + ".parameters." + name));
  if (const auto* scores = reader.table("scores"))
    for (const auto& [name, table] : in_file_order(*scores, where + ".scores")) {
      Reader score(*table, where + ".scores." + name);
      ScoreSpec spec;
      spec.name = name;
      spec.direction = score.get<std::string>("direction");
      if (spec.direction != "higher" && spec.direction != "lower" && spec.direction != "none")
        throw PluginRefused(where + ".scores." + name + ": direction = \"" + spec.direction +
                            "\" is not higher, lower or none");
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
