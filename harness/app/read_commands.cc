// The commands that only read the store: history, show, status, query, export.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "results/boards/history.h"
#include "results/boards/show.h"
#include "results/boards/status.h"
#include "results/formats/numbers.h"
#include "results/store/export.h"
#include "results/store/query.h"
#include "results/store/store.h"

namespace conoscope::app {

namespace po = boost::program_options;

namespace {

results::Store open_store(const Options& options) {
  return results::Store::open(options.store(), results::Mode::read_only);
}

std::string run_of(const Options& options, results::Store& store) {
  return options.has("run") ? store.find_run(options.get<std::vector<std::string>>("run")[0]) : "";
}

/// Several tables as one answer: a JSON answer is one document, and a line of NDJSON says which
/// table it belongs to. The other formats have an empty line between the tables.
void print(const std::vector<std::pair<const char*, results::Table>>& tables,
           results::Format format) {
  bool first = true;
  for (const auto& [title, table] : tables) {
    const char* separator = first ? "" : "\n";
    switch (format) {
      case results::Format::json:
        std::cout << (first ? "{\n" : ",\n") << '"' << title
                  << "\": " << results::to_text(table, format);
        break;
      case results::Format::ndjson: {
        results::Table marked = table;
        marked.columns.insert(marked.columns.begin(), {"table"});
        for (auto& row : marked.rows) row.insert(row.begin(), std::string(title));
        std::cout << results::to_text(marked, format);
        break;
      }
      case results::Format::table:
        std::cout << separator << title << '\n' << results::to_text(table, format);
        break;
      default:
        std::cout << separator << results::to_text(table, format);
    }
    first = false;
  }
  if (format == results::Format::json) std::cout << "}\n";
}

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
        std::cout << csv.substr(begin, csv.find('\r', begin) - begin) << '\n';
        continue;
      }
      for (const char c : *text) {
        std::cout << c;
        if (c == '\n') std::cout << std::string(width + 4, ' ');
      }
      std::cout << '\n';
    }
    std::cout << '\n';
  }
}

}  // namespace

int history_command(const Arguments& arguments) {
  Options options("history METRIC [options]",
                  "Prints every recorded score of a metric, oldest first, with run and version.",
                  {"conoscope history surf_emd --component kmeans"});
  options.positional("metric", 1);
  options.with_store();
  options.add()("component", po::value<std::string>()->default_value("")->value_name("NAME"),
                "only cells with this dataset, model or explainer");
  options.add()("control", po::value<std::string>()->default_value("none")->value_name("NAME"),
                "of this control; all: of every one");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("metric")) throw UsageError("history: which metric?");
  const auto format = options.format();
  auto store = open_store(options);
  results::HistoryOptions history;
  history.metric = options.get<std::vector<std::string>>("metric")[0];
  history.component = options.get<std::string>("component");
  history.control = options.get<std::string>("control");
  if (history.control == "all") history.control.clear();
  std::cout << results::to_text(results::history(store, history), format);
  return kOk;
}

namespace {

/// One row for each metric, its parts side by side: the first ones, where they are many.
results::Table parts_in_lines(const results::Table& parts) {
  constexpr std::int64_t kShown = 25;
  struct Line {
    std::int64_t count = 0;
    std::string values;
  };
  std::map<std::string, Line> lines;
  for (const auto& row : parts.rows) {
    Line& line = lines[std::get<std::string>(row[0])];
    if (++line.count > kShown) continue;
    const auto* value = std::get_if<double>(&row[2]);
    line.values += (line.values.empty() ? "" : " ") +
                   (value ? results::digits_text(*value, 4) : std::get<std::string>(row[3]));
  }
  results::Table out;
  out.columns = {{"metric"}, {"parts", results::ColumnType::integer}, {"values"}};
  for (auto& [metric, line] : lines)
    out.add({metric, line.count, line.values + (line.count > kShown ? " ..." : "")});
  return out;
}

}  // namespace

