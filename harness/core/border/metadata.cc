// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/metadata.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "conoscope/sdk/abi.h"
#include "harness/core/artifacts/view_arrays.h"
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

  /// Where the value of a key that was found is written.
  std::string at(const char* key) const { return where_.at(*table_.get(key)); }

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

/// A misspelt view would not be refused later: nothing offers it, and every combination is skipped.
void check_view(std::string_view view, const std::string& place, const std::string& key) {
  if (!contains(view_names(), view))
    throw PluginRefused(place + ": " + key + ": there is no view \"" + std::string(view) + "\"" +
                        did_you_mean(view, view_names()));
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

/// What a declaration says beyond its type has to be about that type.
void check_fits_type(const Parameter& parameter, const std::string& where) {
  const bool number =
      parameter.type == ParameterType::integer || parameter.type == ParameterType::real ||
      parameter.type == ParameterType::integers || parameter.type == ParameterType::reals;
  const bool text = parameter.type == ParameterType::text || parameter.type == ParameterType::texts;
  if ((parameter.min || parameter.max) && !number)
    throw PluginRefused(where + ": min and max are for numbers");
  if (parameter.min && parameter.max && *parameter.min > *parameter.max)
    throw PluginRefused(where + ": min is above max");
  if (!parameter.choices.empty() && !text) throw PluginRefused(where + ": choices are for texts");
  if ((parameter.min_count || parameter.max_count || !parameter.empty.empty()) &&
      !parameter.is_list())
    throw PluginRefused(where + ": min_count, max_count and empty are for lists");
  if (!parameter.role.empty() &&
      (parameter.role != "concept_count" || parameter.type != ParameterType::integer))
    throw PluginRefused(where + ": role = \"" + parameter.role +
                        "\": expected \"concept_count\", of an integer");
  if (!parameter.choice_offers.empty() && parameter.is_list())
    throw PluginRefused(where + ": choice_offers are for one text");
  if (!parameter.choice_offers.empty() &&
      parameter.choice_offers.size() != parameter.choices.size())
    throw PluginRefused(where + ": choice_offers needs one view for each of choices");
}

Parameter read_parameter(const std::string& name, const toml::table& table, const Where& place) {
  Reader reader(table, place);
  const std::string where = place.at(table);
  Parameter out;
  out.name = name;
  const auto type = reader.get<std::string>("type");
  bool known = false;
  for (int i = 0; i <= static_cast<int>(ParameterType::texts); ++i)
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
  check_fits_type(out, where);
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

ScoreSpec read_score(const std::string& name, const toml::table& table, const Where& place) {
  Reader reader(table, place);
  ScoreSpec out;
  out.name = name;
  out.direction = reader.get<std::string>("direction");
  if (out.direction != "higher" && out.direction != "lower" && out.direction != "none")
    throw PluginRefused(reader.at("direction") + ": direction = \"" + out.direction +
                        "\" is not higher, lower or none");
  out.low = reader.find<double>("low");
  out.high = reader.find<double>("high");
  out.unit = reader.find<std::string>("unit").value_or("");
  out.question = reader.find<std::string>("question").value_or("");
  reader.finish();
  return out;
}

/// What the metadata of every border says: abi, kind, id and version.
void read_identity(Reader& reader, Metadata& out) {
  const auto abi = reader.get<std::string>("abi");
  const std::size_t dot = abi.find('.');
  const auto number = [&abi](std::size_t begin, std::size_t end, int& value) {
    const auto [stop, error] = std::from_chars(abi.data() + begin, abi.data() + end, value);
    return error == std::errc() && stop == abi.data() + end && value >= 0;
  };
  if (dot == abi.npos || !number(0, dot, out.abi_major) ||
      !number(dot + 1, abi.size(), out.abi_minor))
    throw PluginRefused(reader.at("abi") + ": abi = \"" + abi + "\" is not MAJOR.MINOR");
  const auto kind = reader.get<std::string>("kind");
  if (const auto known = kind_from(kind))
    out.kind = *known;
  else
    throw PluginRefused(reader.at("kind") + ": kind = \"" + kind +
                        "\" is not dataset, model, explainer or metric");
  out.id = reader.get<std::string>("id");
  if (out.id.empty() ||
      out.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != out.id.npos)
    throw PluginRefused(reader.at("id") + ": id = \"" + out.id +
                        "\" may hold only lower-case letters, digits and _");
  out.version = reader.get<std::string>("version");
  if (out.version.empty()) throw PluginRefused(reader.at("version") + ": version is empty");
}

/// What it needs, offers and must be able to do.
void read_abilities(Reader& reader, Metadata& out) {
  out.needs = reader.list("needs");
  for (const auto& need : out.needs)
    for (const auto view : alternatives(need)) check_need(view, out.kind, reader.at("needs"));
  out.offers = reader.list("offers");
  for (const auto& view : out.offers) {
    const bool dictionary = view == "dictionary" && out.kind == Kind::kExplainer;
    if (view != "redrawn_head" && !dictionary) check_view(view, reader.at("offers"), "offers");
    if (out.kind == Kind::kModel && is_by_sample(view, Bringer::kDataset))
      throw PluginRefused(reader.at("offers") + ": offers: " + view + " is the dataset's to give");
  }
  out.passes_on = reader.list("passes_on");
  for (const auto& name : out.passes_on) {
    const ViewArray* const array = view_array(name);
    if (out.kind != Kind::kModel || array == nullptr || array->bringer != Bringer::kModel)
      throw PluginRefused(reader.at("passes_on") + ": passes_on: " + name +
                          " is no array that a model brings");
  }
  out.access = reader.list("access");
  for (const auto& what : out.access)
    if (what != "network" && what != "processes")
      throw PluginRefused(reader.at("access") + ": access = \"" + what +
                          "\" is not network or processes");
  out.seeded = reader.find<bool>("seeded").value_or(true);
}

void read_parameters(Reader& reader, const Where& place, Metadata& out) {
  if (const auto* parameters = reader.table("parameters"))
    for (const auto& [name, table] : in_file_order(*parameters, place))
      out.parameters.push_back(read_parameter(name, *table, place.below(name)));
  for (const std::string& name : reader.list("added")) {
    const auto found = std::ranges::find(out.parameters, name, &Parameter::name);
    if (found == out.parameters.end() || !found->standard)
      throw PluginRefused(reader.at("added") + ": added = \"" + name +
                          "\" is no parameter with a default");
    found->added = true;
  }
  if (const auto* readouts = reader.table("readouts"))
    for (const auto& [key, value] : *readouts) {
      const std::string name(key.str()), where = value.value_or(std::string());
      const auto readout = std::ranges::find(out.parameters, name, &Parameter::name);
      const auto other = std::ranges::find(out.parameters, where, &Parameter::name);
      if (out.kind != Kind::kModel || readout == out.parameters.end() ||
          other == out.parameters.end() || !other->standard || other == readout)
        throw PluginRefused(reader.at("readouts") + ": readouts: " + name + " = \"" + where +
                            "\" is no parameter of a model and another one with a default");
      readout->readout_where = where;
    }
}

void read_scores(Reader& reader, const Where& place, Metadata& out) {
  if (const auto* scores = reader.table("scores"))
    for (const auto& [name, table] : in_file_order(*scores, place))
      out.scores.push_back(read_score(name, *table, place.below(name)));
}

/// throws  PluginRefused: no TOML, or more of it than any plugin has to say
toml::table parse_toml(std::string_view text, const std::string& where) {
  if (text.size() > kMostTomlBytes) throw PluginRefused(where + ": more than 1 MiB");
  if (const std::size_t line = line_of_deep_key(text); line > 0)
    throw PluginRefused(where + ":" + std::to_string(line) + ": a key of more than " +
                        std::to_string(kMostKeyParts) + " parts");
  for (const std::string_view number : numbers_beyond_double(text))
    throw PluginRefused(
        where + ":" +
        std::to_string(line_of(text, static_cast<std::size_t>(number.data() - text.data()))) +
        ": " + beyond_double_text(number));
  try {
    return toml::parse(text, std::string_view("metadata"));
  } catch (const toml::parse_error& e) {
    throw PluginRefused(where + ":" + std::to_string(e.source().begin.line) + ": " +
                        std::string(e.description()));
  }
}

}  // namespace

Metadata parse_metadata(std::string_view text, const std::string& file, MetadataFrom from) {
  const Where place{file, "", from};
  const std::string where = place.at(0);
  const toml::table root = parse_toml(text, where);
  Reader reader(root, place);
  Metadata out;
  read_identity(reader, out);
  if (!out.fits_border()) return out;
  out.summary = reader.find<std::string>("summary").value_or("");
  out.licence = reader.find<std::string>("licence").value_or("");
  out.citation = reader.find<std::string>("citation").value_or("");
  read_abilities(reader, out);
  read_parameters(reader, place.below("parameters"), out);
  if (std::ranges::count(out.parameters, "concept_count", &Parameter::role) > 1)
    throw PluginRefused(where + ": two parameters have role = \"concept_count\"");
  read_scores(reader, place.below("scores"), out);
  reader.finish();
  if (out.kind == Kind::kMetric && out.scores.empty())
    throw PluginRefused(where + ": a metric must declare its scores, as [scores." + out.id + "]");
  if (out.kind != Kind::kMetric && !out.scores.empty())
    throw PluginRefused(where + ": only a metric has scores");
  return out;
}

}  // namespace conoscope::core
