// SPDX-License-Identifier: Apache-2.0
// Its metadata are not TOML.

#include "conoscope/sdk/plugin.h"
#include "tests/broken_plugins/note.h"

BROKEN_NOTE("abi = \"2.0\nkind = explainer")
