#include "conoscope/sdk/abi.h"

#include <doctest/doctest.h>

#include <cstddef>

extern "C" {
extern const std::size_t conoscope_test_sizes[12];
extern const std::size_t conoscope_test_offsets[8];
}

TEST_CASE("C and C++ see the same layout") {
  const std::size_t sizes[] = {sizeof(cono_tensor),  sizeof(cono_array),     sizeof(cono_text),
                               sizeof(cono_arrays),  sizeof(cono_param),     sizeof(cono_params),
                               sizeof(cono_host),    sizeof(cono_sink),      sizeof(cono_dataset),
                               sizeof(cono_forward), sizeof(cono_explainer), sizeof(cono_plugin)};
  for (std::size_t i = 0; i < 12; ++i) CHECK(conoscope_test_sizes[i] == sizes[i]);
  const std::size_t offsets[] = {
      offsetof(cono_tensor, data),       offsetof(cono_tensor, strides),
      offsetof(cono_param, text),        offsetof(cono_host, set_error),
      offsetof(cono_host, log),          offsetof(cono_sink, create),
      offsetof(cono_explainer, project), offsetof(cono_plugin, get_interface)};
  for (std::size_t i = 0; i < 8; ++i) CHECK(conoscope_test_offsets[i] == offsets[i]);
}

TEST_CASE("the layout of border 1 is frozen: compiled plugins have it inside") {
  CHECK(CONO_ABI_MAJOR == 1);
  const std::size_t sizes[] = {120, 128, 16, 32, 40, 16, 64, 32, 32, 16, 48, 40};
  for (std::size_t i = 0; i < 12; ++i) CHECK(conoscope_test_sizes[i] == sizes[i]);
  const std::size_t offsets[] = {16, 72, 32, 32, 56, 16, 32, 32};
  for (std::size_t i = 0; i < 8; ++i) CHECK(conoscope_test_offsets[i] == offsets[i]);
}
