// SPDX-License-Identifier: Apache-2.0
// Throws what is no exception object.

#include "tests/broken_plugins/base.h"

BROKEN_EXPLAINER("throws_five", { throw 5; })
