// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/exchange_folder.h"

#include <doctest/doctest.h>

#include "conoscope/sdk/npy.h"
#include "harness/core/border/output_check.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::Scratch;
namespace sdk = conoscope::sdk;

TEST_CASE("an array that a plugin leaves arrives, and its file goes") {
  const Scratch here;
  const ExchangeFolder folder(here.path());
  std::vector<double> values = {1.5, -2.0, 0.25, 8.0, 0.0, 3.0}, got(6);
  folder.write("x.npy", sdk::make_tensor(values.data(), CONO_F64, std::vector<std::int64_t>{2, 3}));
  {
    const LeftArray left(folder, "x.npy", "x");
    CHECK(left.shape() == std::vector<std::int64_t>{2, 3});
    left.convert_to(got.data());
  }
  CHECK(got == values);
  CHECK_FALSE(std::filesystem::exists(here / "x.npy"));
}

TEST_CASE("an extent of zero does not hide extents that no memory holds") {
  const Scratch here;
  const ExchangeFolder folder(here.path());
  const auto left = [&](const std::vector<std::int64_t>& shape) {
    here.write("x.npy", sdk::make_npy_header(CONO_F64, shape));
    return LeftArray(folder, "x.npy", "x").shape();
  };
  CHECK(left({0, 3}) == std::vector<std::int64_t>{0, 3});
  const std::int64_t huge = std::int64_t{1} << 40;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0, huge, huge}, {huge, 0, huge}, {huge, huge, 0}})
    CHECK_THROWS_SAYING(left(shape), OutputFault, "x: is larger than any memory");
}

TEST_CASE("a folder that a plugin has put in the place of its own is not followed") {
  const Scratch here;
  std::filesystem::create_directories(here / "secret");
  const ExchangeFolder folder(here / "exchange");
  std::vector<double> values = {1.0};
  ExchangeFolder(here / "secret")
      .write("x.npy", sdk::make_tensor(values.data(), CONO_F64, std::vector<std::int64_t>{1}));
  std::filesystem::rename(here / "exchange", here / "own");
  std::filesystem::create_symlink(here / "secret", here / "exchange");
  CHECK_THROWS_SAYING(LeftArray(folder, "x.npy", "x"), OutputFault, "a file that is not there");
  CHECK_THROWS_SAYING(LeftArray(folder, "../secret/x.npy", "x"), OutputFault,
                      "is not the plain name");
}
