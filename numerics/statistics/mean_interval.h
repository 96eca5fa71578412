#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

struct MeanInterval {
  Index n = 0;
  double mean = 0.0;
  double sd = 0.0;          ///< divided by n - 1
  double se = 0.0;          ///< sd / sqrt(n)
  double half_width = 0.0;  ///< the interval is mean +- half_width
};

/// Where does the mean of the population lie?
///
///   mean +- t(level, n - 1) sd / sqrt(n)
///
/// values   n >= 2 independent values, for example one per seed
/// level    in (0, 1)
/// throws   std::invalid_argument: n < 2, a value not finite, level outside
///
/// Source: Student, Biometrika 1908. The leakage papers print 1.96 se, a bootstrap over five
/// values, or a population standard deviation in its place; at n = 5 Student's factor is 2.776.
/// sd(ddof = 0) / sqrt(n - 1), as their code has it, is the same se.
MeanInterval mean_interval(const VectorRef& values, double level = 0.95);

}  // namespace conoscope::numerics
