// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/run_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "harness/core/plan/controls.h"
#include "harness/core/plan/profiles.h"
#include "harness/core/plan/slurm_request.h"
#include "harness/core/toml_text.h"
#include "harness/core/toml_value.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// Far beyond any machine, and small enough to be doubled and added to.
constexpr double kMostBytes = 0x1p62;

/// "8 GiB", "512 MB" or a whole number of bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number > 0.0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit[0] == ' ') unit.remove_prefix(1);
  double scale = 0.0;
  for (const auto& [name, factor] :
       std::initializer_list<std::pair<std::string_view, double>>{{"", 1.0},
                                                                  {"B", 1.0},
                                                                  {"KB", 1e3},
                                                                  {"MB", 1e6},
                                                                  {"GB", 1e9},
                                                                  {"TB", 1e12},
                                                                  {"KiB", 0x1p10},
                                                                  {"MiB", 0x1p20},
                                                                  {"GiB", 0x1p30},
                                                                  {"TiB", 0x1p40}})
    if (unit == name) scale = factor;
  if (scale == 0.0 || number * scale < 1.0 || number * scale >= kMostBytes) return std::nullopt;
  return static_cast<std::uint64_t>(number * scale);
}

/// Walks one run file and writes down every mistake.
class Parser {
 public:
  Parser(const fs::path& folder, Diagnostics& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {}

  void root(const toml::table& table, RunFile& out) {
    keys(table, {"name", "seeds", "controls", "metrics", "plugin_path", "python", "sample_scores",
                 "summaries", "cpu", "limits", "slurm", "board", "profiles", "dataset", "model",
                 "explainer", "metric"});
    if (const auto* node = table.get("name")) text(*node, "name", out.name);
    seeds(table, out);
    out.controls = controls(table, {"none"});
    metrics(table, out);
    if (const auto* node = table.get("plugin_path"))
      for (const auto& [folder, place] : texts(*node, "plugin_path"))
        out.plugin_path.push_back(absolute(folder));
    if (const auto* node = table.get("python")) {
      text(*node, "python", out.python);
      if (out.python.find('/') != std::string::npos) out.python = absolute(out.python).string();
    }
    flag(table, "sample_scores", out.sample_scores);
    flag(table, "summaries", out.summaries);
    if (const auto* node = table.get("cpu")) text(*node, "cpu", out.cpu);
    if (const auto* node = table.get("board")) board(*node, out.board);
    if (const auto* node = table.get("limits")) limits(*node, out.limits);
    if (const auto* node = table.get("slurm")) {
      SlurmRequest elsewhere;  // read_slurm_request() is for those who need it
      slurm(*node, elsewhere);
    }
    out.datasets = components(table, "dataset");
    out.models = components(table, "model");
    out.explainers = components(table, "explainer");
    out.metric_plugins = components(table, "metric");
    for (const char* needed : {"dataset", "model"})
      if (table.get(needed) == nullptr)
        diagnostics_.add({1, 1}, std::string("there is no [[") + needed + "]]");
  }

  void slurm(const toml::node& node, SlurmRequest& out) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node, "slurm: expected a table");
    keys(*table, {"shards", "partition", "account", "qos", "time", "mem", "mem_per_cpu", "cpus",
                  "gres", "constraint", "exclude", "max_running", "setup", "sbatch", "without"});
    for (const auto& [key, target] :
         {std::pair{"shards", &out.shards}, std::pair{"cpus", &out.cpus},
          std::pair{"max_running", &out.max_running}})
      if (const auto* item = table->get(key)) {
        const auto* value = item->as_integer();
        if (value != nullptr && value->get() >= 1 && value->get() <= kMostShards)
          *target = static_cast<std::uint32_t>(value->get());
        else
          error(*item, std::string("slurm.") + key + ": expected a whole number from 1 to " +
                           std::to_string(kMostShards));
      }
    for (const auto& [key, target] :
         {std::pair{"partition", &out.partition}, std::pair{"account", &out.account},
          std::pair{"qos", &out.qos}, std::pair{"time", &out.time}, std::pair{"mem", &out.mem},
          std::pair{"mem_per_cpu", &out.mem_per_cpu}, std::pair{"gres", &out.gres},
          std::pair{"constraint", &out.constraint}, std::pair{"exclude", &out.exclude}})
      if (const auto* item = table->get(key)) {
        const std::string what = std::string("slurm.") + key;
        if (text(*item, what, *target) && !is_slurm_value(*target))
          error(*item, what + ": " + std::string(kSlurmValue));
      }
    if (!out.time.empty() && !slurm_seconds(out.time))
      error(*table->get("time"), "slurm.time: " + std::string(kSlurmTime));
    if (!out.mem.empty() && !out.mem_per_cpu.empty())
      error(*table->get("mem_per_cpu"), "slurm.mem_per_cpu: slurm.mem is given, too");
    for (const auto& [key, target] :
         {std::pair{"setup", &out.setup}, std::pair{"sbatch", &out.sbatch},
          std::pair{"without", &out.without}})
      if (const auto* item = table->get(key))
        for (const auto& [line, place] : texts(*item, std::string("slurm.") + key)) {
          if (!is_script_line(line))
            diagnostics_.add(place, std::string("slurm.") + key + ": expected texts of one line");
          else if (target != &out.setup && line[0] != '-')
            diagnostics_.add(place, std::string("slurm.") + key + ": " + std::string(kSlurmOption));
          target->push_back(line);
        }
  }

 private:
  void error(const toml::node& node, const std::string& message) {
    diagnostics_.add(place_of(node), message);
  }

  void keys(const toml::table& table, const std::vector<std::string>& known) {
    for (const auto& [key, node] : table)
      if (!contains(known, key.str()))
        diagnostics_.add(place_of(key),
                         "unknown key " + std::string(key.str()) + did_you_mean(key.str(), known));
  }

  bool text(const toml::node& node, const std::string& what, std::string& out) {
    if (const auto* value = node.as_string()) {
      out = value->get();
      if (!out.empty()) return true;
    }
    error(node, what + ": expected a text in quotes");
    return false;
  }

  void flag(const toml::table& table, const char* key, bool& out) {
    const auto* node = table.get(key);
    if (node == nullptr) return;
    if (const auto* value = node->as_boolean())
      out = value->get();
    else
      error(*node, std::string(key) + ": expected true or false");
  }

  std::vector<std::pair<std::string, Place>> texts(const toml::node& node,
                                                   const std::string& what) {
    std::vector<std::pair<std::string, Place>> out;
    const auto* array = node.as_array();
    if (array == nullptr) {
      error(node, what + ": expected a list of texts");
      return out;
    }
    for (const auto& item : *array) {
      std::string value;
      if (text(item, what, value)) out.emplace_back(value, place_of(item));
    }
    return out;
  }

  static bool is_empty_list(const toml::node& node) {
    const auto* array = node.as_array();
    return array != nullptr && array->empty();
  }

  fs::path absolute(const fs::path& path) const {
    return (path.is_absolute() ? path : folder_ / path).lexically_normal();
  }

  void board(const toml::node& node, results::BoardKind& out) {
    std::string name;
    if (!text(node, "board", name)) return;
    std::vector<std::string> kinds;
    for (const auto& info : results::board_kinds())
      if (info.stands_alone) kinds.emplace_back(info.name);
    if (contains(kinds, name))
      out = *results::parse_board_kind(name);
    else
      error(node, "unknown board " + name + did_you_mean(name, kinds));
  }

  void seeds(const toml::table& table, RunFile& out) {
    const auto* node = table.get("seeds");
    if (node == nullptr) {
      out.seeds = {0};
      return;
    }
    const auto* array = node->as_array();
    if (array == nullptr || array->empty())
      return error(*node, "seeds: expected a list of whole numbers, as [0, 1, 2]");
    for (const auto& item : *array) {
      const auto* seed = item.as_integer();
      if (seed == nullptr || seed->get() < 0)
        error(item, "seeds: expected a whole number, 0 or more");
      else if (std::find(out.seeds.begin(), out.seeds.end(), seed->get()) != out.seeds.end())
        error(item, "seeds: " + std::to_string(seed->get()) + " is listed twice");
      else
        out.seeds.push_back(seed->get());
    }
  }

  std::vector<std::string> controls(const toml::table& table, std::vector<std::string> otherwise) {
    const auto* node = table.get("controls");
    if (node == nullptr) return otherwise;
    std::vector<std::string> out;
    if (is_empty_list(*node)) error(*node, "controls: an empty list");
    for (const auto& [name, place] : texts(*node, "controls")) {
      if (find_control(name) == nullptr)
        diagnostics_.add(place, "unknown control " + name + did_you_mean(name, control_names()));
      else if (contains(out, name))
        diagnostics_.add(place, "control " + name + " is listed twice");
      else
        out.push_back(name);
    }
    return out;
  }

  void metrics(const toml::table& table, RunFile& out) {
    const auto* node = table.get("metrics");
    if (node == nullptr) return;
    if (is_empty_list(*node))
      error(*node, "metrics: an empty list; leave the key out to have every metric");
    for (const auto& [name, place] : texts(*node, "metrics")) out.metrics.push_back({name, place});
  }

  void limits(const toml::node& node, Limits& out) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node, "limits: expected a table");
    keys(*table, {"seconds", "memory", "threads", "cache"});
    if (const auto* item = table->get("seconds")) {
      const auto value = item->value<double>();
      if (value && *value > 0.0 && std::isfinite(*value))
        out.seconds = *value;
      else
        error(*item, "limits.seconds: expected a number above 0");
    }
    if (const auto* item = table->get("threads")) {
      const auto* value = item->as_integer();
      if (value != nullptr && value->get() >= 1 && value->get() <= 1024)
        out.threads = static_cast<std::uint32_t>(value->get());
      else
        error(*item, "limits.threads: expected a whole number from 1 to 1024");
    }
    for (const auto& [key, target] :
         {std::pair{"memory", &out.memory}, std::pair{"cache", &out.cache}})
      if (const auto* item = table->get(key)) {
        std::optional<std::uint64_t> bytes;
        if (const auto* value = item->as_string()) bytes = parse_bytes(value->get());
        if (const auto* value = item->as_integer();
            value != nullptr && value->get() > 0 && static_cast<double>(value->get()) < kMostBytes)
          bytes = static_cast<std::uint64_t>(value->get());
        if (bytes)
          *target = *bytes;
        else
          error(*item, std::string("limits.") + key + ": expected bytes, as \"8 GiB\"");
      }
  }

  std::vector<ComponentRequest> components(const toml::table& table, const std::string& kind) {
    std::vector<ComponentRequest> out;
    const auto* node = table.get(kind);
    if (node == nullptr) return out;
    const auto* array = node->as_array();
    if (array == nullptr || array->empty() || !array->is_array_of_tables()) {
      error(*node, kind + ": expected [[" + kind + "]] entries");
      return out;
    }
    for (const auto& item : *array) out.push_back(component(*item.as_table(), kind));
    return out;
  }

  ComponentRequest component(const toml::table& table, const std::string& kind) {
    ComponentRequest out;
    out.place = place_of(table);
    std::vector<std::string> known = {"id", "file", "name", "params"};
    if (kind == "explainer") known.emplace_back("controls");
    const bool may_lack = kind == "dataset" || kind == "model";
    if (may_lack) known.emplace_back("optional");
    const bool may_choose = kind == "model" || kind == "explainer";
    if (may_choose) known.emplace_back("datasets");
    keys(table, known);
    if (const auto* node = table.get("id")) text(*node, kind + ".id", out.id);
    if (const auto* node = table.get("name")) text(*node, kind + ".name", out.name);
    if (const auto* node = table.get("file")) {
      std::string file;
      if (text(*node, kind + ".file", file)) out.file = absolute(file);
    }
    if (out.id.empty() && !out.file)
      diagnostics_.add(out.place, "[[" + kind + "]] needs an id = \"...\"");
    if (kind == "explainer") out.controls = controls(table, {});
    if (const auto* node = may_choose ? table.get("datasets") : nullptr) {
      if (is_empty_list(*node)) error(*node, kind + ".datasets: an empty list");
      for (const auto& [name, place] : texts(*node, kind + ".datasets"))
        out.datasets.push_back({name, place});
    }
    if (const auto* node = may_lack ? table.get("optional") : nullptr) {
      if (node->is_boolean())
        out.optional = node->as_boolean()->get();
      else
        error(*node, kind + ".optional: expected true or false");
    }
    if (const auto* node = table.get("params")) {
      const auto* params = node->as_table();
      if (params == nullptr)
        error(*node, kind + ".params: expected a table, as { k = 5 }");
      else
        for (const auto& [key, value] : *params) {
          ParameterRequest request{std::string(key.str()), {}, place_of(key)};
          if (const auto* list = value.as_array()) {
            for (const auto& one : *list)
              if (auto single = value_of(one))
                request.values.push_back(*single);
              else
                error(one, "parameter " + request.name +
                               ": expected numbers, texts, true or false, or lists of them");
            request.in_brackets = list->empty() || !request.values.empty();
          } else if (auto single = value_of(value)) {
            request.values.push_back(*single);
          } else {
            error(value, "parameter " + request.name +
                             ": expected a number, a text, true, false or a list of them");
          }
          out.params.push_back(std::move(request));
        }
    }
    // toml++ walks tables by name; a sweep is to vary in the order of the file.
    std::stable_sort(out.params.begin(), out.params.end(), [](const auto& a, const auto& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return out;
  }

  fs::path folder_;
  Diagnostics& diagnostics_;
};

void note_numbers_beyond_double(std::string_view text, Diagnostics& diagnostics) {
  for (const std::string_view number : numbers_beyond_double(text)) {
    const auto at = static_cast<std::size_t>(number.data() - text.data());
    const std::string_view before = text.substr(0, at).substr(text.substr(0, at).rfind('\n') + 1);
    // As toml++ counts: characters, not bytes.
    const auto column =
        1 + std::ranges::count_if(before, [](char c) { return (c & 0xC0) != 0x80; });
    diagnostics.add(
        {static_cast<std::uint32_t>(line_of(text, at)), static_cast<std::uint32_t>(column)},
        beyond_double_text(number));
  }
}

[[noreturn]] void refuse_toml(const fs::path& path, const std::string& where,
                              const std::string& why) {
  throw RunFileError({path.string() + where + ": error: " + why});
}

void check_toml_text(const std::string& text, const fs::path& path, const std::string& kind) {
  if (text.size() > kMostTomlBytes) refuse_toml(path, "", "a " + kind + " has at most 1 MiB");
  if (const std::size_t line = line_of_deep_key(text); line > 0)
    refuse_toml(path, ":" + std::to_string(line),
                "a key of more than " + std::to_string(kMostKeyParts) + " parts");
}

}  // namespace