int show_command(const Arguments& arguments) {
  Options options(
      "show CELL [options]",
      "Prints what is known of a cell: its parts, attempts, scores and log. CELL is the\n"
      "start of its key, as `conoscope status` and `plan --cells` print it.",
      {"conoscope show 3fa9", "conoscope show 3fa9 --format json"});
  options.positional("cell", 1);
  options.with_store();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("cell")) throw UsageError("show: which cell? `conoscope status` lists keys");
  const auto format = options.format();
  auto store = open_store(options);
  const auto report = results::show(store, options.get<std::vector<std::string>>("cell")[0]);
  if (format == results::Format::table) {
    print_records("cell", report.cell);
    print_records("attempt", report.attempts);
    print({{"scores", report.scores}}, format);
    if (!report.parts.rows.empty()) print({{"parts", parts_in_lines(report.parts)}}, format);
  } else {
    print({{"cell", report.cell},
           {"attempts", report.attempts},
           {"scores", report.scores},
           {"parts", report.parts}},
          format);
  }
  return kOk;
}

int status_command(const Arguments& arguments) {
  Options options("status [RUN] [options]",
                  "Prints how far each run is, and every failed cell with stage and reason.",
                  {"conoscope status", "conoscope status quick --format json"});
  options.positional("run", 1);
  options.with_store();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = open_store(options);
  const auto report = results::status(store, run_of(options, store));
  if (report.failures.rows.empty() && format == results::Format::table)
    print({{"runs", report.runs}}, format);
  else
    print({{"runs", report.runs}, {"failures", report.failures}}, format);
  return kOk;
}

int query_command(const Arguments& arguments) {
  Options options(
      "query SQL | --saved NAME | --file FILE [options]",
      "Reads the store with SQL. It can change nothing. docs/store.md describes the tables.",
      {"conoscope query \"SELECT status, count(*) FROM attempt GROUP BY status\"",
       "conoscope query --list", "conoscope query --saved board --set metric=surf_mae"});
  options.positional("sql", 1);
  options.with_store();
  options.add()("saved", po::value<std::string>()->value_name("NAME"), "a query that ships");
  options.add()("file", po::value<std::string>()->value_name("FILE"), "a file with one query");
  options.add()("set", po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUE"),
                "a parameter of the query");
  options.add()("list", "the queries that ship");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  if (options.has("list")) {
    results::Table table{{{"name"}, {"summary"}}, {}};
    for (const auto& query : results::saved_queries()) table.add({query.name, query.summary});
    std::cout << results::to_text(table, format);
    return kOk;
  }
  std::map<std::string, std::string> parameters;
  if (options.has("set"))
    for (const auto& text : options.get<std::vector<std::string>>("set")) {
      const std::size_t equals = text.find('=');
      if (equals == text.npos) throw UsageError("--set " + text + ": expected NAME=VALUE");
      parameters[text.substr(0, equals)] = text.substr(equals + 1);
    }
  if (options.has("sql") + options.has("saved") + options.has("file") != 1)
    throw UsageError("query: give SQL, --saved NAME or --file FILE");
  auto store = open_store(options);
  if (options.has("saved")) {
    std::cout << results::to_text(
        results::saved_query(store, options.get<std::string>("saved"), parameters), format);
    return kOk;
  }
  std::string sql;
  if (options.has("file")) {
    std::ifstream in(options.get<std::string>("file"));
    if (!in) throw UsageError("--file " + options.get<std::string>("file") + ": cannot be read");
    sql.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    sql = options.get<std::vector<std::string>>("sql")[0];
  }
  std::cout << results::to_text(results::query(store, sql, parameters), format);
  return kOk;
}

int export_command(const Arguments& arguments) {
  Options options(
      "export [RUN] [options]",
      "Prints every asked score, sorted, without times, hosts and attempts: equal outcomes\n"
      "give equal bytes, however they were reached.",
      {"conoscope export quick --format csv > quick.csv"});
  options.positional("run", 1);
  options.with_store();
  options.add()("format", po::value<std::string>()->default_value("csv")->value_name("F"),
                "table, csv, json, ndjson, md or latex");
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = open_store(options);
  std::cout << results::to_text(results::export_table(store, run_of(options, store)), format);
  return kOk;
}

}  // namespace conoscope::app
