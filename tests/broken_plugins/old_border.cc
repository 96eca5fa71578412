// SPDX-License-Identifier: Apache-2.0
// Built for the border before this one.

#include "conoscope/sdk/plugin.h"
#include "tests/broken_plugins/note.h"

BROKEN_NOTE("abi = \"1.0\"\nkind = \"explainer\"\nid = \"old_border\"\nversion = \"1.0.0\"\n")