std::string read_toml_text(const fs::path& path, const std::string& kind) {
  if (const auto fault = fault_of_file(path); !fault.empty())
    refuse_toml(path, "", "the " + kind + " cannot be read: " + fault);
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_toml(path, "", "the " + kind + " cannot be read");
  std::string out(kMostTomlBytes + 1, '\0');  // no more, whatever the path leads to
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(in.gcount()));
  check_toml_text(out, path, kind);
  return out;
}

RunFile parse_run_file(const fs::path& path, Diagnostics& diagnostics, const std::string& profile) {
  return parse_run_text(read_toml_text(path, "run file"), path, diagnostics, profile);
}

RunFile parse_run_text(std::string text, const fs::path& path, Diagnostics& diagnostics,
                       const std::string& profile) {
  check_toml_text(text, path, "run file");
  RunFile out;
  out.path = path;
  out.name = path.stem().string();
  out.text = std::move(text);
  toml::table root;
  try {
    root = toml::parse(std::string_view(out.text), path.string());
  } catch (const toml::parse_error& e) {
    Diagnostics syntax(path.string());
    syntax.add({e.source().begin.line, e.source().begin.column}, std::string(e.description()));
    syntax.throw_if_any();
  }
  note_numbers_beyond_double(out.text, diagnostics);
  const auto profiles = profile_names(root, path.string());
  if (!profile.empty() && !contains(profiles, profile))
    throw RunFileError(
        {path.string() + ": error: there is no profile " + profile +
         (profiles.empty() ? "; the file has no `profiles`" : did_you_mean(profile, profiles))});
  if (!profiles.empty()) {
    out.profile = profile.empty() ? profiles.front() : profile;
    choose_profile(root, profiles, out.profile);
  }
  Parser(fs::absolute(path).parent_path(), diagnostics).root(root, out);
  if (!profiles.empty() && out.profile != profiles.front()) out.name += "-" + out.profile;
  return out;
}

SlurmRequest read_slurm_request(const RunFile& run_file) {
  toml::table root = toml::parse(std::string_view(run_file.text));
  const auto profiles = profile_names(root, run_file.path.string());
  if (!profiles.empty()) choose_profile(root, profiles, run_file.profile);
  Diagnostics known(run_file.path.string());
  SlurmRequest out;
  if (const auto* node = root.get("slurm"))
    Parser(run_file.path.parent_path(), known).slurm(*node, out);
  known.throw_if_any();
  return out;
}

}  // namespace conoscope::core
