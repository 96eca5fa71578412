// SPDX-License-Identifier: Apache-2.0
#include "results/site/site.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>

#include "harness/app/cell_data.h"
#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/metric_facts.h"
#include "harness/app/metric_order.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/app/print_board.h"
#include "harness/app/store_options.h"
#include "harness/app/text_file.h"
#include "harness/core/plan/diagnostics.h"
#include "harness/core/plan/run_file.h"
#include "harness/core/version.h"
#include "metrics/catalogue.h"
#include "metrics/summaries/summary.h"
#include "results/store/identity.h"

namespace conoscope::app {

namespace {

namespace fs = std::filesystem;

/// The file by which a folder is known to be a site, and which files in it are ours.
constexpr const char* kContents = "site-contents.txt";
constexpr const char* kContentsHead = "Written by `conoscope site`, which replaces these files:";

/// What an earlier call wrote into the folder.
///
/// throws  UsageError: it holds something, and is no site
std::set<std::string> earlier_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  const std::string option = "-o " + folder.string();
  if (!fs::is_directory(folder, error)) throw UsageError(option + " is a file: name a folder");
  std::ifstream in(folder / kContents);
  std::string line;
  if (!std::getline(in, line) || line != kContentsHead) {
    if (fs::is_empty(folder, error)) return {};
    throw UsageError(option +
                     ": it holds files that `conoscope site` did not write; name a folder that is "
                     "empty or not there yet");
  }
  std::set<std::string> out;
  while (std::getline(in, line)) out.insert(line);
  return out;
}

std::string contents_text(const std::set<std::string>& files) {
  std::string out = kContentsHead;
  out += '\n';
  for (const auto& file : files) out.append(file).append("\n");
  return out;
}

/// Takes away what an earlier site had and this one has not; nothing outside the folder, whatever the
/// list says.
void remove_stale(const fs::path& folder, const std::set<std::string>& earlier,
                  const std::set<std::string>& written) {
  for (const auto& file : earlier) {
    const fs::path path(file);
    if (written.contains(file) || file.empty() || path.is_absolute() ||
        std::ranges::find(path, fs::path("..")) != path.end())
      continue;
    std::error_code error;
    if (fs::is_regular_file(folder / path, error)) fs::remove(folder / path, error);
  }
}

/// Relative, or of the web: nothing that would run.
std::string docs_of(const Options& options) {
  const auto& docs = options.get<std::string>("docs");
  if (docs.find(':') != docs.npos && !docs.starts_with("https://") && !docs.starts_with("http://"))
    throw UsageError("--docs " + docs + ": an address relative to the pages, or https://...");
  return docs;
}

/// Which board `conoscope run` prints at the end of this run.
results::BoardKind board_kind(const results::RunRow& run) {
  if (run.file_text == results::kMeasuredText) return results::BoardKind::ranking;
  core::Diagnostics diagnostics("its run file");
  return core::parse_run_text(run.file_text, "its run file", diagnostics).board;
}

/// throws  UsageError: the run lacks what its board is about;  RunFileError: its file cannot be read
results::SiteBoard board_of(results::Store& store, BoardRequest request,
                            const results::RunRow& run) {
  request.kind = board_kind(run);
  request.filters.run = run.key;
  if (request.kind != results::BoardKind::ranking && request.kind != results::BoardKind::across) {
    const auto metrics = in_catalogue_order(store.run_metrics(run.key));
    return {request.kind == results::BoardKind::sanity ? sanity_board(store, request)
                                                       : parsimony_board(store, request),
            metrics.empty() ? "" : metrics.front()};
  }
  Ranking made = ranking(store, request);
  results::SiteBoard out{std::move(made.table), made.metric};
  if (!made.nothing.empty()) out.care.push_back(made.nothing);
  for (const auto& headline : made.headlines) out.notes.push_back(headline.text);
  out.notes.insert(out.notes.end(), made.below.begin(), made.below.end());
  out.care.insert(out.care.end(), made.unordered.begin(), made.unordered.end());
  out.care.insert(out.care.end(), made.failing.begin(), made.failing.end());
  out.doubtful = std::move(made.doubtful);
  return out;
}

std::set<std::string> shipped_run_files() {
  std::set<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(share_folder() / "runs", error))
    if (entry.path().extension() == ".toml") out.insert(entry.path().stem().string());
  return out;
}

}  // namespace

