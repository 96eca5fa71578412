// SPDX-License-Identifier: Apache-2.0
// Built for a border that does not exist yet.

#include "conoscope/sdk/plugin.h"
#include "tests/broken_plugins/note.h"

BROKEN_NOTE("abi = \"99.0\"\nkind = \"explainer\"\nid = \"wrong_abi\"\nversion = \"1.0.0\"\n")
