#include "results/formats/format.h"

#include <array>
#include <utility>

#include "results/formats/machines.h"
#include "results/formats/writers.h"

namespace conoscope::results {

namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> kFormats = {
    {{"table", Format::table},
     {"csv", Format::csv},
     {"json", Format::json},
     {"ndjson", Format::ndjson},
     {"md", Format::md},
     {"latex", Format::latex}}};

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
  for (const auto& [name, format] : kFormats)
    if (name == text) return format;
  return std::nullopt;
}

bool for_people(Format format) {
  return format == Format::table || format == Format::md || format == Format::latex;
}

std::string to_text(const Table& table, Format format) {
  switch (format) {
    case Format::table:
      return write_aligned(table);
    case Format::csv:
      return write_csv(expanded(table));
    case Format::json:
      return write_json(expanded(table));
    case Format::ndjson:
      return write_ndjson(expanded(table));
    case Format::md:
      return write_markdown(table);
    case Format::latex:
      return write_latex(table);
  }
  return "";
}

}  // namespace conoscope::results
