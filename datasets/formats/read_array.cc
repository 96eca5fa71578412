// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/read_array.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "datasets/formats/array_file.h"
#include "datasets/formats/csv.h"
#include "datasets/formats/file.h"
#include "datasets/formats/npy.h"

namespace conoscope::formats {

namespace {

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : boost::algorithm::join(names, ", ");
}

/// The columns that `names` lists, in its order.
Array columns_of(const CsvTable& table, std::string_view names, const std::string& path) {
  std::vector<std::int64_t> wanted;
  while (!names.empty()) {
    const std::string name(names.substr(0, names.find(',')));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto found = columns_called(table.columns, name, path);
    if (found.empty())
      throw std::invalid_argument(
          path + ": no column '" + name + "'" +
          (table.columns.empty() ? "; it has no header" : "; it has " + listed(table.columns)));
    wanted.insert(wanted.end(), found.begin(), found.end());
  }
  CsvTable out;
  out.rows = table.rows;
  out.width = static_cast<std::int64_t>(wanted.size());
  for (const std::int64_t column : wanted)
    out.columns.push_back(table.columns[static_cast<std::size_t>(column)]);
  for (std::int64_t row = 0; row < table.rows; ++row)
    for (const std::int64_t column : wanted)
      out.values.push_back(table.values[static_cast<std::size_t>(row * table.width + column)]);
  return to_array(std::move(out), path);
}

}  // namespace

Array read_array(const std::string& path, const std::string& member) {
  const bool npy = [&path] {
    const MappedFile file(path);
    return std::string_view(file.bytes().data(), file.bytes().size()).starts_with("\x93NUMPY");
  }();
  if (npy && !member.empty())
    throw std::invalid_argument(path + ": holds one array, without a name; '" + member +
                                "' cannot be looked up in it");
  if (npy) return read_npy(path);
  if (!archive_kind(path)) {
    CsvTable table = read_csv(path);
    return member.empty() ? to_array(std::move(table), path) : columns_of(table, member, path);
  }
  const ArrayFile archive(path);
  if (!member.empty()) return archive.get(member);
  const auto names = archive.names();
  if (names.size() != 1)
    throw std::invalid_argument(path + ": an archive of " + std::to_string(names.size()) +
                                " arrays where one is expected (" + listed(names) + ")");
  return archive.get(names.front());
}

}  // namespace conoscope::formats
