# SPDX-License-Identifier: Apache-2.0
# Eigen splits sums by the size of the first cache, and would ask the processor for it: here it is the same
# everywhere, and so are the sums. Of plugins that are built elsewhere, too.
set(CONOSCOPE_EIGEN_DEFINITIONS
    EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=49152 EIGEN_DEFAULT_L2_CACHE_SIZE=1048576
    EIGEN_DEFAULT_L3_CACHE_SIZE=33554432)
