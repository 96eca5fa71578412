// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/view_arrays.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/bytes_of.h"

using namespace conoscope::core;
using conoscope::testing::bytes_of;

namespace {

/// The table of docs/plugins.md, without its head.
std::string table_of_views() {
  std::string out;
  for (const ViewArray& array : view_arrays()) {
    if (array.view.empty()) continue;
    const std::string brought = array.bringer == Bringer::kDataset ? "dataset"
                                : array.bringer == Bringer::kModel ? "model"
                                                                   : "explainer";
    out += "| `" + std::string(array.view) + "` | `" + std::string(array.name) + "` | " +
           (array.whole ? "int64" : "real") + " | " + brought + " | " +
           std::string(array.words.empty() ? array.shape : array.words) + " |\n";
    if (const auto bar = out.find("(x|z)"); bar != std::string::npos)
      out.replace(bar, 5, "(x\\|z)");
  }
  return out;
}

}  // namespace

TEST_CASE("the sdk and docs/plugins.md list the arrays of the views") {
  const std::string header =
      bytes_of(CONOSCOPE_SOURCE_DIR "/harness/sdk/include/conoscope/sdk/abi.h");
  for (const ViewArray& array : view_arrays())
    if (!array.view.empty()) {
      CAPTURE(array.name);
      CHECK(header.find(array.name) != std::string::npos);
    }

  const std::string file = CONOSCOPE_SOURCE_DIR "/docs/plugins.md", text = bytes_of(file);
  const std::string head = "| view | array | dtype | brought by | |\n|---|---|---|---|---|\n";
  const auto begin = text.find(head);
  REQUIRE(begin != std::string::npos);
  const auto end = text.find("\n\n", begin) + 1;
  std::string fresh = text;
  fresh.replace(begin + head.size(), end - begin - head.size(), table_of_views());
  if (std::getenv("CONOSCOPE_WRITE_DOCS") != nullptr) std::ofstream(file) << fresh;
  CHECK_MESSAGE(text == fresh,
                "the views of docs/plugins.md differ from view_arrays(); CONOSCOPE_WRITE_DOCS=1 "
                "ctest -R core/view_arrays writes them anew");
}

TEST_CASE("annotations are what a dataset brings beside its inputs") {
  CHECK(annotation_views() ==
        std::vector<std::string>{"labels", "targets", "concepts", "factors", "segments", "truth"});
}
