// SPDX-License-Identifier: Apache-2.0
// Its CAVs are one number too short.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("wrong_shape", {
  const std::vector<std::int64_t> one_each(static_cast<std::size_t>(head.outputs()), 1);
  out.class_specific(one_each, head.width() - 1);
})
