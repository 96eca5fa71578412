#pragma once

#include <vector>

#include "metrics/faithfulness/logit_row.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Which measures a pass over the samples computes; the others stay empty.
struct SurfWanted {
  bool mae = true;
  bool emd = true;
  bool top1 = true;
  bool rank_corr = true;
};

/// The SURF measures of a softmax model, collected in one pass over the samples: the numbers of
/// surf_mae, surf_emd, surf_top1 and surf_rank_corr, bit for bit.
class SurfTally {
 public:
  explicit SurfTally(Index outputs, SurfWanted wanted = {});

  /// Takes in m samples more: both m x C, finite (the caller's promise; not checked again here).
  void add(const MatrixRef& model_logits, const MatrixRef& surrogate_logits);

  Index samples() const { return samples_; }
  /// Per sample, in the order of add(); empty if not wanted.
  const std::vector<double>& mae_rows() const { return mae_; }
  const std::vector<double>& emd_rows() const { return emd_; }
  const std::vector<double>& rank_corr_rows() const { return rank_corr_; }
  Index rank_corr_undefined() const { return undefined_; }

  /// Means over the samples; call them after add() only.
  double mae() const;
  double emd() const;
  double rank_corr() const;
  double top1() const { return static_cast<double>(same_top_) / static_cast<double>(samples_); }

 private:
  SurfWanted wanted_;
  detail::LogitRow row_;
  std::vector<double> mae_, emd_, rank_corr_;
  Index samples_ = 0, same_top_ = 0, undefined_ = 0;
};

}  // namespace conoscope::metrics
