// SPDX-License-Identifier: Apache-2.0
#include "results/store/export.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/store_options.h"
#include "harness/app/text_file.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/cache.h"
#include "harness/core/artifacts/npz_file.h"
#include "metrics/summaries/summary.h"
#include "results/boards/summaries.h"
#include "results/formats/utf8.h"
#include "results/store/checksum.h"
#include "results/store/text_form.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

using results::CellSummary;
using results::SummaryShape;

struct CellSummaries {
  SummaryShape shape;
  std::vector<CellSummary> cells;
};

void write_csvs(const std::vector<CellSummaries>& found, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const CellSummaries& one : found) {
    write_text(
        folder / (one.shape.name + ".csv"),
        results::to_text(results::summary_table(one.cells, one.shape), results::Format::csv));
  }
}

/// One array for each summary, its first column the number of the cell; texts.tsv says which cell
/// that is, and what the columns are.
void write_arrays(const std::vector<CellSummaries>& found, const core::Cache& cache,
                  const fs::path& file) {
  const core::WorkFolder work(cache);
  const fs::path folder = work.path() / "arrays";
  core::ArtifactWriter writer(folder);
  const cono_sink* const sink = writer.sink();
  const auto require = [&writer](cono_status status) {
    if (status != CONO_OK) throw std::runtime_error(writer.fault());
  };
  std::vector<std::string> numbers;
  for (const CellSummaries& one : found) {
    const std::size_t width = one.shape.columns.size();
    std::vector<double> rows;
    for (const CellSummary& cell : one.cells) {
      const auto number = std::ranges::find(numbers, cell.cell) - numbers.begin();
      if (static_cast<std::size_t>(number) == numbers.size()) {
        numbers.push_back(cell.cell);
        const std::string text = cell.dataset + " x " + cell.model +
                                 (cell.explainer.empty() ? "" : " x " + cell.explainer) + " #" +
                                 std::to_string(cell.seed) +
                                 (cell.control == "none" ? "" : ", " + cell.control) + ", " +
                                 cell.cell;
        require(sink->text(sink->self, ("cell_" + std::to_string(number)).c_str(),
                           results::printable(text).c_str()));
      }
      for (std::size_t at = 0; at < cell.values.size(); ++at) {
        if (at % width == 0) rows.push_back(static_cast<double>(number));
        rows.push_back(cell.values[at]);
      }
    }
    std::string columns = "cell";
    for (const std::string& column : one.shape.columns) columns += "," + column;
    require(sink->text(sink->self, one.shape.name.c_str(), columns.c_str()));
    const std::int64_t shape[] = {static_cast<std::int64_t>(rows.size() / (width + 1)),
                                  static_cast<std::int64_t>(width + 1)};
    cono_tensor out{};
    require(sink->create(sink->self, one.shape.name.c_str(), CONO_F64, 2, shape, &out));
    std::ranges::copy(rows, static_cast<double*>(out.data));
  }
  writer.finish();
  core::write_npz(folder, file);
}

ExitCode export_summaries(results::Store& store, const std::string& run, const fs::path& target,
                          const fs::path& cache) {
  results::verify(store);
  std::vector<CellSummaries> found;
  for (const metrics::Summary& summary : metrics::summaries()) {
    const SummaryShape shape{summary.name, summary.columns};
    if (auto cells = results::cell_summaries(store, run, shape); !cells.empty())
      found.push_back({shape, std::move(cells)});
  }
  if (found.empty())
    throw UsageError(
        "export: no cell here has a summary; `summaries = true` in a run file asks for them");
  const ExitCode code = saved_or_not([&] {
    if (target.extension() == ".npz")
      write_arrays(found, core::Cache(cache), target);
    else
      write_csvs(found, target);
  });
  if (code != kOk) return code;
  for (const CellSummaries& one : found)
    std::cerr << one.shape.name << ": " << one.cells.size()
              << (one.cells.size() == 1 ? " cell\n" : " cells\n");
  return kOk;
}

ExitCode export_store(results::Store& store, const Options& options) {
  results::verify(store);
  std::vector<std::string> runs;
  if (options.has("run")) runs.push_back(run_of(options, store));
  const bool parts = !options.has("without-parts");
  if (!options.has("output")) {
    results::write_text_form(store, runs, parts, [](std::string_view text) { std::cout << text; });
    return kOk;
  }
  const fs::path file = options.get<std::string>("output");
  const ExitCode code = saved_or_not([&] { results::write_text_form(store, runs, parts, file); });
  if (code == kOk)
    std::cerr << file.string() << ": " << fs::file_size(file) << " bytes; `--store "
              << file.string() << "` reads it\n";
  return code;
}

}  // namespace

int export_command(const Arguments& arguments) {
  Options options(
      "export [RUN] [options]",
      "Prints every asked score, sorted, without times, hosts and attempts: equal outcomes\n"
      "give equal bytes, however they were reached. With --summaries it writes the tables\n"
      "that pictures are drawn from (`conoscope metric summaries`). --format store writes\n"
      "the store itself as text, all of it or a run's part: a file for version control,\n"
      "which every command reads as a store and `conoscope merge` adds to one.",
      {"conoscope export quick --format csv > quick.csv",
       "conoscope export quick --format store -o quick.store.gz",
       "conoscope export pictures --summaries -o pictures.npz"});
  options.positional("run", 1);
  options.with_store();
  options.text("format", "F", results::format_names_text() + ", store", "csv");
  options.flag("without-parts", "of --format store: without the scores' parts, which take most room");
  options.flag("summaries", "the tables that pictures are drawn from, all cells'");
  options.text("output,o", "PATH",
               "where to write a store's text (NAME.gz compresses it) or summaries: NAME.npz writes "
               "one file; any other name, a folder with one CSV file for each");
  options.with_cache();
  if (!options.parse(arguments)) return kOk;
  const bool summaries = options.has("summaries");
  if (options.get<std::string>("format") == "store") {
    if (summaries) throw UsageError("export: --summaries and --format store are two things");
    auto store = open_store(options);
    return export_store(store, options);
  }
  if (options.has("without-parts")) throw UsageError("export: --without-parts is of --format store");
  const auto format = options.format();
  if (summaries != options.has("output"))
    throw UsageError(summaries ? "export: --summaries needs -o FILE.npz or FOLDER"
                               : "export: -o is for --summaries and --format store; scores are printed");
  auto store = open_store(options);
  const std::string run = run_of(options, store);
  if (summaries)
    return export_summaries(store, run, options.get<std::string>("output"), options.cache());
  if (format.for_people) {
    std::cout << results::to_text(results::export_table(store, run), format);
    return kOk;
  }
  results::TextInParts text(format);
  results::export_in_parts(store, run,
                           [&](const results::Table& part) { std::cout << text.add(part); });
  std::cout << text.end();
  return kOk;
}

}  // namespace conoscope::app
