// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/abi.h"

#include <doctest/doctest.h>

#include <cstddef>

extern "C" {
extern const std::size_t conoscope_test_sizes[15];
extern const std::size_t conoscope_test_offsets[12];
}

TEST_CASE("C and C++ see the same layout") {
  const std::size_t sizes[] = {sizeof(cono_tensor),    sizeof(cono_array),
                               sizeof(cono_text),      sizeof(cono_arrays),
                               sizeof(cono_param),     sizeof(cono_params),
                               sizeof(cono_host),      sizeof(cono_sink),
                               sizeof(cono_dataset),   sizeof(cono_forward),
                               sizeof(cono_explainer), sizeof(cono_plugin),
                               sizeof(cono_head),      sizeof(cono_calls),
                               sizeof(cono_scores),    sizeof(cono_forward_gradient)};
  for (std::size_t i = 0; i < 16; ++i) CHECK(conoscope_test_sizes[i] == sizes[i]);
  const std::size_t offsets[] = {offsetof(cono_tensor, data),
                                 offsetof(cono_tensor, strides),
                                 offsetof(cono_param, text),
                                 offsetof(cono_host, set_error),
                                 offsetof(cono_host, log),
                                 offsetof(cono_sink, create),
                                 offsetof(cono_explainer, project),
                                 offsetof(cono_plugin, get_interface),
                                 offsetof(cono_array, tensor),
                                 offsetof(cono_text, value),
                                 offsetof(cono_param, texts),
                                 offsetof(cono_head, vjp),
                                 offsetof(cono_forward_gradient, forward_gradient)};
  for (std::size_t i = 0; i < 13; ++i) CHECK(conoscope_test_offsets[i] == offsets[i]);
}

TEST_CASE("the layout of border 2 is frozen: compiled plugins have it inside") {
  CHECK(CONO_ABI_MAJOR == 2);
  const std::size_t sizes[] = {128, 144, 24, 32, 72, 16, 64, 32, 32, 16, 48, 40, 24, 40, 24, 16};
  for (std::size_t i = 0; i < 16; ++i) CHECK(conoscope_test_sizes[i] == sizes[i]);
  const std::size_t offsets[] = {16, 72, 32, 32, 56, 16, 32, 32, 16, 16, 64, 16, 8};
  for (std::size_t i = 0; i < 13; ++i) CHECK(conoscope_test_offsets[i] == offsets[i]);
}
