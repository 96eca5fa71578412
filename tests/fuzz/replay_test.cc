// SPDX-License-Identifier: Apache-2.0
// Every input of the corpora, through its target, in every build: what was found once stays mended.

#include <doctest/doctest.h>

#include <filesystem>
#include <utility>

#include "tests/fuzz/targets.h"
#include "tests/support/bytes_of.h"
#include "tests/support/capture_binding.h"

namespace fs = std::filesystem;
namespace fuzz = conoscope::fuzz;

TEST_CASE("every input of a corpus is read or refused") {
  const std::pair<const char*, int (*)(std::string_view)> targets[] = {
      {"csv", fuzz::csv},         {"hdf5", fuzz::hdf5},        {"image", fuzz::image},
      {"job", fuzz::job},         {"merge", fuzz::merge},      {"metadata", fuzz::metadata},
      {"note", fuzz::note},       {"npy", fuzz::npy},          {"npz", fuzz::npz},
      {"reports", fuzz::reports}, {"run_file", fuzz::run_file}};
  for (const auto& [name, target] : targets) {
    CAPTURE_BINDING(name);
    int inputs = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(CONOSCOPE_CORPUS_DIR) / name)) {
      CAPTURE(entry.path().string());
      CHECK(target(conoscope::testing::bytes_of(entry.path())) == 0);
      ++inputs;
    }
    CHECK(inputs > 0);
  }
}
