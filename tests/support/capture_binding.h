// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

/// CAPTURE of a name of a structured binding, which clang 14 lets no lambda capture.
#define CAPTURE_BINDING(name)         \
  const auto& captured_##name = name; \
  INFO(#name " := ", captured_##name)
