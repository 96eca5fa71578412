// SPDX-License-Identifier: Apache-2.0
// Asks for an array that would fill the disk.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("huge_output", {
  const std::vector<std::int64_t> one_each(static_cast<std::size_t>(head.outputs()), 1);
  out.class_specific(one_each, std::int64_t{1} << 35);
})
