// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/sample_checks.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::numerics {

void require_sample(std::string_view function, std::string_view argument, const VectorRef& values,
                    Index least) {
  if (values.size() < least)
    refuse(function, std::string(argument) + " has " + std::to_string(values.size()) +
                         (values.size() == 1 ? " value" : " values") + "; at least " +
                         std::to_string(least) + " are needed");
  require_finite_vector(function, argument, values);
}

void require_pairs(std::string_view function, const VectorRef& a, const VectorRef& b, Index least) {
  if (a.size() != b.size())
    refuse(function, "a has " + std::to_string(a.size()) + " values and b " +
                         std::to_string(b.size()) + "; pairs need as many of each");
  require_sample(function, "a", a, least);
  require_sample(function, "b", b, least);
}

}  // namespace conoscope::numerics
