// SPDX-License-Identifier: Apache-2.0
#include "results/store/sqlite.h"

#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "numerics/statistics/moments.h"
#include "results/store/store.h"

namespace conoscope::results {

namespace {

// mean(x), sample_sd(x): NULLs skipped; NULL for no value, and for fewer than two. Not SQLite's avg(), whose last
// digit depends on its version. Keeps the values, for the mean has to be known before anything is squared.
void keep_value(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  auto** slot = static_cast<std::vector<double>**>(
      sqlite3_aggregate_context(context, sizeof(std::vector<double>*)));
  try {
    if (slot == nullptr) throw std::bad_alloc();
    if (*slot == nullptr) *slot = new std::vector<double>();
    (*slot)->push_back(sqlite3_value_double(arguments[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

template <double (*statistic)(std::span<const double>), std::size_t least>
void of_values(sqlite3_context* context) {
  auto** slot = static_cast<std::vector<double>**>(sqlite3_aggregate_context(context, 0));
  if (slot == nullptr || *slot == nullptr) return sqlite3_result_null(context);
  const std::unique_ptr<std::vector<double>> values(*slot);
  if (values->size() < least) return sqlite3_result_null(context);
  sqlite3_result_double(context, statistic(*values));
}

// among(words, a, b, ...): is one of the others a line of words? True where words is NULL.
void among(sqlite3_context* context, int count, sqlite3_value** arguments) {
  const auto text_of = [](sqlite3_value* value) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return std::string_view(text == nullptr ? "" : text);
  };
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return sqlite3_result_int(context, 1);
  std::string_view words = text_of(arguments[0]);
  while (true) {
    const std::string_view word = words.substr(0, words.find('\n'));
    for (int i = 1; i < count; ++i)
      if (sqlite3_value_type(arguments[i]) != SQLITE_NULL && text_of(arguments[i]) == word)
        return sqlite3_result_int(context, 1);
    if (word.size() == words.size()) return sqlite3_result_int(context, 0);
    words.remove_prefix(word.size() + 1);
  }
}

StoreProblem problem_of(int code, int system_error) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return StoreProblem::not_a_database;
    case SQLITE_FULL:
      return StoreProblem::disk_full;
    case SQLITE_READONLY:
      return StoreProblem::read_only;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return StoreProblem::busy;
    case SQLITE_CORRUPT:
      return StoreProblem::corrupt;
    case SQLITE_CONSTRAINT:
      return StoreProblem::constraint;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return StoreProblem::cannot_open;
    case SQLITE_AUTH:
      return StoreProblem::refused;
    case SQLITE_IOERR:
      return system_error == ENOSPC || system_error == EDQUOT ? StoreProblem::disk_full
                                                              : StoreProblem::io;
    case SQLITE_ERROR:
    case SQLITE_RANGE:
      return StoreProblem::bad_query;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return StoreProblem::out_of_memory;
    default:
      return StoreProblem::internal;
  }
}

std::string advice_for(StoreProblem problem) {
  rlimit file{};
  switch (problem) {
    case StoreProblem::io:  // of which SQLite does not always keep the reason
      return ::getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur != RLIM_INFINITY
                 ? "; a file may have at most " + std::to_string(file.rlim_cur) +
                       " bytes here (ulimit -f)"
                 : "";
    case StoreProblem::disk_full:
      return "; the disk is full, nothing of this step was saved";
    case StoreProblem::not_a_database:
      return "; choose another --store";
    case StoreProblem::busy:
      return "; another process has locked it: another run or merge, or a program in which it is "
             "open";
    default:
      return "";
  }
}

LockWait& lock_wait() {
  static LockWait wait;
  return wait;
}

}  // namespace

void set_lock_wait(LockWait wait) { lock_wait() = std::move(wait); }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Connection& connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, &rest);
  statement_.reset(statement);
  if (code != SQLITE_OK) connection.fail(code, "preparing a query");
  if (statement == nullptr)
    throw StoreError(StoreProblem::bad_query, connection.label() + ": the query is empty");
  // Behind the statement only space and comments may follow: these prepare to nothing.
  sqlite3_stmt* second = nullptr;
  const int tail_code = sqlite3_prepare_v2(
      connection.handle(), rest,
      static_cast<int>(sql.size() - static_cast<std::size_t>(rest - sql.data())), &second, nullptr);
  const std::unique_ptr<sqlite3_stmt, Finalize> second_owner(second);
  if (tail_code != SQLITE_OK || second != nullptr)
    throw StoreError(StoreProblem::bad_query,
                     connection.label() + ": one statement at a time; a second one begins after ;");
}

Statement& Statement::bind(int index, std::nullptr_t) {
  if (const int code = sqlite3_bind_null(statement_.get(), index); code != SQLITE_OK)
    connection_.fail(code, "binding a parameter");
  return *this;
}

Statement& Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_.get(), index, value); code != SQLITE_OK)
    connection_.fail(code, "binding a parameter");
  return *this;
}

