// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace conoscope::results {

/// NULL, integer, real or text as SQLite gives it; a blob comes as hexadecimal text.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

class Connection;

/// A prepared statement. Parameters are always bound, never pasted into the text.
class Statement {
 public:
  /// throws  StoreError: the text is not one statement that SQLite understands
  Statement(Connection& connection, std::string_view sql);

  /// Binds the parameters ?1, ?2, ... in order, runs to the end, and is ready for the next call.
  template <class... Values>
  void run(const Values&... values) {
    bind_all(values...);
    while (step()) {
    }
    reset();
  }

  template <class... Values>
  Statement& bind_all(const Values&... values) {
    reset();
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }

  Statement& bind(int index, std::nullptr_t);
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, const std::string& text) {
    return bind(index, std::string_view(text));
  }
  Statement& bind(int index, const char* text) { return bind(index, std::string_view(text)); }
  template <class T>
  Statement& bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind(index, nullptr);
  }

  /// Binds :name. An empty text binds NULL, which the saved queries read as "all".
  ///
  /// throws  StoreError (bad_query): the statement has no such parameter
  Statement& bind_filter(std::string_view name, std::string_view text);

  /// True: there is a row.
  bool step();
  void reset();

  int columns() const;
  std::string column_name(int column) const;
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  SqlValue value(int column) const;
  bool read_only() const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database file; one thread at a time. Adds the aggregates mean and sample_sd, and among().
class Connection {
 public:
  /// uri       "file:..." or ":memory:"
  /// label     how messages call it
  /// throws    StoreError: cannot_open
  Connection(const std::string& uri, std::string label, int open_flags);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs a script of statements without parameters.
  void execute(const std::string& sql);

  /// The statement kept ready for this text.
  Statement& kept(std::string_view sql);

  // The first field of the first row: 0 or empty without one.
  std::int64_t integer(std::string_view sql);
  double real(std::string_view sql);
  std::string text(std::string_view sql);
  std::int64_t changes() const;  ///< rows of the last insert, triggers not counted
  bool file_is_read_only() const;

  /// Throws the StoreError that fits an SQLite return code.
  [[noreturn]] void fail(int code, std::string_view doing) const;

  sqlite3* handle() const { return database_; }
  const std::string& label() const { return label_; }
  const std::string& uri() const { return uri_; }

 private:
  bool wait_for_lock(int turn);

  sqlite3* database_ = nullptr;
  std::string uri_, label_;
  std::chrono::steady_clock::time_point waits_since_;
  std::chrono::seconds asked_at_{0};  ///< how long it had waited when it last asked
  std::map<std::string, Statement, std::less<>> kept_;
};

/// BEGIN IMMEDIATE, so that a writer waits at the start and not half-way; rolls back unless
/// committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace conoscope::results
