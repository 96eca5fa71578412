// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

/// \file
/// The inner loops of Eigen's matrix products, as a build with precompiled headers sees them: declared
/// here, compiled once in eigen_kernels.cc. Without this each source with a product in it compiles them
/// again, which is a seventh to two fifths of its time under the sanitizers. The loops are the same.

// Their names are an inner affair of Eigen 3.4; another version compiles as without this file.
#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)
#define CONOSCOPE_GEMV(prefix, scalar, lhs_order, rhs_order)                                     \
  prefix template struct general_matrix_vector_product<                                          \
      Index, scalar, const_blas_data_mapper<scalar, Index, lhs_order>, lhs_order, false, scalar, \
      const_blas_data_mapper<scalar, Index, rhs_order>, false>;
#define CONOSCOPE_PACK(prefix, scalar, order)                                        \
  prefix template struct gemm_pack_lhs<                                              \
      scalar, Index, const_blas_data_mapper<scalar, Index, order>,                   \
      gebp_traits<scalar, scalar>::mr, gebp_traits<scalar, scalar>::LhsProgress,     \
      gebp_traits<scalar, scalar>::LhsPacket4Packing, order>;                        \
  prefix template struct gemm_pack_rhs<scalar, Index,                                \
                                       const_blas_data_mapper<scalar, Index, order>, \
                                       gebp_traits<scalar, scalar>::nr, order>;
#define CONOSCOPE_EIGEN_KERNELS(prefix, scalar)                                        \
  prefix template struct gebp_kernel<                                                  \
      scalar, scalar, Index, blas_data_mapper<scalar, Index, ColMajor, 0, 1>,          \
      gebp_traits<scalar, scalar>::mr, gebp_traits<scalar, scalar>::nr, false, false>; \
  CONOSCOPE_PACK(prefix, scalar, ColMajor)                                             \
  CONOSCOPE_PACK(prefix, scalar, RowMajor)                                             \
  CONOSCOPE_GEMV(prefix, scalar, ColMajor, ColMajor)                                   \
  CONOSCOPE_GEMV(prefix, scalar, ColMajor, RowMajor)                                   \
  CONOSCOPE_GEMV(prefix, scalar, RowMajor, ColMajor)                                   \
  CONOSCOPE_GEMV(prefix, scalar, RowMajor, RowMajor)

namespace Eigen::internal {
CONOSCOPE_EIGEN_KERNELS(extern, float)
CONOSCOPE_EIGEN_KERNELS(extern, double)
}  // namespace Eigen::internal
#endif
