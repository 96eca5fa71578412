// SPDX-License-Identifier: Apache-2.0
#include "numerics/row_source.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::numerics {

namespace {

// Large enough that packing a head's weights for a block's product is lost in it.
constexpr Index kBlockNumbers = Index{1} << 22;

}  // namespace

RowSource::RowSource(Index rows, Index cols, Read read)
    : rows_(rows), cols_(cols), read_(std::move(read)) {}

RowSource::RowSource(Matrix rows) : rows_(rows.rows()), cols_(rows.cols()) {
  read_ = [kept = std::make_shared<const Matrix>(std::move(rows))](Index first, Index count,
                                                                   double* out) {
    std::copy_n(kept->data() + first * kept->cols(), count * kept->cols(), out);
  };
}

void RowSource::read(Index first, Index count, Matrix& out) const {
  out.resize(count, cols_);
  if (out.size() > 0) read_(first, count, out.data());
}

Matrix RowSource::block(Index first, Index count) const {
  Matrix out;
  read(first, count, out);
  return out;
}

void for_each_block(const RowSource& source, Index per_sample,
                    const std::function<void(Index first, const Matrix& block)>& visit) {
  const Index step =
      per_sample *
      std::max<Index>(1, kBlockNumbers / std::max<Index>(1, per_sample * source.cols()));
  Matrix block;  // the same memory for all: fresh pages cost as much as what is read into them
  for (Index first = 0; first < source.rows(); first += step) {
    source.read(first, std::min(step, source.rows() - first), block);
    visit(first, block);
  }
}

Matrix rows_of_samples(const RowSource& source, Index per_sample, const IndexVector& samples) {
  Matrix out(static_cast<Index>(samples.size()) * per_sample, source.cols());
  for (size_t i = 0; i < samples.size(); ++i)
    out.middleRows(static_cast<Index>(i) * per_sample, per_sample) =
        source.block(samples[i] * per_sample, per_sample);
  return out;
}

void require_finite_rows(std::string_view function, std::string_view argument,
                         const RowSource& source, Index per_sample) {
  for_each_block(source, per_sample, [&](Index first, const Matrix& block) {
    if (!all_finite(block)) require_finite(function, argument, block, first);
  });
}

}  // namespace conoscope::numerics
