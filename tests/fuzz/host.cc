// SPDX-License-Identifier: Apache-2.0
// What the host reads: run files, plugins, jobs, reports.

#include <algorithm>

#include "harness/core/border/metadata.h"
#include "harness/core/plan/run_file.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "tests/fuzz/bytes_in_file.h"
#include "tests/fuzz/targets.h"

namespace conoscope::fuzz {

int run_file(std::string_view bytes) {
  const BytesInFile file(bytes, ".toml");
  return answered([&] {
    core::Diagnostics diagnostics(file.path());
    core::parse_run_file(file.path(), diagnostics);
    diagnostics.throw_if_any();
  });
}

int metadata(std::string_view bytes) {
  return answered([&] { core::parse_metadata(bytes, "fuzz.so"); });
}

int note(std::string_view bytes) {
  const BytesInFile file(bytes, ".so");
  core::library_folders(file.path());
  return answered([&] {
    if (const auto text = core::read_metadata_note(file.path()))
      core::parse_metadata(*text, "fuzz.so");
  });
}

int job(std::string_view bytes) {
  const BytesInFile file(bytes, ".toml");
  return answered([&] { core::read_job(file.path()); });
}

int reports(std::string_view bytes) {
  core::Reports heard({"a", "b"});
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    heard.take(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return 0;
}

}  // namespace conoscope::fuzz
