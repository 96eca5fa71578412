// SPDX-License-Identifier: Apache-2.0
// A store of anybody's.

#include "results/store/store.h"

#include <cstdint>
#include <string>
#include <vector>

#include "results/store/merge.h"
#include "tests/fuzz/bytes_in_file.h"
#include "tests/fuzz/targets.h"
#include "tests/support/content_of.h"

namespace conoscope::fuzz {

namespace {

/// A store with one cell, a good and a failed attempt.
std::string sound_store() {
  const BytesInFile file("", ".made.db");
  {
    auto store = results::Store::open(file.path(), results::Mode::kReadWrite);
    const std::vector<results::ComponentRow> components = {{"d", "dataset", "d", "1", "", "", "d"},
                                                           {"m", "model", "m", "1", "", "", "m"}};
    const std::vector<results::CellRow> cells = {{"c", "d", "m", "", 0, "none"}};
    const std::vector<results::MetricKeyRow> metrics = {
        {"a", "a", "higher", 0.0, 1.0, "", "", "How good is it?"}};
    store.register_run({"r", "run", "seeds = [0]", "2026-01-01T00:00:00.000Z"}, components, cells,
                       metrics);
    const auto environment = results::environment_row("cpu: none");
    store.add_environment(environment);
    results::AttemptRow attempt;
    attempt.id = "1";
    attempt.cell = "c";
    attempt.run = "r";
    attempt.environment = environment.key;
    attempt.started_at = "2026-01-01T00:00:01.000Z";
    store.record(attempt, std::vector{results::score_row("a", 0.5)},
                 std::vector{results::sample_score_row("a", 0, 0.25)});
    attempt.id = "2";
    attempt.status = results::Status::crashed;
    store.record(attempt, {}, {});
  }
  return testing::content_of(file.path());
}

}  // namespace

/// A whole file, or changes of a sound one: the place in three bytes, and the new byte.
int merge(std::string_view bytes) {
  static const std::string sound = sound_store();
  std::string changed(bytes);
  if (bytes.substr(0, 6) != "SQLite") {
    changed = sound;
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      std::size_t place = 0;
      for (std::size_t k = 0; k < 3; ++k)
        place = place << 8 | static_cast<std::uint8_t>(bytes[i + k]);
      changed[place % changed.size()] = bytes[i + 3];
    }
  }
  const BytesInFile file(changed, ".db");
  return answered([&] {
    auto into = results::Store::open(":memory:", results::Mode::kReadWrite);
    results::merge(into, file.path());
  });
}

}  // namespace conoscope::fuzz
