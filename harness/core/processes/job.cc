// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/job.h"

#include <toml++/toml.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "harness/core/toml_value.h"

namespace conoscope::core {

namespace {

toml::array list_of_texts(const std::vector<std::string>& texts) {
  toml::array out;
  for (const auto& text : texts) out.push_back(text);
  return out;
}

toml::table to_table(const PluginUse& use) {
  toml::array values;
  for (const Value& value : use.values)
    std::visit(
        [&values](const auto& v) {
          if constexpr (std::is_class_v<std::decay_t<decltype(v)>> &&
                        !std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
            toml::array list;
            for (const auto& item : v) list.push_back(item);
            values.push_back(std::move(list));
          } else {
            values.push_back(v);
          }
        },
        value);
  toml::array inputs;
  for (const InputFile& input : use.inputs)
    inputs.push_back(toml::array{input.path.string(), input.hash, input.stamp, input.code});
  return toml::table{{"file", use.file.string()},
                     {"values", std::move(values)},
                     {"inputs", std::move(inputs)},
                     {"command", list_of_texts(use.command)},
                     {"folders", list_of_texts(use.folders)}};
}

std::vector<std::string> read_texts(const toml::table& table, const char* key) {
  std::vector<std::string> out;
  if (const auto* list = table[key].as_array())
    for (const auto& item : *list) out.push_back(item.value_or(std::string()));
  return out;
}

std::optional<PluginUse> read_use(const toml::table& job, const char* key) {
  const auto* table = job[key].as_table();
  if (table == nullptr) return std::nullopt;
  PluginUse out;
  out.file = (*table)["file"].value_or("");
  if (const auto* values = (*table)["values"].as_array())
    for (const auto& item : *values)
      if (auto value = value_of(item)) out.values.push_back(std::move(*value));
  if (const auto* inputs = (*table)["inputs"].as_array())
    for (const auto& item : *inputs)
      if (const auto* input = item.as_array(); input != nullptr && input->size() == 4)
        out.inputs.push_back({(*input)[0].value_or(std::string()),
                              (*input)[1].value_or(std::string()),
                              (*input)[2].value_or(std::string()), (*input)[3].value_or(false)});
  out.command = read_texts(*table, "command");
  out.folders = read_texts(*table, "folders");
  return out;
}

// TOML integers are signed; seeds use all 64 bits.
std::string hex(std::uint64_t value) {
  char buffer[16];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, 16).ptr;
  return {buffer, end};
}

/// A seed that is missing must not turn into seed 0.
std::uint64_t read_seed(toml::node_view<const toml::node> node, const char* key,
                        const std::string& file) {
  const auto text = node.value_or(std::string());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(file + ": not a job: " + key + " \"" + text + "\"");
  return value;
}

}  // namespace

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::kDataset:
      return "dataset";
    case Stage::kModel:
      return "model";
    case Stage::kExplain:
      return "explain";
    case Stage::kScore:
      return "score";
  }
  return "";
}

void write_job(const Job& job, const std::filesystem::path& file) {
  toml::table table{{"stage", to_string(job.stage)},
                    {"label", job.label},
                    {"dataset", job.dataset.string()},
                    {"model_folder", job.model_folder.string()},
                    {"explanation", job.explanation.string()},
                    {"work", job.work.string()},
                    {"hashed_files", job.hashed_files.string()},
                    {"arrays", job.arrays.string()},
                    {"seed", hex(job.seed)},
                    {"threads", static_cast<std::int64_t>(job.threads)},
                    {"memory", static_cast<std::int64_t>(job.memory)},
                    {"disk", static_cast<std::int64_t>(job.disk)},
                    {"confine", job.confine},
                    {"control", job.control},
                    {"control_seed", hex(job.control_seed)},
                    {"made_by", job.made_by},
                    {"metrics", list_of_texts(job.metrics)},
                    {"calls", list_of_texts(job.calls)},
                    {"sample_scores", job.sample_scores},
                    {"repeat", job.repeat}};
  toml::array peers;
  for (const PeerInput& peer : job.peers)
    peers.push_back(toml::array{peer.model_folder.string(), peer.explanation.string(),
                                hex(peer.control_seed), peer.seed});
  table.insert("peers", std::move(peers));
  if (job.plugin) table.insert("plugin", to_table(*job.plugin));
  if (job.model) table.insert("model", to_table(*job.model));
  if (job.redrawn) table.insert("redrawn", to_table(*job.redrawn));
  if (job.explainer) table.insert("explainer", to_table(*job.explainer));
  std::ostringstream text;
  text << table << '\n';
  // Written over what an earlier job left, then cut: a file system that is asked to empty a file
  // first writes the new content to the disk at once, which costs more than all the rest here.
  errno = 0;
  const bool exists = std::filesystem::exists(file);
  std::ofstream out(file, exists ? std::ios::in | std::ios::out : std::ios::out);
  out << text.str();
  out.close();
  if (!out)
    throw std::runtime_error(file.string() + ": cannot be written: " + std::strerror(errno));
  std::filesystem::resize_file(file, text.str().size());
}

Job read_job(const std::filesystem::path& file) {
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& e) {
    throw std::runtime_error(file.string() + ": not a job: " + std::string(e.description()));
  }
  Job job;
  const auto stage = table["stage"].value_or(std::string());
  bool known = false;
  for (const Stage candidate : {Stage::kDataset, Stage::kModel, Stage::kExplain, Stage::kScore})
    if (stage == to_string(candidate)) job.stage = candidate, known = true;
  if (!known) throw std::runtime_error(file.string() + ": not a job: stage \"" + stage + "\"");
  job.label = table["label"].value_or("");
  job.plugin = read_use(table, "plugin");
  job.model = read_use(table, "model");
  job.redrawn = read_use(table, "redrawn");
  job.explainer = read_use(table, "explainer");
  job.dataset = table["dataset"].value_or("");
  job.model_folder = table["model_folder"].value_or("");
  job.explanation = table["explanation"].value_or("");
  job.work = table["work"].value_or("");
  job.hashed_files = table["hashed_files"].value_or("");
  job.arrays = table["arrays"].value_or("");
  job.seed = read_seed(std::as_const(table)["seed"], "seed", file.string());
  job.threads = static_cast<std::uint32_t>(table["threads"].value_or(std::int64_t{1}));
  job.memory = static_cast<std::uint64_t>(table["memory"].value_or(std::int64_t{0}));
  job.disk = static_cast<std::uint64_t>(table["disk"].value_or(std::int64_t{0}));
  job.confine = table["confine"].value_or(true);
  job.control = table["control"].value_or("none");
  job.control_seed = read_seed(std::as_const(table)["control_seed"], "control_seed", file.string());
  job.metrics = read_texts(table, "metrics");
  job.calls = read_texts(table, "calls");
  if (const auto* peers = table["peers"].as_array())
    for (const auto& item : *peers) {
      const auto* peer = item.as_array();
      if (peer == nullptr || peer->size() != 4)
        throw std::runtime_error(file.string() + ": not a job: peers");
      job.peers.push_back(
          {(*peer)[0].value_or(std::string()), (*peer)[1].value_or(std::string()),
           read_seed(toml::node_view<const toml::node>((*peer)[2]), "peers", file.string()),
           (*peer)[3].value_or(std::int64_t{0})});
    }
  job.sample_scores = table["sample_scores"].value_or(false);
  job.repeat = table["repeat"].value_or(false);
  job.made_by = table["made_by"].value_or("");
  return job;
}

}  // namespace conoscope::core
