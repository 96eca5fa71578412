// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

void Pattern::clear() {
  begin.assign(1, 0);
  columns.clear();
}

template <typename T>
void Pattern::read(const RowMajor<T>& codes) {
  clear();
  for (Index i = 0; i < codes.rows(); ++i) {
    // Written for all, kept for those that are not 0: no branch that is hard to foresee.
    std::size_t at = columns.size();
    columns.resize(at + static_cast<std::size_t>(codes.cols()));
    const T* const row = codes.row(i).data();
    for (Index j = 0; j < codes.cols(); ++j) {
      columns[at] = static_cast<std::int32_t>(j);
      at += row[j] != T(0);
    }
    columns.resize(at);
    end_row();
  }
}

namespace {

/// From about an eighth on, a product of matrices is faster than sums over entries.
template <typename T>
bool is_dense(const Pattern& pattern, const RowMajor<T>& codes) {
  return 8 * pattern.count() > codes.size();
}

}  // namespace

template <typename T>
void product_of_pattern(const Pattern& pattern, const RowMajor<T>& codes, const RowMajor<T>& atoms,
                        RowMajor<T>& out) {
  if (is_dense(pattern, codes)) {
    out.noalias() = codes * atoms;
    return;
  }
  out.setZero(codes.rows(), atoms.cols());
  for (Index i = 0; i < codes.rows(); ++i)
    for (Index s = pattern.begin[static_cast<std::size_t>(i)];
         s < pattern.begin[static_cast<std::size_t>(i + 1)]; ++s) {
      const Index j = pattern.columns[static_cast<std::size_t>(s)];
      out.row(i) += codes(i, j) * atoms.row(j);
    }
}

template <typename T>
void transposed_product_of_pattern(const Pattern& pattern, const RowMajor<T>& codes,
                                   const RowMajor<T>& rows, RowMajor<T>& out) {
  if (is_dense(pattern, codes)) {
    out.noalias() = codes.transpose() * rows;
    return;
  }
  out.setZero(codes.cols(), rows.cols());
  for (Index i = 0; i < codes.rows(); ++i)
    for (Index s = pattern.begin[static_cast<std::size_t>(i)];
         s < pattern.begin[static_cast<std::size_t>(i + 1)]; ++s) {
      const Index j = pattern.columns[static_cast<std::size_t>(s)];
      out.row(j) += codes(i, j) * rows.row(i);
    }
}

template <typename T>
double sum_of_squares(const RowMajor<T>& x) {
  double sum = 0.0;
  for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x.row(i).squaredNorm());
  return sum;
}

template void Pattern::read(const RowMajor<float>&);
template void Pattern::read(const RowMajor<double>&);
template void product_of_pattern(const Pattern&, const RowMajor<float>&, const RowMajor<float>&,
                                 RowMajor<float>&);
template void product_of_pattern(const Pattern&, const RowMajor<double>&, const RowMajor<double>&,
                                 RowMajor<double>&);
template void transposed_product_of_pattern(const Pattern&, const RowMajor<float>&,
                                            const RowMajor<float>&, RowMajor<float>&);
template void transposed_product_of_pattern(const Pattern&, const RowMajor<double>&,
                                            const RowMajor<double>&, RowMajor<double>&);
template double sum_of_squares(const RowMajor<float>&);
template double sum_of_squares(const RowMajor<double>&);

}  // namespace conoscope::methods
