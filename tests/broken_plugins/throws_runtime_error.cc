// SPDX-License-Identifier: Apache-2.0
// Throws a std::runtime_error in fit().

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("throws_runtime_error", { throw std::runtime_error("the tape has run out"); })
