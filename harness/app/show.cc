// SPDX-License-Identifier: Apache-2.0
#include "results/boards/show.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "harness/app/command.h"
#include "harness/app/show_sample.h"
#include "harness/app/store_options.h"
#include "harness/app/terminal.h"
#include "harness/core/artifacts/artifact.h"
#include "harness/core/measure/part_names.h"
#include "harness/core/run/kept_artifacts.h"
#include "results/formats/numbers.h"
#include "results/formats/utf8.h"

namespace conoscope::app {

namespace {

/// For people: a wide row reads better as a list of its fields. Empty ones are left out.
void print_records(const char* title, const results::Table& table) {
  std::size_t width = 0;
  for (const auto& column : table.columns) width = std::max(width, column.name.size());
  for (const auto& row : table.rows) {
    std::cout << title << '\n';
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* text = std::get_if<std::string>(&row[i]);
      if (std::holds_alternative<std::monostate>(row[i]) || (text && text->empty())) continue;
      const auto& name = table.columns[i].name;
      std::cout << "  " << name << std::string(width - name.size() + 2, ' ');
      if (text == nullptr) {
        const results::Table field{{table.columns[i]}, {{row[i]}}};
        const std::string csv = results::to_text(field, results::Format::csv);  // header, value
        const std::size_t begin = csv.find('\n') + 1;
        std::cout << csv.substr(begin, csv.find('\n', begin) - begin) << '\n';
        continue;
      }
      std::istringstream lines(*text);
      std::string line;
      for (bool first = true; std::getline(lines, line); first = false) {
        const std::string shown = results::printable(line);
        std::cout << (first ? "" : std::string(width + 4, ' '))
                  << (on_terminal() ? for_terminal(shown, width + 4) : shown + '\n');
      }
    }
    std::cout << '\n';
  }
}

/// Tells of each part what it is of, where the data are still in the cache.
core::AxisNames add_part_names(results::Table& parts, const core::KeptArtifacts& kept) {
  core::AxisNames names;
  if (!kept.dataset.empty() && !kept.model.empty()) try {
      names = core::axis_names(core::ArrayBag::open_fresh(kept.dataset),
                               core::ArrayBag::open_fresh(kept.model));
    } catch (const std::runtime_error&) {  // `conoscope verify` is for what is damaged
    }
  parts.columns.insert(parts.columns.begin() + 2, {"name"});
  for (auto& row : parts.rows)
    row.insert(row.begin() + 2, core::name_of_part(std::get<std::string>(row[0]),
                                                   std::get<std::int64_t>(row[1]), names));
  return names;
}

/// One row for each metric, its parts side by side: the first ones, where they are many.
///
/// named  say what each is of
results::Table parts_in_lines(const results::Table& parts, bool named) {
  constexpr std::int64_t kShown = 25;
  struct Line {
    std::int64_t count = 0;
    std::string values;
  };
  std::map<std::string, Line> lines;
  for (const auto& row : parts.rows) {
    Line& line = lines[std::get<std::string>(row[0])];
    if (++line.count > kShown) continue;
    const auto& name = std::get<std::string>(row[2]);
    const auto* value = std::get_if<double>(&row[3]);
    line.values += (line.values.empty() ? ""
                    : named             ? "; "
                                        : " ") +
                   (named && !name.empty() ? name + ": " : "") +
                   (value ? results::digits_text(*value, 4) : std::get<std::string>(row[4]));
  }
  results::Table out;
  out.columns = {{"metric"}, {"parts", results::ColumnType::kInteger}, {"values"}};
  for (auto& [metric, line] : lines)
    out.add({metric, line.count, line.values + (line.count > kShown ? " ..." : "")});
  return out;
}

/// Where the cache has what the cell was scored from.
void add_folders(results::Table& cell, const core::KeptArtifacts& kept) {
  for (const auto& [name, folder] : {std::pair("dataset_folder", kept.dataset),
                                     {"model_folder", kept.model},
                                     {"explanation_folder", kept.explanation}}) {
    cell.columns.push_back({name});
    cell.rows[0].push_back(folder.empty() ? results::Field() : results::Field(folder.string()));
  }
}

}  // namespace

int show_command(const Arguments& arguments) {
  Options options(
      "show CELL [options]",
      "Prints what is known of a cell: its parts, attempts, scores and log. CELL is the\n"
      "start of its key, as `conoscope status` and `plan --cells` print it. With --sample: how\n"
      "its explanation makes the answer for one test sample.",
      {"conoscope show 3fa9", "conoscope show 3fa9 --format json",
       "conoscope show 3fa9 --sample 17 -o sample.svg"});
  options.positional("cell", 1);
  options.with_store();
  options.with_verify();
  add_sample_options(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("cell")) throw UsageError("show: which cell? `conoscope status` lists keys");
  const auto format = options.format();
  auto store = open_store(options);
  auto report = results::show(store, options.list("cell")[0]);
  if (options.has("output") && !options.has("sample")) throw UsageError("show: -o is for --sample");
  if (options.has("sample")) {
    show_sample(options, store, std::get<std::string>(report.cell.rows[0][0]));
    return kOk;
  }
  const auto kept =
      core::kept_artifacts(store, std::get<std::string>(report.cell.rows[0][0]), options.cache());
  add_folders(report.cell, kept);
  const core::AxisNames names = add_part_names(report.parts, kept);
  if (format == results::Format::table) {
    print_records("cell", report.cell);
    print_records("attempt", report.attempts);
    if (!report.scores.rows.empty()) print({{"scores", report.scores}}, format);
    if (!report.parts.rows.empty())
      print({{"parts", parts_in_lines(report.parts, !names.given.empty())}}, format);
  } else {
    print({{"cell", report.cell},
           {"attempts", report.attempts},
           {"scores", report.scores},
           {"parts", report.parts}},
          format);
  }
  return kOk;
}

}  // namespace conoscope::app
