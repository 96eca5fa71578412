// SPDX-License-Identifier: Apache-2.0
// A folder for the shared leaderboard, of a run of one's own: what `.ci/submission` checks.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/store_options.h"
#include "harness/app/text_file.h"
#include "harness/core/border/registry.h"
#include "harness/core/value.h"
#include "results/store/checksum.h"
#include "results/store/identity.h"
#include "results/store/sqlite.h"
#include "results/store/text_form.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMetadataFile = "submission.toml";
/// What `plugin new` writes: nobody's citation.
constexpr const char* kNobody = "who should be cited for the method";

/// A dataset, model or explainer of the run that does not ship with the command.
struct OwnPlugin {
  std::string kind, id, version;
  std::vector<std::string> components;  ///< their keys
  fs::path file;                        ///< as it was loaded
  std::string sha256, licence, citation;
};

core::Registry plugins_that_ship(const Options& options) {
  const fs::path installed = fs::canonical(share_folder().parent_path().parent_path()) / "lib";
  auto folders = plugin_folders({}, {});
  std::erase_if(folders, [&](const fs::path& folder) {
    return !folder.string().starts_with(installed.string() + "/");
  });
  return {folders, open_quarantine(options)};
}

/// By which file the attempts at these components were made that count.
/// throws  UsageError: none counts, or several files made them
void find_file(results::Store& store, const std::string& run, OwnPlugin& own) {
  results::Statement rows(
      store.connection(),
      "SELECT DISTINCT plugin.file, plugin.sha256, plugin.licence, plugin.citation "
      "FROM plugin, attempt AS good JOIN cell ON cell.key = good.cell "
      "JOIN run_cell ON run_cell.cell = cell.key AND run_cell.run = ?1 "
      "WHERE plugin.kind = ?2 AND plugin.id = ?3 AND plugin.version = ?4 "
      "AND ?5 IN (cell.dataset, cell.model, cell.explainer) AND good.status = 'ok' "
      "AND good.id IN (SELECT id FROM valid_attempt) "
      "AND instr(good.binaries, plugin.id || ' ' || plugin.version || ' ' || "
      "substr(plugin.sha256, 1, 16)) ORDER BY plugin.sha256");
  std::set<std::string> hashes;
  for (const auto& component : own.components) {
    rows.bind_all(run, own.kind, own.id, own.version, component);
    while (rows.step()) {
      hashes.insert(rows.text(1));
      own.file = rows.text(0);
      own.sha256 = rows.text(1);
      own.licence = rows.text(2);
      own.citation = rows.text(3);
    }
  }
  const std::string what = own.kind + " " + own.id + " " + own.version;
  if (hashes.empty())
    throw UsageError("submit board: " + what +
                     " has no score in this run; `conoscope status` says what failed");
  if (hashes.size() > 1)
    throw UsageError(
        "submit board: the scores of " + what + " were made by " + std::to_string(hashes.size()) +
        " files of the same version: give the one that is submitted a new version, and "
        "`conoscope run` it");
}

std::vector<OwnPlugin> own_plugins(results::Store& store, const std::string& run,
                                   const core::Registry& ship) {
  results::Statement rows(
      store.connection(),
      "SELECT kind, plugin_id, plugin_version, key FROM component WHERE key IN ("
      "SELECT component FROM run_component WHERE run = ?) ORDER BY kind, plugin_id, key");
  rows.bind_all(run);
  std::vector<OwnPlugin> out;
  while (rows.step()) {
    const std::string kind = rows.text(0), id = rows.text(1), version = rows.text(2);
    if (ship.find(*core::kind_from(kind), id) != nullptr) continue;
    if (out.empty() || out.back().kind != kind || out.back().id != id ||
        out.back().version != version)
      out.push_back({kind, id, version, {}, {}, {}, {}, {}});
    out.back().components.push_back(rows.text(3));
  }
  for (auto& own : out) find_file(store, run, own);
  return out;
}

bool is_library(const OwnPlugin& own) { return own.file.extension() == ".so"; }

/// The folder of a package in Python; else the file.
fs::path source_of(const fs::path& plugin) {
  return plugin.filename() == core::kPackageMain ? plugin.parent_path() : plugin;
}

