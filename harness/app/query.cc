// SPDX-License-Identifier: Apache-2.0
#include "results/store/query.h"

#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <string_view>

#include "harness/app/command.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "harness/core/path_fault.h"
#include "results/store/error.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::app {

namespace {

results::QueryLimits limits_of(const Options& options) {
  constexpr double kMostSeconds = 1e9;
  const auto seconds = options.get<double>("seconds");
  if (!(seconds > 0 && seconds <= kMostSeconds))
    throw UsageError("--seconds: expected a number above 0, at most 1000000000");
  constexpr std::int64_t kMostMegabytes = std::int64_t{1} << 40;
  return {options.number("rows", 0), seconds,
          static_cast<std::size_t>(options.number("memory", 1, kMostMegabytes)) << 20};
}

/// Also of a pipe, as in --file /dev/stdin, which may have no end.
std::string text_of(const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::ifstream in(file);
  std::string text(kMostBytes + 1, '\0');
  if (!in || core::is_made_by_kernel(file) ||
      (in.read(text.data(), static_cast<std::streamsize>(text.size())), in.bad()))
    throw UsageError("--file " + file + ": cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes) throw UsageError("--file " + file + ": a query has at most 1 MiB");
  return text;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool names(std::string_view sql, std::string_view table) {
  for (std::size_t at = 0; (at = sql.find(table, at)) != sql.npos; ++at) {
    const std::size_t end = at + table.size();
    if ((at == 0 || !is_part_of_name(sql[at - 1])) &&
        (end == sql.size() || !is_part_of_name(sql[end])))
      return true;
  }
  return false;
}

/// "; cell has key, dataset, ...": the columns of the tables that a query names, or, where it names
/// none, the tables.
std::string what_there_is(results::Store& store, std::string_view sql) {
  results::Statement rows(
      store.connection(),
      "SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c "
      "WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite%' "
      "ORDER BY s.name, c.cid");
  std::map<std::string, std::string> tables;
  while (rows.step()) {
    std::string& columns = tables[rows.text(0)];
    columns += (columns.empty() ? "" : ", ") + rows.text(1);
  }
  std::string named, all;
  for (const auto& [table, columns] : tables) {
    if (names(sql, table)) named += "; " + table + " has " + columns;
    all += (all.empty() ? "; there are " : ", ") + table;
  }
  return named.empty() ? all : named;
}

/// " takes --set metric=, component=, control=": the parameters of a saved query.
std::string parameters_text(const std::string& sql) {
  static const std::regex kParameter(":([a-z_]+)");
  std::vector<std::string> names;
  for (std::sregex_iterator it(sql.begin(), sql.end(), kParameter), end; it != end; ++it)
    if (const std::string name = (*it)[1]; !core::contains(names, name)) names.push_back(name);
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? " takes --set " : ", ") + name + "=";
  return names.empty() ? " takes no parameter" : out;
}

/// A name that the store does not have comes back with those that it has.
results::Table answer(results::Store& store, const std::string& sql,
                      const std::map<std::string, std::string>& parameters,
                      results::QueryLimits limits) {
  try {
    return results::query(store, sql, parameters, limits);
  } catch (const results::StoreError& e) {
    const std::string message = e.what();
    if (message.find("no such column") == message.npos &&
        message.find("no such table") == message.npos)
      throw;
    throw results::StoreError(e.problem(), message + what_there_is(store, sql));
  }
}

}  // namespace

int query_command(const Arguments& arguments) {
  Options options(
      "query SQL | --saved NAME | --file FILE [options]",
      "Reads the store with SQL. It can change nothing. docs/store.md describes the tables.",
      {"conoscope query \"SELECT status, count(*) FROM attempt GROUP BY status\"",
       "conoscope query --list", "conoscope query --saved board --set metric=surf_mae"});
  options.positional("sql", 1);
  options.with_store();
  options.with_verify();
  options.text("saved", "NAME", "a query that ships");
  options.text("file", "FILE", "a file with one query");
  options.texts("set", "NAME=VALUE", "a parameter of the query");
  options.integer("rows", "N", "how many rows the result may have", 1'000'000);
  options.real("seconds", "S", "how long the query may take", 60);
  options.integer("memory", "MIB", "how much memory the query, and again its result, may take",
                  512);
  options.flag("list", "the queries that ship");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto limits = limits_of(options);
  if (options.has("list")) {
    results::Table table{{{"name"}, {"summary"}}, {}};
    for (const auto& query : results::saved_queries()) table.add({query.name, query.summary});
    std::cout << results::to_text(table, format);
    return kOk;
  }
  std::map<std::string, std::string> parameters;
  for (const auto& text : options.list("set")) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) throw UsageError("--set " + text + ": expected NAME=VALUE");
    parameters[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (options.has("sql") + options.has("saved") + options.has("file") != 1)
    throw UsageError("query: give SQL, --saved NAME or --file FILE");
  auto store = open_store(options);
  std::string sql;
  if (options.has("saved")) {
    sql = results::query_text(options.get<std::string>("saved"));
  } else if (options.has("file")) {
    sql = text_of(options.get<std::string>("file"));
  } else {
    sql = options.list("sql")[0];
  }
  if (const auto run = parameters.find("run"); run != parameters.end() && options.has("saved"))
    run->second = store.find_run(run->second);
  const results::Table table = answer(store, sql, parameters, limits);
  std::cout << results::to_text(table, format);
  if (table.rows.empty() && options.has("saved"))
    std::cerr << "no rows; " << options.get<std::string>("saved") << parameters_text(sql) << '\n';
  return kOk;
}

}  // namespace conoscope::app
