// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A metadata note written by hand.
#define BROKEN_NOTE(text)                                                                \
  namespace {                                                                            \
  __attribute__((section(".note.conoscope"), used,                                       \
                 aligned(4))) constinit const conoscope::sdk::MetadataNote<sizeof(text)> \
      broken_note(text);                                                                 \
  }