/// Copies the files with one of these endings, a build's left out.
void copy_sources(const fs::path& from, const fs::path& to, const std::set<std::string>& endings) {
  bool any = false;
  for (auto entry = fs::recursive_directory_iterator(from);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const auto name = entry->path().filename().string();
    if (entry->is_directory() &&
        (name[0] == '.' || name == "__pycache__" || fs::exists(entry->path() / "CMakeCache.txt"))) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && endings.contains(entry->path().extension().string())) {
      const fs::path copy = to / fs::relative(entry->path(), from);
      make_folder(copy.parent_path());
      fs::copy_file(entry->path(), copy);
      any = true;
    }
  }
  if (!any) throw UsageError("submit board: " + from.string() + ": no source file lies there");
}

/// throws  UsageError: it is not what made the scores, or not the source of anything
void require_source(const OwnPlugin& own, const Options& options) {
  if (is_library(own)) {
    if (!options.has("source"))
      throw UsageError("submit board: " + own.file.string() +
                       " is a library: --source DIR, the folder of what it was built from");
    std::error_code error;
    if (const fs::path from = options.get<std::string>("source"); !fs::is_directory(from, error))
      throw UsageError("submit board: --source " + from.string() + ": not a folder");
    return;
  }
  if (options.has("source"))
    throw UsageError("submit board: --source is for libraries; " + own.file.string() +
                     " is its own source");
  std::error_code error;
  const auto here = fs::exists(own.file, error)
                        ? core::examine_plugin(own.file, open_quarantine(options)).sha256
                        : "";
  if (here != own.sha256)
    throw UsageError("submit board: " + own.file.string() +
                     (here.empty() ? " is gone" : " has changed") +
                     " since it made these scores; `conoscope run` it again");
}

/// What is copied is called as the plugin's file is, by which `verify` finds it.
std::string copy_source(const OwnPlugin& own, const Options& options, const fs::path& folder) {
  if (is_library(own)) {
    const std::string name = own.file.stem().string();
    copy_sources(options.get<std::string>("source"), folder / name,
                 {".c", ".cc", ".cpp", ".h", ".hh", ".hpp"});
    return name;
  }
  const fs::path from = source_of(own.file), to = folder / from.filename();
  if (fs::is_directory(from))
    copy_sources(from, to, {".py"});
  else
    fs::copy_file(from, to);
  return from.filename().string();
}

/// Lines of the environments in which the run's attempts were made, as far as people ask for them.
std::vector<std::string> environment_lines(results::Store& store, const std::string& run) {
  results::Statement rows(
      store.connection(),
      "SELECT DISTINCT text FROM environment WHERE key IN (SELECT environment FROM valid_attempt "
      "WHERE cell IN (SELECT cell FROM run_cell WHERE run = ?)) ORDER BY text");
  rows.bind_all(run);
  std::vector<std::string> out;
  while (rows.step()) {
    std::istringstream lines(rows.text(0));
    for (std::string line; std::getline(lines, line);) {
      const std::string name = line.substr(0, line.find(':'));
      const bool asked =
          name == "cpu" || name == "libc" || name == "conoscope" || name == "compiler";
      if (asked && std::ranges::find(out, line) == out.end()) out.push_back(line);
    }
  }
  return out;
}

/// Of one line, whatever stands in it.
std::string toml(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return core::to_text(core::Value(text));
}

std::string toml(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + toml(text);
  return "[" + out + "]";
}

std::string metadata_text(const std::vector<OwnPlugin>& own,
                          const std::vector<std::string>& plugins, bool has_data,
                          const std::vector<std::string>& studies,
                          const std::vector<std::string>& environment) {
  std::string citation, licence;
  if (own.size() == 1) {
    citation = own[0].citation == kNobody ? "" : own[0].citation;
    licence = own[0].licence;
  }
  std::string out =
      "# docs/joining.md. What is empty is still to be filled in.\n"
      "authors = []  # [\"Ada Lovelace\", \"Charles Babbage\"]\n"
      "citation = " +
      toml(citation) + "  # who should be cited for the method\n";
  if (!plugins.empty())
    out += "licence = " + toml(licence) +
           "  # of the source, an SPDX identifier\nplugins = " + toml(plugins) + '\n';
  if (has_data) out += "data_licence = \"\"  # of the arrays, an SPDX identifier\n";
  return out + "studies = " + toml(studies) + "\nenvironment = " + toml(environment) + '\n';
}

