#include "metrics/faithfulness/surf_tally.h"

#include <numeric>

namespace conoscope::metrics {

namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

SurfTally::SurfTally(Index outputs, SurfWanted wanted) : wanted_(wanted), row_(outputs) {}

void SurfTally::add(const MatrixRef& model_logits, const MatrixRef& surrogate_logits) {
  for (Index i = 0; i < model_logits.rows(); ++i) {
    const double* const model = detail::row_at(model_logits, i);
    const double* const surrogate = detail::row_at(surrogate_logits, i);
    if (wanted_.mae) mae_.push_back(row_.mean_abs_error(model, surrogate));
    if (wanted_.emd) emd_.push_back(row_.softmax_total_variation(model, surrogate));
    if (wanted_.top1) same_top_ += row_.argmax(model) == row_.argmax(surrogate);
    if (wanted_.rank_corr) {
      const auto rho = row_.spearman(model, surrogate);
      undefined_ += !rho;
      rank_corr_.push_back(rho.value_or(0.0));
    }
  }
  samples_ += model_logits.rows();
}

double SurfTally::mae() const { return mean(mae_); }
double SurfTally::emd() const { return mean(emd_); }
double SurfTally::rank_corr() const { return mean(rank_corr_); }

}  // namespace conoscope::metrics
