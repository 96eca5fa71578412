// SPDX-License-Identifier: Apache-2.0
#include "results/store/text_form.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "results/store/checksum.h"
#include "results/store/migrate.h"
#include "results/store/rows_of_attempts.h"
#include "results/store/tables.h"

namespace conoscope::results {

namespace {

constexpr std::string_view kFirstWords = "conoscope store 1, schema ";

/// Which rows of a table belong to the chosen runs, whose keys are the JSON array ?1, and of their attempts
/// to the components ?2, if any.
constexpr std::string_view kChosen =
    "WITH chosen_run (key) AS (SELECT value FROM json_each(?1)), "
    "chosen_cell (key) AS (SELECT DISTINCT cell FROM run_cell WHERE run IN chosen_run), "
    "chosen_attempt (id) AS (SELECT id FROM valid_attempt "
    "WHERE cell IN chosen_cell AND status <> 'interrupted' AND (?2 = '[]' OR cell IN ("
    "  SELECT cell.key FROM cell JOIN json_each(?2) AS one "
    "  ON one.value IN (cell.dataset, cell.model, cell.explainer)))), "
    "named_cell (key) AS (SELECT key FROM chosen_cell "
    "UNION SELECT cell FROM attempt_peer WHERE attempt IN chosen_attempt) ";

/// Which rows of a table belong to the chosen runs; nullopt: it has none.
std::optional<std::string> rows_of_runs(std::string_view table) {
  if (table == "run_cell" || table == "run_metric" || table == "run_component")
    return "run IN chosen_run";
  auto out = rows_of_attempts(table, "");
  if (table == "run") *out += " OR key IN chosen_run";
  if (table == "metric_key")
    *out += " OR metric IN (SELECT metric FROM run_metric WHERE run IN chosen_run)";
  return out;
}

bool is_left_out(std::string_view table, bool all, bool parts) {
  if (table == "attempt_checksum" || (table == "sample_score" && !parts)) return true;
  return !all && !rows_of_runs(table);
}

std::string json_array(std::span<const std::string> keys) {
  std::string out = "[";
  for (const std::string& key : keys) out += (out.size() > 1 ? ",\"" : "\"") + key + "\"";
  return out + "]";
}

/// What a row has in a column.
std::string value_of(std::string_view table, const std::string& column, bool all, bool parts) {
  if (!parts && (column == "attempt" || (table == "attempt" && column == "id")))
    return "iif(" + column + " LIKE '%-scores', " + column + ", " + column + " || '-scores')";
  // The newest of a component's names may be that of a run which is not written.
  if (!all && table == "component" && column == "name")
    return "coalesce((SELECT min(run_component.name) FROM run_component WHERE component = key AND "
           "run IN chosen_run), name)";
  // What is published says what was run, not where somebody's folders are.
  if (!all && table == "plugin" && column == "file")
    return "replace(file, rtrim(file, replace(file, '/', '')), '')";
  return column;
}

void add_escaped(std::string_view text, std::string& out) {
  for (const char c : text) switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
}

void add_field(const SqlValue& value, std::string& out) {
  if (std::holds_alternative<std::monostate>(value)) {
    out += "\\N";
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    char text[32];  // the shortest that is read as the same number
    out.append(text, std::to_chars(text, text + sizeof text, *real).ptr);
  } else {
    add_escaped(std::get<std::string>(value), out);
  }
}

/// Line by line, whether the file is compressed or not.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : path_(path), file_(::gzopen(path.c_str(), "rb"), ::gzclose) {
    if (!file_)
      throw StoreError(StoreProblem::cannot_open, path.string() + ": it cannot be opened");
  }

  /// False: there is none. A line without its end is one that was cut off.
  bool next(std::string& line) {
    line.clear();
    char piece[4096];
    while (::gzgets(file_.get(), piece, sizeof piece) != nullptr) {
      line += piece;
      if (!line.ends_with('\n')) continue;
      line.pop_back();
      ++number_;
      return true;
    }
    int code = Z_OK;
    const char* const why = ::gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail(why);
    ++number_;
    if (!line.empty()) fail("the line is cut off");
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw StoreError(StoreProblem::corrupt,
                     path_.string() + ":" + std::to_string(number_) + ": " + what);
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::int64_t number_ = 0;
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = line.find('\t', at);
    out.push_back(line.substr(at, end - at));
    if (end == line.npos) return out;
    at = end + 1;
  }
}

/// Empty: a sequence that is none.
std::optional<std::string> unescaped(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      out += field[i];
      continue;
    }
    constexpr std::string_view kCodes = "\\tnr", kMeant = "\\\t\n\r";
    const std::size_t code = ++i < field.size() ? kCodes.find(field[i]) : kCodes.npos;
    if (code == kCodes.npos) return std::nullopt;
    out += kMeant[code];
  }
  return out;
}

