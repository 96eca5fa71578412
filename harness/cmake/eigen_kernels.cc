// SPDX-License-Identifier: Apache-2.0
#include "eigen_kernels.h"

#ifdef CONOSCOPE_EIGEN_KERNELS
namespace Eigen::internal {
CONOSCOPE_EIGEN_KERNELS(, float)
CONOSCOPE_EIGEN_KERNELS(, double)
}  // namespace Eigen::internal
#endif
