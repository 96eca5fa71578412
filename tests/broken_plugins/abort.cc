// SPDX-License-Identifier: Apache-2.0
// Calls abort() in fit().

#include <cstdlib>

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("abort", { std::abort(); })