int site_command(const Arguments& arguments) {
  Options options(
      "site [STORE] -o DIR [options]",
      "Writes what a store knows as pages for the web, which need no server and ask no\n"
      "other host for anything: the leaderboard of each study, a page for each study with\n"
      "its report, for each method and each metric, a search, and JSON beside every table.\n"
      "A study is the newest run of its name. STORE is a file or a folder, or published:\n"
      "the results that ship. Written into the same folder again, pages are replaced.",
      {"conoscope site -o board", "conoscope site published/sanity.gz -o sanity-board"});
  options.positional("stores", 1);
  options.with_store();
  options.text("output,o", "DIR",
               "where to write: empty, not there yet, or written by this command", "");
  options.text("docs", "URL", "a link to the documentation, as seen from DIR: ../index.html", "");
  options.with_plugins();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("output")) throw UsageError("site: where to? -o DIR");
  if (options.has("stores") && options.has("store"))
    throw UsageError("site: " + options.list("stores")[0] + " or --store?");
  const fs::path folder = options.get<std::string>("output");
  const std::set<std::string> earlier = earlier_files(folder);

  results::SiteOptions site;
  site.docs = docs_of(options);
  site.shipped = shipped_run_files();
  BoardRequest request;
  request.marks = true;
  request.control_lines = false;
  const auto registry = scan_plugins(options, open_quarantine(options));
  for (const auto& plugin : registry.plugins()) {
    note_concept_count(plugin, request);
    if (!plugin.metadata) continue;
    const core::Metadata& data = *plugin.metadata;  // whose licence holds though it may not be used
    site.plugins.try_emplace({core::to_string(data.kind), data.id},
                             results::SitePlugin{data.summary, data.licence, plugin_facts(data),
                                                 plugin_parameters(data)});
  }
  site.report.count_parameters = request.count_parameters;
  site.report.made_by = "conoscope " + std::string(core::version_text());
  for (const auto& metric : metrics::catalogue().metrics())
    site.report.metric_order.push_back(metric.name);
  for (const auto& summary : metrics::summaries())
    site.report.summaries.push_back({summary.name, summary.columns});
  const auto facts = metric_facts(registry);
  site.metric_facts = [&facts](const std::string& metric) {
    auto found = facts.find(metric);
    if (found == facts.end()) found = facts.find(metric.substr(0, metric.find('(')));
    return found == facts.end() ? results::Table() : found->second;
  };
  auto store = open_store(
      options, options.has("stores") ? store_named(options.list("stores")[0]) : options.store());
  if (store.runs().empty())
    throw UsageError("the store holds no run yet; start with `conoscope run`");
  KeptCellData data(store, options.cache());
  site.report.data = [&data](const std::string& cell) { return data.of(cell); };
  site.board = [&](const results::RunRow& run) -> results::SiteBoard {
    try {
      return board_of(store, request, run);
    } catch (const UsageError& e) {
      return {{}, "", {}, {e.what()}};
    } catch (const core::RunFileError& e) {
      return {{}, "", {}, e.errors()};
    }
  };

  make_folder(folder);
  std::set<std::string> written = {kContents};
  std::uintmax_t bytes = 0;
  // First of all: what was begun and not ended may be written anew.
  write_text(folder / kContents, contents_text(earlier));
  results::write_site(store, site, [&](const std::string& path, std::string_view text) {
    make_folder((folder / path).parent_path());
    replace_file(folder / path, text);
    written.insert(path);
    bytes += text.size();
  });
  remove_stale(folder, earlier, written);
  write_text(folder / kContents, contents_text(written));
  std::cerr << (folder / "index.html").string() << ": "
            << std::ranges::count_if(written,
                                     [](const auto& file) { return file.ends_with(".html"); })
            << " pages, " << (bytes + 1023) / 1024 << " KiB";
  if (const std::string why = results::why_no_pictures(); !why.empty())
    std::cerr << ", reports without pictures: " << why;
  std::cerr << '\n';
  return kOk;
}

}  // namespace conoscope::app
