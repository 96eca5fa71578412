// SPDX-License-Identifier: Apache-2.0
// It has metadata but not the entry symbol.

#include "conoscope/sdk/plugin.h"
#include "tests/broken_plugins/note.h"

BROKEN_NOTE("abi = \"2.0\"\nkind = \"explainer\"\nid = \"no_entry\"\nversion = \"1.0.0\"\n")
