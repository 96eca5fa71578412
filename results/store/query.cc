// SPDX-License-Identifier: Apache-2.0
#include "results/store/query.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

int allow_reading_only(void*, int action, const char*, const char* second, const char*,
                       const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      // second: the function's name
      return second != nullptr && std::strcmp(second, "load_extension") == 0 ? SQLITE_DENY
                                                                             : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

// Holds for the life of a statement: SQLite may prepare it again when the schema changes.
class ReadingOnly {
 public:
  explicit ReadingOnly(Connection& connection) : database_(connection.handle()) {
    sqlite3_set_authorizer(database_, allow_reading_only, nullptr);
  }
  ~ReadingOnly() { sqlite3_set_authorizer(database_, nullptr, nullptr); }
  ReadingOnly(const ReadingOnly&) = delete;
  ReadingOnly& operator=(const ReadingOnly&) = delete;

 private:
  sqlite3* database_;
};

/// While it lives, a statement of the connection is interrupted once its time is over.
class TimeLimit {
 public:
  TimeLimit(Connection& connection, double seconds)
      : database_(connection.handle()),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
    constexpr int kSteps = 10'000;  // of SQLite's machine, between two looks at the clock
    sqlite3_progress_handler(
        database_, kSteps, [](void* self) { return static_cast<TimeLimit*>(self)->over() ? 1 : 0; },
        this);
  }
  ~TimeLimit() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  bool over() const { return Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;

  sqlite3* database_;
  Clock::time_point end_;
};

/// While it lives, SQLite takes so much more memory and no more, in this process.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes)
      : before_(
            sqlite3_hard_heap_limit64(sqlite3_memory_used() + static_cast<sqlite3_int64>(bytes))) {}
  ~MemoryLimit() { sqlite3_hard_heap_limit64(before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  sqlite3_int64 before_;
};

constexpr const char* kTooLarge =
    "the query takes more than its memory: ask for less, or raise --memory";

Field field_of(const SqlValue& value) {
  return std::visit([](const auto& v) { return Field(v); }, value);
}

// Text if any value is; real if any is; integer if all are. A column of NULLs is text.
void widen(ColumnType& type, bool& seen, const SqlValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return;
  const ColumnType own = std::holds_alternative<std::string>(value)    ? ColumnType::kText
                         : std::holds_alternative<std::int64_t>(value) ? ColumnType::kInteger
                                                                       : ColumnType::kReal;
  if (!seen)
    type = own;
  else if (type == ColumnType::kText || own == ColumnType::kText)
    type = ColumnType::kText;
  else if (type != own)
    type = ColumnType::kReal;
  seen = true;
}

}  // namespace

std::vector<SavedQuery> saved_queries() {
  std::vector<SavedQuery> queries;
  for (const SqlFile& file : query_files()) {
    std::string_view line = file.text.substr(0, file.text.find('\n'));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of("- ")));
    queries.push_back({std::string(file.name), std::string(line), std::string(file.text)});
  }
  return queries;
}

Table table_of(Statement& statement, std::size_t most_rows, std::size_t most_bytes) {
  Table table;
  std::size_t bytes = 0;
  std::vector<char> seen(static_cast<std::size_t>(statement.columns()), 0);
  for (int i = 0; i < statement.columns(); ++i) table.columns.push_back({statement.column_name(i)});
  while (statement.step()) {
    if (table.rows.size() == most_rows)
      throw StoreError(StoreProblem::bad_query, "the query has more than " +
                                                    std::to_string(most_rows) +
                                                    " rows: say LIMIT, or raise --rows");
    std::vector<Field> row;
    for (int i = 0; i < statement.columns(); ++i) {
      const SqlValue value = statement.value(i);
      bool seen_already = seen[static_cast<std::size_t>(i)] != 0;
      widen(table.columns[static_cast<std::size_t>(i)].type, seen_already, value);
      seen[static_cast<std::size_t>(i)] = seen_already ? 1 : 0;
      const auto* text = std::get_if<std::string>(&value);
      bytes += sizeof(Field) + (text == nullptr ? 0 : text->size());
      if (bytes > most_bytes) throw StoreError(StoreProblem::bad_query, kTooLarge);
      row.push_back(field_of(value));
    }
    table.add(std::move(row));
  }
  statement.reset();
  return table;
}

Table query(Store& store, std::string_view sql,
            const std::map<std::string, std::string>& parameters, QueryLimits limits) {
  // SQLite builds these two table functions at their first use, which the guard would take for a
  // CREATE TABLE.
  store.connection().integer("SELECT count(*) FROM json_each('[]'), json_tree('[]')");
  const ReadingOnly guard(store.connection());
  const TimeLimit time(store.connection(), limits.seconds);
  const MemoryLimit memory(limits.memory);
  try {
    Statement statement(store.connection(), sql);
    if (!statement.read_only())
      throw StoreError(StoreProblem::refused, store.path().string() + ": the query would write");
    for (const auto& [name, value] : parameters) statement.bind_filter(name, value);
    return table_of(statement, limits.rows, limits.memory);
  } catch (const StoreError& error) {
    if (time.over())
      throw StoreError(StoreProblem::bad_query,
                       "the query took more than its seconds: ask for less, or raise --seconds");
    if (error.problem() == StoreProblem::out_of_memory)
      throw StoreError(StoreProblem::bad_query, kTooLarge);
    // A forbidden function comes as an ordinary error with this text.
    const bool forbidden =
        std::string_view(error.what()).find("not authorized") != std::string_view::npos;
    if (error.problem() != StoreProblem::refused && !forbidden) throw;
    throw StoreError(StoreProblem::refused,
                     std::string(error.what()) + "; queries may only read the store");
  }
}

Table saved_query(Store& store, std::string_view name,
                  const std::map<std::string, std::string>& parameters) {
  Statement statement(store.connection(), query_text(name));
  for (const auto& [parameter, value] : parameters) statement.bind_filter(parameter, value);
  return table_of(statement);
}

}  // namespace conoscope::results
