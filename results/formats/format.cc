// SPDX-License-Identifier: Apache-2.0
#include "results/formats/format.h"

#include <algorithm>

#include "results/formats/machine_text.h"

namespace conoscope::results {

// Each in the file of its name.
std::string write_aligned(const Table& table);
std::string write_csv(const Table& table);
std::string write_json(const Table& table);
std::string write_ndjson(const Table& table);
std::string write_markdown(const Table& table);
std::string write_latex(const Table& table);

constexpr bool kForPeople = true, kForMachines = false;
constinit const Format Format::table{"table", kForPeople, write_aligned};
constinit const Format Format::csv{"csv", kForMachines, write_csv};
constinit const Format Format::json{"json", kForMachines, write_json};
constinit const Format Format::ndjson{"ndjson", kForMachines, write_ndjson};
constinit const Format Format::md{"md", kForPeople, write_markdown};
constinit const Format Format::latex{"latex", kForPeople, write_latex};

namespace {

/// In the order of the help.
const std::vector<Format>& formats() {
  static const std::vector<Format> all = {Format::table,  Format::csv, Format::json,
                                          Format::ndjson, Format::md,  Format::latex};
  return all;
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const Format& format : formats()) out.emplace_back(format.name);
  return out;
}

std::string format_names_text() {
  std::string out;
  const auto names = format_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return out;
}

std::optional<Format> parse_format(std::string_view text) {
  for (const Format& format : formats())
    if (format.name == text) return format;
  return std::nullopt;
}

std::string to_text(const Table& table, const Format& format) {
  const bool is_plain = std::ranges::all_of(table.columns, [](const Column& column) {
    return column.type != ColumnType::kEstimate && column.type != ColumnType::kCoverage;
  });
  // A large table is not copied for nothing.
  return format.write(format.for_people || is_plain ? table : expanded(table));
}

std::string TextInParts::add(const Table& part) {
  std::string text = to_text(part, format_);
  if (format_ == Format::json) {
    // "[\n a,\n b\n]\n"
    text = part.rows.empty() ? "" : (rows_ == 0 ? "[" : ",") + text.substr(1, text.size() - 4);
  } else if (parts_ > 0) {
    text.erase(0, to_text({part.columns, {}}, format_).size());  // the header
  }
  ++parts_;
  rows_ += part.rows.size();
  return text;
}

std::string TextInParts::end() const {
  if (format_ == Format::json) return rows_ == 0 ? "[]\n" : "\n]\n";
  return "";
}

}  // namespace conoscope::results
