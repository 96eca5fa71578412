// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/gzip.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tests/support/gzip.h"

namespace formats = conoscope::formats;
using conoscope::testing::gzip;

TEST_CASE("gzip: whole, in several members, cut short and damaged") {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + "\n";
  const std::string packed = gzip(text);
  CHECK(formats::gunzip(packed, "f.gz") == text);
  CHECK(formats::gunzip(packed + gzip("more"), "f.gz") == text + "more");
  const std::string cut = packed.substr(0, 1000);
  CHECK_THROWS_WITH_AS(formats::gunzip(cut, "f.gz"),
                       "f.gz: the gzip data are cut short after 1000 bytes", std::invalid_argument);
  std::string damaged = packed;
  damaged[packed.size() - 5] = static_cast<char>(damaged[packed.size() - 5] ^ 1);
  CHECK_THROWS_WITH_AS(formats::gunzip(damaged, "f.gz"),
                       "f.gz: the gzip data are damaged: incorrect data check",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::gunzip(packed + "tail", "f.gz"),
                       "f.gz: the gzip data are damaged: incorrect header check",
                       std::invalid_argument);
}