Statement& Statement::bind(int index, double value) {
  if (const int code = sqlite3_bind_double(statement_.get(), index, value); code != SQLITE_OK)
    connection_.fail(code, "binding a parameter");
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // A view of nothing has a null pointer, which SQLite would store as NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  if (const int code = sqlite3_bind_text64(statement_.get(), index, data, text.size(),
                                           SQLITE_TRANSIENT, SQLITE_UTF8);
      code != SQLITE_OK)
    connection_.fail(code, "binding a parameter");
  return *this;
}

Statement& Statement::bind_filter(std::string_view name, std::string_view text) {
  std::string parameter(1, ':');
  parameter += name;
  const int index = sqlite3_bind_parameter_index(statement_.get(), parameter.c_str());
  if (index == 0)
    throw StoreError(StoreProblem::bad_query,
                     connection_.label() + ": the query has no parameter " + parameter);
  if (text.empty()) return bind(index, nullptr);
  return bind(index, text);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  // The message goes with the failed step: take it before the reset clears it.
  try {
    connection_.fail(code, "running a query");
  } catch (...) {
    sqlite3_reset(statement_.get());
    throw;
  }
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

std::string Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? "" : name;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) {
    // NULL, or there was no room for it.
    if (sqlite3_errcode(connection_.handle()) == SQLITE_NOMEM)
      connection_.fail(SQLITE_NOMEM, "reading a text");
    return "";
  }
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

SqlValue Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    case SQLITE_TEXT:
      return text(column);
    case SQLITE_BLOB: {
      const auto* bytes =
          static_cast<const unsigned char*>(sqlite3_column_blob(statement_.get(), column));
      const int size = sqlite3_column_bytes(statement_.get(), column);
      if (bytes == nullptr && size > 0) connection_.fail(SQLITE_NOMEM, "reading a blob");
      std::string hex;
      for (int i = 0; i < size; ++i) {
        hex += "0123456789abcdef"[bytes[i] >> 4];
        hex += "0123456789abcdef"[bytes[i] & 15];
      }
      return hex;
    }
    default:
      return std::monostate{};
  }
}

bool Statement::read_only() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }

Connection::Connection(const std::string& uri, std::string label, int open_flags)
    : uri_(uri), label_(std::move(label)) {
  const int code = sqlite3_open_v2(uri.c_str(), &database_,
                                   open_flags | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nullptr);
  try {
    if (code != SQLITE_OK) fail(code, "opening");
    for (const auto& [name, final] : {std::pair("mean", &of_values<numerics::mean, 1>),
                                      std::pair("sample_sd", &of_values<numerics::sample_sd, 2>)})
      if (const int added = sqlite3_create_function_v2(
              database_, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
              nullptr, keep_value, final, nullptr);
          added != SQLITE_OK)
        fail(added, std::string("adding ") + name);
    if (const int added = sqlite3_create_function_v2(
            database_, "among", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
            among, nullptr, nullptr, nullptr);
        added != SQLITE_OK)
      fail(added, "adding among");
    sqlite3_busy_handler(
        database_,
        [](void* self, int turns) {
          return static_cast<Connection*>(self)->wait_for_lock(turns) ? 1 : 0;
        },
        this);
  } catch (...) {
    sqlite3_close_v2(database_);
    throw;
  }
}

Connection::~Connection() {
  kept_.clear();
  sqlite3_close_v2(database_);
}

bool Connection::wait_for_lock(int turn) {
  using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;
  constexpr seconds kQuiet{3};
  constexpr int kLongestNap = 10;  // milliseconds
  const auto now = steady_clock::now();
  if (turn == 0) waits_since_ = now, asked_at_ = seconds(0);
  const auto waited = std::chrono::floor<seconds>(now - waits_since_);
  if (waited >= kLongestWait) return false;
  if (waited >= kQuiet && waited > asked_at_) {
    const bool first = asked_at_ == seconds(0);
    asked_at_ = waited;
    if (lock_wait() && !lock_wait()(label_, first)) return false;
  }
  std::this_thread::sleep_for(milliseconds(std::min(turn + 1, kLongestNap)));
  return true;
}

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "executing");
}

Statement& Connection::kept(std::string_view sql) {
  auto found = kept_.find(sql);
  if (found == kept_.end()) found = kept_.try_emplace(std::string(sql), *this, sql).first;
  found->second.reset();
  return found->second;
}

std::int64_t Connection::integer(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

double Connection::real(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.real(0) : 0;
}

std::string Connection::text(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Connection::changes() const { return sqlite3_changes64(database_); }

bool Connection::file_is_read_only() const { return sqlite3_db_readonly(database_, "main") == 1; }

void Connection::fail(int code, std::string_view doing) const {
  const StoreProblem problem =
      problem_of(code, database_ == nullptr ? 0 : sqlite3_system_errno(database_));
  const std::string reason =
      database_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database_);
  throw StoreError(problem,
                   label_ + ": " + std::string(doing) + ": " + reason + advice_for(problem));
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.kept("BEGIN IMMEDIATE").run();
}

Transaction::~Transaction() {
  if (!open_) return;
  // A full disk or an I/O error has already rolled back by itself; then there is nothing to do.
  if (sqlite3_get_autocommit(connection_.handle()) == 0)
    sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.kept("COMMIT").run();
  open_ = false;
}

}  // namespace conoscope::results
