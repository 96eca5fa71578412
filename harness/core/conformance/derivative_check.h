// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "metrics/types.h"

namespace conoscope::core {

/// Does a vector-Jacobian product agree with differences of its function along a random direction?
///
/// name      of the product, as vjp(); of: its function, as head()
/// at        m x a
/// function  m x a -> m x b, each row by itself
/// vjp       of cotangents, m x b, at `at`: m x a
/// throws    OutputFault: it does not; what the two functions throw
void check_derivative(const std::string& name, const std::string& of, const metrics::Matrix& at,
                      const std::function<metrics::Matrix(const metrics::Matrix& rows)>& function,
                      const std::function<metrics::Matrix(const metrics::Matrix& cotangents)>& vjp);

}  // namespace conoscope::core
