// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/numpy_random.h"

#include <doctest/doctest.h>

using namespace conoscope::metrics;

// numpy.random.RandomState(1).uniform(-2, 3, 3), then shuffle(numpy.arange(10)).
TEST_CASE("numpy's numbers") {
  detail::NumpyRandom random(1);
  CHECK(random.uniform(-2, 3) == 0.08511002351287011);
  CHECK(random.uniform(-2, 3) == 1.6016224672107904);
  CHECK(random.uniform(-2, 3) == -1.9994281259132756);
  IndexVector items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  random.shuffle(items);
  CHECK(items == IndexVector{3, 7, 6, 2, 9, 4, 1, 8, 0, 5});
}
