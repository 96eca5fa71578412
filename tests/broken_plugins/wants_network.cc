// SPDX-License-Identifier: Apache-2.0
// Declares that it needs sockets, and says what it has got.

#include "tests/broken_plugins/wants.h"

WANTS("wants_network", "\"network\"")
