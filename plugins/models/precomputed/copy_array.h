// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "conoscope/sdk/model.h"

namespace conoscope::models {

template <typename T>
void copy_values(const sdk::Tensor& from, const sdk::Tensor& to) {
  from.for_each([&](std::int64_t i, double value) {
    if (!std::isfinite(value))
      throw std::invalid_argument(to.name() + ": entry " + std::to_string(i) + " of " +
                                  to.shape_text() + " is " + std::to_string(value));
  });
  const auto values = to.values<T>();
  if (from.contiguous())
    std::ranges::copy(from.values<const T>(), values.begin());
  else
    from.for_each([&](std::int64_t i, double value) {
      if constexpr (std::is_same_v<T, sdk::Half>)
        values[static_cast<std::size_t>(i)] = sdk::Half(static_cast<float>(value));
      else
        values[static_cast<std::size_t>(i)] = static_cast<T>(value);
    });
}

/// Writes an array of the dataset as one of the model, under a name and shape.
/// throws  std::invalid_argument: none of float16, float32 and float64, or a number that is not finite
inline void copy_array(const sdk::Tensor& from, const std::string& name,
                       const std::vector<std::int64_t>& shape, sdk::Sink& out) {
  switch (from.dtype()) {
    case CONO_F16:
      return copy_values<sdk::Half>(from, out.create(name, CONO_F16, shape));
    case CONO_F32:
      return copy_values<float>(from, out.create(name, CONO_F32, shape));
    case CONO_F64:
      return copy_values<double>(from, out.create(name, CONO_F64, shape));
    default:
      throw std::invalid_argument(name + ": dtype is " + sdk::dtype_name(from.dtype()) +
                                  ", expected float16, float32 or float64");
  }
}

}  // namespace conoscope::models
