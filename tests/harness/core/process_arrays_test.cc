#include "harness/core/border/process_arrays.h"

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
  std::vector<double> values = {1.5, -2.0, 0.25, 8.0, 0.0, 3.0}, got(6);
  write_array(here / "x.npy",
              sdk::make_tensor(values.data(), CONO_F64, std::vector<std::int64_t>{2, 3}));
  {
    const LeftArray left(here.path(), "x.npy", "x");
    CHECK(left.shape() == std::vector<std::int64_t>{2, 3});
    left.convert_to(sdk::make_tensor(got.data(), CONO_F64, left.shape()));
  }
  CHECK(got == values);
  CHECK_FALSE(std::filesystem::exists(here / "x.npy"));
}

TEST_CASE("an extent of zero does not hide extents that no memory holds") {
  const Scratch here;
  const auto left = [&](const std::vector<std::int64_t>& shape) {
    here.write("x.npy", sdk::make_npy_header(CONO_F64, shape));
    return LeftArray(here.path(), "x.npy", "x").shape();
  };
  CHECK(left({0, 3}) == std::vector<std::int64_t>{0, 3});
  const std::int64_t huge = std::int64_t{1} << 40;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0, huge, huge}, {huge, 0, huge}, {huge, huge, 0}})
    CHECK_THROWS_SAYING(left(shape), OutputFault, "x: is larger than any memory");
}
