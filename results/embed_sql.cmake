# SPDX-License-Identifier: Apache-2.0
# cmake -DFOLDER=... -DSCHEMA=a.sql|b.sql -DQUERIES=... -DOUTPUT=embedded_sql.cc -P embed_sql.cmake
# Turns the .sql files into one C++ source, so that the library carries its own schema and boards.
foreach(group SCHEMA QUERIES)
  string(REPLACE "|" ";" files "${${group}}")
  foreach(file IN LISTS files)
    file(READ "${FOLDER}/${file}" text)
    get_filename_component(name "${file}" NAME_WE)
    string(APPEND ${group}_ENTRIES "    {\"${name}\", R\"sql_text(${text})sql_text\"},\n")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}" "// Made from the .sql files by embed_sql.cmake.
#include \"results/store/sql.h\"

namespace conoscope::results {
namespace {
constexpr SqlFile kSchema[] = {
${SCHEMA_ENTRIES}};
constexpr SqlFile kQueries[] = {
${QUERIES_ENTRIES}};
}  // namespace

std::span<const SqlFile> schema_files() { return kSchema; }
std::span<const SqlFile> query_files() { return kQueries; }
}  // namespace conoscope::results
")