template <class Number>
std::optional<Number> number_of(std::string_view field) {
  Number value{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

/// The table whose rows are being read.
class Rows {
 public:
  Rows(const Lines& lines, Connection& connection, std::string_view head) : lines_(&lines) {
    const auto names = split(head);
    const std::string table(names[0]);
    if (std::ranges::find(kTables, names[0]) == kTables.end()) lines.fail("no table " + table);
    std::string columns, places;
    for (std::size_t i = 1; i < names.size(); ++i) {
      Statement& type = connection.kept("SELECT type FROM pragma_table_info(?) WHERE name = ?");
      if (!type.bind_all(names[0], names[i]).step())
        lines.fail("no column " + std::string(names[i]) + " in " + table);
      types_.push_back(type.text(0));
      type.reset();
      columns += (i > 1 ? ", " : "") + std::string(names[i]);
      places += i > 1 ? ", ?" : "?";
    }
    insert_.emplace(connection,
                    "INSERT INTO " + table + " (" + columns + ") VALUES (" + places + ")");
  }

  void add(std::string_view line) {
    const auto fields = split(line);
    if (fields.size() != types_.size())
      lines_->fail(std::to_string(fields.size()) + " fields for " + std::to_string(types_.size()) +
                   " columns");
    insert_->reset();
    for (std::size_t i = 0; i < fields.size(); ++i) bind(static_cast<int>(i) + 1, fields[i]);
    try {
      insert_->step();
    } catch (const StoreError& error) {
      lines_->fail(error.what());
    }
    insert_->reset();
  }

 private:
  void bind(int place, std::string_view field) {
    const std::string& type = types_[static_cast<std::size_t>(place) - 1];
    const auto bind_if = [&](const auto& value) {
      if (!value) lines_->fail(std::string(field) + " is no " + type);
      insert_->bind(place, *value);
    };
    if (field == "\\N")
      insert_->bind(place, nullptr);
    else if (type == "REAL")
      bind_if(number_of<double>(field));
    else if (type == "INTEGER")
      bind_if(number_of<std::int64_t>(field));
    else
      bind_if(unescaped(field));
  }

  const Lines* lines_;
  std::vector<std::string> types_;
  std::optional<Statement> insert_;
};

}  // namespace

void write_text_form(Store& store, std::span<const std::string> runs, bool parts,
                     const std::function<void(std::string_view)>& write,
                     std::span<const std::string> of) {
  Connection& connection = store.connection();
  write(std::string(kFirstWords) + std::to_string(newest_schema()) + "\n");
  const std::string keys = json_array(runs), components = json_array(of);
  for (const std::string_view table : kTables) {
    const std::string name(table);
    if (is_left_out(table, runs.empty(), parts)) continue;
    std::string head = "=" + name, columns, order;
    Statement& known =
        connection.kept("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid");
    known.bind_all(table);
    while (known.step()) {
      const std::string column = known.text(0);
      head += "\t" + column;
      columns += (columns.empty() ? "" : ", ") + value_of(table, column, runs.empty(), parts);
      if (known.integer(1) > 0) order += (order.empty() ? "" : ", ") + column;
    }
    known.reset();
    write(head + "\n");
    std::string sql = "SELECT " + columns + " FROM " + name + " AS theirs";
    if (!runs.empty()) sql = std::string(kChosen) + sql + " WHERE " + *rows_of_runs(table);
    Statement rows(connection, sql + " ORDER BY " + order);
    if (!runs.empty()) rows.bind_all(keys, components);
    std::string line;
    while (rows.step()) {
      line.clear();
      for (int i = 0; i < rows.columns(); ++i) {
        if (i > 0) line += '\t';
        add_field(rows.value(i), line);
      }
      write(line += '\n');
    }
  }
}

void write_text_form(Store& store, std::span<const std::string> runs, bool parts,
                     const std::filesystem::path& file, std::span<const std::string> of) {
  const char* const mode = file.extension() == ".gz" ? "wb9" : "wbT";
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> out(::gzopen(file.c_str(), mode), ::gzclose);
  const auto fail = [&file] {
    throw std::runtime_error(file.string() + ": it cannot be written: " + std::strerror(errno));
  };
  if (!out) fail();
  write_text_form(
      store, runs, parts,
      [&](std::string_view text) {
        if (::gzwrite(out.get(), text.data(), static_cast<unsigned>(text.size())) !=
            static_cast<int>(text.size()))
          fail();
      },
      of);
  if (::gzflush(out.get(), Z_FINISH) != Z_OK) fail();
}

bool is_text_form(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  std::string first(kFirstWords.size(), '\0');
  return file &&
         ::gzread(file.get(), first.data(), static_cast<unsigned>(first.size())) ==
             static_cast<int>(first.size()) &&
         first == kFirstWords;
}

void read_text_form(const std::filesystem::path& path, Connection& empty) {
  Lines lines(path);
  std::string line;
  if (!lines.next(line) || !line.starts_with(kFirstWords))
    lines.fail("this is not the text form of a store");
  const auto schema = number_of<std::int64_t>(std::string_view(line).substr(kFirstWords.size()));
  if (!schema || *schema < 1) lines.fail("schema " + line.substr(kFirstWords.size()));
  if (*schema > newest_schema())
    throw StoreError(StoreProblem::newer_schema,
                     path.string() + ": of schema " + std::to_string(*schema) +
                         ", and this version knows them up to " + std::to_string(newest_schema()) +
                         ": use the conoscope that wrote it, or a newer one");
  make_store(empty, *schema);
  Transaction transaction(empty);
  std::optional<Rows> rows;
  while (lines.next(line)) {
    if (line.starts_with('=')) {
      rows.emplace(lines, empty, std::string_view(line).substr(1));
    } else {
      if (!rows) lines.fail("a row before the first table");
      rows->add(line);
    }
  }
  if (*schema >= 3) add_missing_checksums(empty);  // migrate() gives them to older ones
  transaction.commit();
}

}  // namespace conoscope::results
