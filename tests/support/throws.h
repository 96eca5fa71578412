// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

// The exact type, and a message that contains every given text.
#define CHECK_THROWS_SAYING(expression, type, ...)                                    \
  do {                                                                                \
    std::string said_;                                                                \
    try {                                                                             \
      static_cast<void>(expression);                                                  \
    } catch (const type& error_) {                                                    \
      said_ = error_.what();                                                          \
    }                                                                                 \
    CHECK_MESSAGE(!said_.empty(), #expression " did not throw " #type);               \
    for (const auto& wanted_ : std::vector<std::string>{__VA_ARGS__})                 \
      CHECK_MESSAGE(said_.find(wanted_) != std::string::npos, said_, " | ", wanted_); \
  } while (false)
