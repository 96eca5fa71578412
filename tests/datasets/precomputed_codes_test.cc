// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/support/npy_bytes.h"
#include "tests/support/outcomes.h"
#include "tests/support/scratch.h"

using namespace conoscope::testing;

namespace {

struct Files {
  Scratch scratch;
  Arguments arguments;
  Files() {
    put("codes", "(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8});
    put("factors", "(4, 1)", {0, 1, 0, 1});
  }
  void put(const std::string& name, const std::string& shape, const std::vector<float>& values) {
    arguments[name] = scratch.write(name + ".npy", npy_bytes<float>("<f4", shape, values));
  }
  void refuses(const std::string& part) const {
    check_refused(plugin("precomputed_codes_dataset").load(arguments), part);
  }
};

}  // namespace

TEST_CASE("precomputed_codes: codes and factors, unchanged, and a split by seed") {
  const Files files;
  const Outcome outcome = plugin("precomputed_codes_dataset").load(files.arguments);
  REQUIRE(outcome.error == "");
  CHECK(std::ranges::equal(outcome.out.values<double>("codes"),
                           std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  CHECK(std::ranges::equal(outcome.out.values<double>("factors"), std::vector<double>{0, 1, 0, 1}));
  CHECK(outcome.out.shape("train_index")[0] == 2);
  CHECK(outcome.out.shape("test_index")[0] == 2);
}

TEST_CASE("precomputed_codes: the posteriors' variances, where they are known") {
  Files files;
  files.put("log_variance", "(4, 2)", {0, -1, -2, -3, -4, -5, -6, -7});
  const Outcome outcome = plugin("precomputed_codes_dataset").load(files.arguments);
  REQUIRE(outcome.error == "");
  CHECK(std::ranges::equal(outcome.out.values<double>("codes_log_variance"),
                           std::vector<double>{0, -1, -2, -3, -4, -5, -6, -7}));
  files.put("log_variance", "(4, 1)", {0, -1, -2, -3});
  files.refuses("log_variance.npy 4 x 1 logarithms of variances, expected one for each code");
}

TEST_CASE("precomputed_codes: what it refuses, naming the file") {
  Files files;
  files.put("factors", "(3, 1)", {0, 1, 0});
  files.refuses("factors.npy 3 x 1 factors: not the same samples");
  files.put("factors", "(4,)", {0, 1, 0, 1});
  files.refuses("factors.npy: factors are 4, expected samples x columns");
  files.put("factors", "(4, 1)", {0, 1, std::numeric_limits<float>::quiet_NaN(), 1});
  files.refuses("factors.npy: ");
  files.arguments["codes_member"] = std::string("mu");
  files.refuses("codes.npy: ");  // not an archive
}