std::string name_in(const Options& options) {
  if (!options.has("words"))
    throw UsageError("submit board: which NAME? it becomes that of the submission's folder");
  const std::string name = options.list("words")[0];
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (name[0] == '.' || !std::ranges::all_of(name, plain))
    throw UsageError("submit board: " + name +
                     ": a name has letters, digits, '_', '-' and '.', which does not begin it");
  return name;
}

void write_folder(results::Store& store, const results::RunRow& run,
                  const std::vector<OwnPlugin>& own, const Options& options,
                  const fs::path& folder) {
  make_folder(folder);
  std::vector<std::string> plugins, components;
  for (const auto& one : own) {
    plugins.push_back(copy_source(one, options, folder));
    components.insert(components.end(), one.components.begin(), one.components.end());
  }
  for (const fs::path file : options.list("data")) {
    make_folder(folder / "data");
    fs::copy_file(file, folder / "data" / file.filename());
  }
  const std::vector<std::string> runs = {run.key};
  results::write_text_form(store, runs, false, folder / "scores.gz", components);
  write_text(folder / kMetadataFile, metadata_text(own, plugins, options.has("data"), {run.name},
                                                   environment_lines(store, run.key)));
}

}  // namespace

int submit_board_command(const Arguments& arguments) {
  Options options(
      "submit board NAME [RUN] [options]",
      "Makes a folder NAME for the shared leaderboard: the scores that your plugins have in a\n"
      "run, their source, and submission.toml, in which what the run does not know is left for\n"
      "you to fill in. RUN as for `conoscope board`; default: the newest one. Plugins that ship\n"
      "are not yours; of a run without others all scores are taken.",
      {"conoscope submit board baselines",
       "conoscope submit board baselines quick --folder submissions"});
  options.positional("words", 2);
  options.with_store();
  options.text("source", "DIR", "of a plugin in C or C++: the folder of its sources");
  options.texts("data", "FILE", "arrays that the run reads and that do not ship; may be repeated");
  options.text("folder", "DIR", "where the submission's folder is made", "results/submissions");
  options.with_cache();
  if (!options.parse(arguments)) return kOk;
  const std::string name = name_in(options);
  const fs::path folder = fs::path(options.get<std::string>("folder")) / name;
  std::error_code error;
  if (fs::exists(folder, error))
    throw UsageError("submit board: " + folder.string() + " is there already; remove it first");
  for (const auto& file : options.list("data"))
    if (!fs::is_regular_file(file, error))
      throw UsageError("submit board: --data " + file + ": no such file");

  auto store = open_store(options);
  results::verify(store);
  results::require_identities(store);
  const auto runs = store.runs();
  if (runs.empty())
    throw UsageError("submit board: the store holds no run yet; start with `conoscope run`");
  const auto& words = options.list("words");
  const std::string key = words.size() > 1 ? store.find_run(words[1]) : runs.back().key;
  const auto run = std::ranges::find(runs, key, &results::RunRow::key);
  const auto own = own_plugins(store, key, plugins_that_ship(options));
  if (std::ranges::count_if(own, is_library) > 1)
    throw UsageError("submit board: one library for each submission, and this run has several");
  for (const auto& one : own) require_source(one, options);

  const ExitCode code = saved_or_not([&] { write_folder(store, *run, own, options, folder); });
  if (code != kOk) return code;
  std::string whose;
  for (const auto& one : own) whose += (whose.empty() ? "" : ", ") + one.id;
  std::cout << folder.string() << ": "
            << (whose.empty() ? "all scores of" : "the scores of " + whose + " in") << " the run "
            << run->name << "\nnext:\n  fill in " << (folder / kMetadataFile).string()
            << "\n  git add " << folder.string() << " && git commit -m 'submissions: " << name
            << "'\n  .ci/submission " << name << '\n';
  return kOk;
}

}  // namespace conoscope::app
