#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"

// One writer for each format, in a file of its name. Those for machines take an expanded table.

namespace conoscope::results {

std::string write_aligned(const Table& table);
std::string write_csv(const Table& table);
std::string write_json(const Table& table);
std::string write_ndjson(const Table& table);
std::string write_markdown(const Table& table);
std::string write_latex(const Table& table);

/// A text, number or null; no estimate and no coverage.
std::string json_field(const Field& field);

/// One row as a JSON object.
std::string json_object(const Table& table, const std::vector<Field>& row);

}  // namespace conoscope::results
